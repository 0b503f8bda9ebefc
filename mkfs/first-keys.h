/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first key of every tree block. Without skinny metadata the extent record of a block holds it, also that of
 * the blocks of the extent tree itself; so all are collected once the trees have their sizes, before any is loaded.
 * Belongs to one thread.
 */
#ifndef BO_MKFS_FIRST_KEYS_H
#define BO_MKFS_FIRST_KEYS_H

#include "mkfs/spool.h"
#include "mkfs/tree-load.h"

struct first_keys {
	struct spool *levels[BTRFS_MAX_LEVEL];	/* struct btrfs_disk_key, tree after tree */
	u64 nr[BTRFS_MAX_LEVEL];
};

/* Returns 0 or -ENOMEM. */
int first_keys_init(struct first_keys *keys);
void first_keys_release(struct first_keys *keys);

/* One pass over the items of a tree. */
struct first_keys_pass {
	struct first_keys *keys;
	const struct tree_plan *plan;
	struct tree_geometry geometry;
};

/* Notes in @plan, whose geometry is final, where its keys will be. */
void first_keys_begin(struct first_keys_pass *pass, struct first_keys *keys, struct tree_plan *plan);
/* An item_sink; @pass is its argument. */
int first_keys_add(void *pass, const struct btrfs_key *key, const void *payload, u32 size);
/* -EUCLEAN, printed: the tree had another number of leaves than it was planned with. */
int first_keys_end(struct first_keys_pass *pass);

/* A reader that gives the keys of the blocks of @level from number @index on. 0 or -ENOMEM. */
int first_keys_read(const struct first_keys *keys, const struct tree_plan *plan, int level, u64 index,
		    struct spool_reader *reader);

#endif
