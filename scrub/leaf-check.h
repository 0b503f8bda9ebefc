/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The items of leaves: the tree-checker, and what only a reader of the whole tree can see.
 */
#ifndef BO_SCRUB_LEAF_CHECK_H
#define BO_SCRUB_LEAF_CHECK_H

#include "scrub/csum-items.h"
#include "scrub/missing-csum.h"
#include "scrub/run.h"

/* What goes on from leaf to leaf. */
struct leaf_checker {
	struct scrub *run;
	struct csum_item_checker csum_items;
	struct missing_csum_checker missing;
};

/* Returns 0 or -ENOMEM. Release it in any case. */
int leaf_checker_init(struct leaf_checker *checker, struct scrub *run);
void leaf_checker_release(struct leaf_checker *checker);

/* @leaf has a good identity and item table; @place is where it was read. 0 or -ENOMEM. */
int leaf_checker_add(struct leaf_checker *checker, const struct btrfs_tree_root *root,
		     const struct btrfs_block_ref *ref, const void *leaf, const struct btrfs_place *place);

#endif
