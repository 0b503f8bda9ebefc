/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bulk load of one tree whose geometry is known: leaves and nodes are packed left to right,
 * each at its claimed address, signed, and given to the write stage in runs. Nothing is
 * read back or changed later. Belongs to one thread.
 */
#ifndef BO_MKFS_TREE_LOAD_H
#define BO_MKFS_TREE_LOAD_H

#include "io/buffer-pool.h"
#include "mkfs/geometry.h"
#include "mkfs/layout.h"
#include "mkfs/write-stage.h"

/* One tree: what it is, how large, where. */
struct tree_plan {
	u64 owner;		/* tree id */
	u64 base;		/* logical address of its run of blocks */
	struct tree_geometry geometry;
	u64 first_keys[BTRFS_MAX_LEVEL];	/* by level: place in struct first_keys of its first block's key */
};

/* Where the root block is, once the geometry is finished and the run is claimed. */
u64 tree_plan_root(const struct tree_plan *plan);
u8 tree_plan_level(const struct tree_plan *plan);
/* Address of block number @index of @level. */
u64 tree_plan_block(const struct tree_plan *plan, int level, u64 index);

/* What loads share. */
struct tree_output {
	const struct mkfs_layout *layout;
	const struct btrfs_chunk_table *chunks;
	struct buffer_pool *buffers;
	struct write_stage *write;
	const volatile sig_atomic_t *stop;
};

/* Takes back buffers that are written. @wait: for one, if any is under way. */
void tree_output_reap(const struct tree_output *output, bool wait);

/* Waits for all writes under way and takes their buffers back; also after a failure. */
void tree_output_drain(const struct tree_output *output);

struct tree_loader;

int tree_loader_create(struct tree_loader **loader, const struct tree_output *output, const struct tree_plan *plan);
void tree_loader_destroy(struct tree_loader *loader);
/* Items in ascending key order. An item_sink (@loader is its argument). Returns 0 or -errno, printed. */
int tree_loader_add(void *loader, const struct btrfs_key *key, const void *payload, u32 size);
/* Completes all levels. -EUCLEAN, printed: what was written differs from the geometry. */
int tree_loader_finish(struct tree_loader *loader);

#endif
