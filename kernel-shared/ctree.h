/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The on-disk format: keys, superblock, block header, leaves and nodes.
 *
 * Item structs, key types and object ids come from <linux/btrfs_tree.h>. This
 * header adds what the header of Linux 6.1 lacks, under the kernel's names.
 * Source of the added layouts: "Btrfs on-disk format" in the btrfs
 * documentation (dev/On-disk-format), and newer versions of the UAPI header.
 *
 * Everything here is bytes and meaning: no I/O, no threads, no allocation.
 * Functions on a leaf or node trust nothing but the nodesize given to them
 * only where they say so.
 */
#ifndef BO_KERNEL_SHARED_CTREE_H
#define BO_KERNEL_SHARED_CTREE_H

#include <linux/btrfs.h>
#include <linux/btrfs_tree.h>

#include "common/types.h"
#include "kernel-shared/accessors.h"

/* "_BHRfS_M", and what an unfinished mkfs leaves ("!BHRfS_M"), as little-endian numbers. */
#define BTRFS_MAGIC			0x4D5F53665248425FULL
#define BTRFS_MAGIC_TEMPORARY		0x4D5F536652484221ULL

#define BTRFS_SUPER_INFO_OFFSET		SZ_64K
#define BTRFS_SUPER_INFO_SIZE		4096
#define BTRFS_SUPER_MIRROR_MAX		3
#define BTRFS_SUPER_MIRROR_SHIFT	12

#define BTRFS_SYSTEM_CHUNK_ARRAY_SIZE	2048
#define BTRFS_NUM_BACKUP_ROOTS		4
#define BTRFS_MAX_LEVEL			8
#define BTRFS_NAME_LEN			255
#define BTRFS_LINK_MAX			65535U
#define BTRFS_STRIPE_LEN		SZ_64K
/* The first MiB of every device stays free: boot loaders live there. */
#define BTRFS_DEVICE_RANGE_RESERVED	SZ_1M
#define BTRFS_MAX_EXTENT_SIZE		((u64)128 << 20)

#define BTRFS_HEADER_FLAG_REV_SHIFT	56	/* backref revision, in the flags' top byte */
#define BTRFS_MIXED_BACKREF_REV		1

/* Superblock flags newer than the UAPI header: a conversion is under way. */
#define BTRFS_SUPER_FLAG_CHANGING_BG_TREE	(1ULL << 38)
#define BTRFS_SUPER_FLAG_CHANGING_DATA_CSUM	(1ULL << 39)
#define BTRFS_SUPER_FLAG_CHANGING_META_CSUM	(1ULL << 40)

#ifndef BTRFS_RAID_STRIPE_TREE_OBJECTID
#define BTRFS_RAID_STRIPE_TREE_OBJECTID	12ULL
#endif
#ifndef BTRFS_EXTENT_OWNER_REF_KEY
#define BTRFS_EXTENT_OWNER_REF_KEY	172	/* simple quota: who allocated the extent */
#endif
#ifndef BTRFS_FEATURE_INCOMPAT_RAID_STRIPE_TREE
#define BTRFS_FEATURE_INCOMPAT_RAID_STRIPE_TREE	(1ULL << 14)
#endif
#ifndef BTRFS_FEATURE_INCOMPAT_SIMPLE_QUOTA
#define BTRFS_FEATURE_INCOMPAT_SIMPLE_QUOTA	(1ULL << 16)
#endif

/* Inode flags (inode_item.flags), as the documentation of the format lists them. */
#define BTRFS_INODE_NODATASUM		(1U << 0)
#define BTRFS_INODE_NODATACOW		(1U << 1)
#define BTRFS_INODE_READONLY		(1U << 2)
#define BTRFS_INODE_NOCOMPRESS		(1U << 3)
#define BTRFS_INODE_PREALLOC		(1U << 4)
#define BTRFS_INODE_SYNC		(1U << 5)
#define BTRFS_INODE_IMMUTABLE		(1U << 6)
#define BTRFS_INODE_APPEND		(1U << 7)
#define BTRFS_INODE_NODUMP		(1U << 8)
#define BTRFS_INODE_NOATIME		(1U << 9)
#define BTRFS_INODE_DIRSYNC		(1U << 10)
#define BTRFS_INODE_COMPRESS		(1U << 11)
/* of the upper half of the flags: what an older kernel may read and not write */
#define BTRFS_INODE_RO_VERITY		(1ULL << 32)
#define BTRFS_INODE_ROOT_ITEM_INIT	(1U << 31)

