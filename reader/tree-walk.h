/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Visits every block of one tree, parents first, left to right, without recursion.
 * Where blocks come from is the caller's choice (ops->read): scrub reads and judges
 * all copies there, inspect takes any good one.
 *
 * A walk belongs to one thread; several may walk one image at once.
 */
#ifndef BO_READER_TREE_WALK_H
#define BO_READER_TREE_WALK_H

#include "reader/roots.h"

enum btrfs_walk_verdict {
	BTRFS_WALK_CONTINUE = 0,	/* block is good: descend, or hand the leaf over */
	BTRFS_WALK_SKIP,		/* leave this block and all below it */
};

struct btrfs_walk_ops {
	/*
	 * Fills @buf (nodesize bytes, aligned) with the block at @ref. Returns BTRFS_WALK_CONTINUE only
	 * for a block whose identity holds and whose slots may be used; BTRFS_WALK_SKIP otherwise (a
	 * shared block seen in another tree, or a bad one: reporting is its job); -errno ends the walk.
	 */
	int (*read)(void *arg, const struct btrfs_block_ref *ref, void *buf);
	/* Optional. A node or leaf after it was read. Returns as read(): SKIP does not descend. */
	int (*node)(void *arg, const struct btrfs_block_ref *ref, const void *node);
	int (*leaf)(void *arg, const struct btrfs_block_ref *ref, const void *leaf);
	/* Optional. The shape of the tree is wrong: a block met twice (R-TB6). The child is skipped. */
	void (*bad_shape)(void *arg, const struct btrfs_block_ref *ref, const char *text);
};

/*
 * Walks the tree at @root. What was freed by a removal that is under way is left out (R-TB5).
 * Memory: one block per level and 16 to 32 bytes per block of the tree (to see a block met twice).
 * Returns 0, or -errno from a callback or -ENOMEM.
 */
int btrfs_walk_tree(const struct btrfs_image *image, const struct btrfs_tree_root *root,
		    const struct btrfs_walk_ops *ops, void *arg);

/* An ops->read that takes any good copy and skips what has none; @arg is ignored but for the image. */
int btrfs_walk_read_any(const struct btrfs_image *image, const struct btrfs_block_ref *ref, void *buf);

#endif
