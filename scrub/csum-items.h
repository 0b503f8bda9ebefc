/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checksum items against each other and against the chunk map (reliability rule R-DA2); the inside
 * of one item and its neighbour in the leaf are the tree-checker's job.
 */
#ifndef BO_SCRUB_CSUM_ITEMS_H
#define BO_SCRUB_CSUM_ITEMS_H

#include "scrub/run.h"

struct csum_item_checker {
	struct scrub *run;
	u64 end;		/* of the item before */
};

struct csum_item_place {
	const struct btrfs_block_ref *ref;
	const struct btrfs_place *place;
};

void csum_item_checker_init(struct csum_item_checker *checker, struct scrub *run);
/* Items of the csum tree that passed the tree-checker, in order. */
void csum_item_check(struct csum_item_checker *checker, const struct btrfs_key *key, u32 size,
		     const struct csum_item_place *where);

#endif