#ifndef HAVE_STRUCT_BTRFS_HEADER
struct btrfs_header {
	__u8 csum[BTRFS_CSUM_SIZE];
	__u8 fsid[BTRFS_FSID_SIZE];
	__le64 bytenr;
	__le64 flags;
	__u8 chunk_tree_uuid[BTRFS_UUID_SIZE];
	__le64 generation;
	__le64 owner;
	__le32 nritems;
	__u8 level;
} __attribute__((__packed__));

struct btrfs_root_backup {
	__le64 tree_root;
	__le64 tree_root_gen;
	__le64 chunk_root;
	__le64 chunk_root_gen;
	__le64 extent_root;
	__le64 extent_root_gen;
	__le64 fs_root;
	__le64 fs_root_gen;
	__le64 dev_root;
	__le64 dev_root_gen;
	__le64 csum_root;
	__le64 csum_root_gen;
	__le64 total_bytes;
	__le64 bytes_used;
	__le64 num_devices;
	__le64 unused_64[4];
	__u8 tree_root_level;
	__u8 chunk_root_level;
	__u8 extent_root_level;
	__u8 fs_root_level;
	__u8 dev_root_level;
	__u8 csum_root_level;
	__u8 unused_8[10];
} __attribute__((__packed__));

struct btrfs_super_block {
	__u8 csum[BTRFS_CSUM_SIZE];
	__u8 fsid[BTRFS_FSID_SIZE];
	__le64 bytenr;
	__le64 flags;
	__le64 magic;
	__le64 generation;
	__le64 root;
	__le64 chunk_root;
	__le64 log_root;
	__le64 __unused_log_root_transid;
	__le64 total_bytes;
	__le64 bytes_used;
	__le64 root_dir_objectid;
	__le64 num_devices;
	__le32 sectorsize;
	__le32 nodesize;
	__le32 __unused_leafsize;
	__le32 stripesize;
	__le32 sys_chunk_array_size;
	__le64 chunk_root_generation;
	__le64 compat_flags;
	__le64 compat_ro_flags;
	__le64 incompat_flags;
	__le16 csum_type;
	__u8 root_level;
	__u8 chunk_root_level;
	__u8 log_root_level;
	struct btrfs_dev_item dev_item;
	char label[BTRFS_LABEL_SIZE];
	__le64 cache_generation;
	__le64 uuid_tree_generation;
	__u8 metadata_uuid[BTRFS_FSID_SIZE];
	__u64 nr_global_roots;
	__le64 reserved[27];
	__u8 sys_chunk_array[BTRFS_SYSTEM_CHUNK_ARRAY_SIZE];
	struct btrfs_root_backup super_roots[BTRFS_NUM_BACKUP_ROOTS];
	__u8 padding[565];
} __attribute__((__packed__));

struct btrfs_item {
	struct btrfs_disk_key key;
	__le32 offset;
	__le32 size;
} __attribute__((__packed__));

struct btrfs_key_ptr {
	struct btrfs_disk_key key;
	__le64 blockptr;
	__le64 generation;
} __attribute__((__packed__));
#endif

_Static_assert(sizeof(struct btrfs_super_block) == BTRFS_SUPER_INFO_SIZE, "superblock is 4096 bytes");
_Static_assert(sizeof(struct btrfs_header) == 101, "block header is 101 bytes");
_Static_assert(sizeof(struct btrfs_item) == 25, "leaf item header is 25 bytes");
_Static_assert(sizeof(struct btrfs_key_ptr) == 33, "node pointer is 33 bytes");

/* ---- keys ---- */

static inline struct btrfs_key btrfs_disk_key_to_cpu(const struct btrfs_disk_key *disk)
{
	return (struct btrfs_key){
		.objectid = le64_to_cpu(disk->objectid),
		.type = disk->type,
		.offset = le64_to_cpu(disk->offset),
	};
}

