/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many leaves and nodes a tree needs when it is packed left to right, before any of it is
 * written. Fed with the sizes of the items in key order.
 *
 * A tree takes one run of addresses: its leaves first, then its nodes level by level.
 */
#ifndef BO_MKFS_GEOMETRY_H
#define BO_MKFS_GEOMETRY_H

#include "kernel-shared/ctree.h"

struct tree_geometry {
	u32 nodesize;
	u64 blocks[BTRFS_MAX_LEVEL];	/* by level; complete after geometry_finish() */
	int height;			/* levels in use: 1 is a lone leaf */
	u32 leaf_used;			/* bytes of the leaf that is being filled */
};

void geometry_init(struct tree_geometry *geometry, u32 nodesize);
/* One item with a payload of @size bytes (at most btrfs_max_item_size()). */
void geometry_add(struct tree_geometry *geometry, u32 size);
/* Nodes above the leaves. An empty tree is one empty leaf. Returns 0, or -EFBIG: more than 8 levels. */
int geometry_finish(struct tree_geometry *geometry);
u64 geometry_total(const struct tree_geometry *geometry);
/* Index, in the tree's run of addresses, of the first block of @level. */
u64 geometry_level_start(const struct tree_geometry *geometry, int level);

#endif
