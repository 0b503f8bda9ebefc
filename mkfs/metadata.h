/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All trees of the filesystem: how large they are, where they lie, what is in them.
 *
 * The trees that describe space describe their own blocks too, so their sizes are found by
 * iteration: sizes -> addresses and chunks -> items -> sizes, until nothing changes. The items are made by
 * the same generators when a tree is measured and when it is loaded.
 */
#ifndef BO_MKFS_METADATA_H
#define BO_MKFS_METADATA_H

#include "mkfs/data-space.h"
#include "mkfs/first-keys.h"
#include "mkfs/importer.h"
#include "mkfs/quota.h"
#include "mkfs/tree-load.h"

/* In the order of their addresses, subvolumes after the top level; the chunk tree lies in a system chunk. */
enum mkfs_tree {
	MKFS_TREE_FS,		/* the top level */
	MKFS_TREE_CSUM,
	MKFS_TREE_EXTENT,
	MKFS_TREE_DEV,
	MKFS_TREE_QUOTA,
	MKFS_TREE_UUID,
	MKFS_TREE_DATA_RELOC,
	MKFS_TREE_FREE_SPACE,
	MKFS_TREE_BLOCK_GROUP,
	MKFS_TREE_ROOT,
	MKFS_TREE_CHUNK,
	MKFS_NR_TREES,
};

struct metadata {
	const struct mkfs_layout *layout;
	struct chunk_allocator *alloc;
	const struct data_space *data;
	const struct import_result *import;
	bool present[MKFS_NR_TREES];
	struct tree_plan plans[MKFS_NR_TREES];
	struct tree_plan *subvolumes;	/* by number - 1 */
	u32 nr_subvolumes;
	struct quota_usage *quota;	/* by number; NULL without quotas */
	struct first_keys first_keys;
	bool has_first_keys;	/* they are complete */
	u64 base;		/* logical start of the metadata run; 0: no chunk yet */
	u64 capacity;		/* bytes of metadata chunks from there on */
	size_t nr_chunks;	/* how many these are: the newest ones */
	u64 used;		/* bytes of the run */
	u64 headroom;		/* bytes to leave free behind the trees, where chunks are fitted, if that can be */
	u64 least_headroom;	/* and what must be free in any case */
	u64 system_base;	/* where the chunk tree lies */
	u64 system_capacity;
};

/*
 * Sizes and addresses of all trees; allocates metadata chunks.
 * @system: the system chunk. Returns 0, -ENOSPC (nothing printed), or another -errno.
 */
int metadata_plan(struct metadata *metadata, const struct btrfs_chunk_map *system);
/* Writes every tree. 0 or -errno. */
int metadata_load(struct metadata *metadata, const struct tree_output *output);
void metadata_release(struct metadata *metadata);

/* The plan of the top level (0) or a subvolume, by its number in import->subvolumes. */
static inline const struct tree_plan *metadata_file_tree(const struct metadata *metadata, u32 number)
{
	return number ? &metadata->subvolumes[number - 1] : &metadata->plans[MKFS_TREE_FS];
}

/* All trees of files in one pass over the item log (file-trees.c). 0 or -errno. */
int file_trees_measure(struct metadata *metadata);
int file_trees_first_keys(struct metadata *metadata);
int file_trees_load(struct metadata *metadata, const struct tree_output *output);

/* Whether a chunk was made for file data; where groups are mixed the type does not tell. */
bool metadata_holds_data(const struct metadata *metadata, const struct btrfs_chunk_map *chunk);
/* Bytes allocated inside a chunk, whatever its kind. */
u64 metadata_chunk_used(const struct metadata *metadata, const struct btrfs_chunk_map *chunk);
/* Of the whole filesystem, as superblock and block groups count it: once, not by copies. */
u64 metadata_bytes_used(const struct metadata *metadata);
u64 metadata_tree_bytes(const struct metadata *metadata);

/* Generators: feed all items of one tree in key order. */
typedef int (*tree_generator)(const struct metadata *metadata, item_sink each, void *arg);

int generate_csum_tree(const struct metadata *metadata, item_sink each, void *arg);
int generate_extent_tree(const struct metadata *metadata, item_sink each, void *arg);
int generate_dev_tree(const struct metadata *metadata, item_sink each, void *arg);
int generate_quota_tree(const struct metadata *metadata, item_sink each, void *arg);
int generate_uuid_tree(const struct metadata *metadata, item_sink each, void *arg);
int generate_data_reloc_tree(const struct metadata *metadata, item_sink each, void *arg);
int generate_free_space_tree(const struct metadata *metadata, item_sink each, void *arg);
int generate_block_group_tree(const struct metadata *metadata, item_sink each, void *arg);
int generate_root_tree(const struct metadata *metadata, item_sink each, void *arg);
int generate_chunk_tree(const struct metadata *metadata, item_sink each, void *arg);

/* The DEV_ITEM of device number @nr (from 0). */
struct btrfs_dev_item metadata_dev_item(const struct metadata *metadata, unsigned nr);

#endif