static inline struct btrfs_disk_key btrfs_cpu_key_to_disk(const struct btrfs_key *key)
{
	return (struct btrfs_disk_key){
		.objectid = cpu_to_le64(key->objectid),
		.type = key->type,
		.offset = cpu_to_le64(key->offset),
	};
}

/* <0, 0, >0 in the order of the trees. */
static inline int btrfs_comp_cpu_keys(const struct btrfs_key *a, const struct btrfs_key *b)
{
	if (a->objectid != b->objectid)
		return a->objectid < b->objectid ? -1 : 1;
	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return 0;
}

/* ---- capacity of leaves and nodes ---- */

/* Bytes of a leaf that items (header and payload) can fill. */
static inline u32 btrfs_leaf_data_size(u32 nodesize)
{
	return nodesize - (u32)sizeof(struct btrfs_header);
}

/* Largest payload that one item can have: it then fills a leaf alone. */
static inline u32 btrfs_max_item_size(u32 nodesize)
{
	return btrfs_leaf_data_size(nodesize) - (u32)sizeof(struct btrfs_item);
}

static inline u32 btrfs_max_nr_ptrs(u32 nodesize)
{
	return btrfs_leaf_data_size(nodesize) / (u32)sizeof(struct btrfs_key_ptr);
}

static inline u32 btrfs_max_nr_items(u32 nodesize)
{
	return btrfs_leaf_data_size(nodesize) / (u32)sizeof(struct btrfs_item);
}

/* ---- slots; @block is a whole tree block, @slot below the capacity above ---- */

static inline const struct btrfs_header *btrfs_block_header(const void *block)
{
	return block;
}

static inline u32 btrfs_header_nritems(const void *block)
{
	return le32_to_cpu(btrfs_block_header(block)->nritems);
}

static inline const struct btrfs_item *btrfs_leaf_item(const void *leaf, u32 slot)
{
	const char *items = (const char *)leaf + sizeof(struct btrfs_header);

	return (const struct btrfs_item *)(items + slot * sizeof(struct btrfs_item));
}

static inline const struct btrfs_key_ptr *btrfs_node_ptr(const void *node, u32 slot)
{
	const char *ptrs = (const char *)node + sizeof(struct btrfs_header);

	return (const struct btrfs_key_ptr *)(ptrs + slot * sizeof(struct btrfs_key_ptr));
}

static inline struct btrfs_key btrfs_item_key(const void *leaf, u32 slot)
{
	return btrfs_disk_key_to_cpu(&btrfs_leaf_item(leaf, slot)->key);
}

static inline struct btrfs_key btrfs_node_key(const void *node, u32 slot)
{
	return btrfs_disk_key_to_cpu(&btrfs_node_ptr(node, slot)->key);
}

static inline u32 btrfs_item_size(const void *leaf, u32 slot)
{
	return le32_to_cpu(btrfs_leaf_item(leaf, slot)->size);
}

/* Payload of an item. Only for leaves whose item table has been checked (tree-checker.h). */
static inline const void *btrfs_item_ptr(const void *leaf, u32 slot)
{
	return (const char *)leaf + sizeof(struct btrfs_header) +
	       le32_to_cpu(btrfs_leaf_item(leaf, slot)->offset);
}

/* ---- names for people ---- */

/* "EXTENT_TREE", "FS_TREE", ...; NULL for ids without a name (subvolumes). */
const char *btrfs_tree_name(u64 objectid);
/* The id for a name as above, with or without "_TREE", any case. Returns 0 or -ENOENT. */
int btrfs_tree_by_name(const char *name, u64 *objectid);
/* "INODE_ITEM", ...; NULL for unknown types. */
const char *btrfs_key_type_name(u8 type);

struct btrfs_key_text {
	char text[96];
};

/* "(256 INODE_ITEM 0)", as `btrfs inspect-internal dump-tree` writes keys. */
struct btrfs_key_text btrfs_format_key(const struct btrfs_key *key);

/* True for tree ids that hold files: the top level, subvolumes, and the data relocation tree. */
static inline bool btrfs_is_fstree(u64 rootid)
{
	return rootid == BTRFS_FS_TREE_OBJECTID || rootid == BTRFS_DATA_RELOC_TREE_OBJECTID ||
	       (rootid >= BTRFS_FIRST_FREE_OBJECTID && rootid <= BTRFS_LAST_FREE_OBJECTID);
}

#endif
