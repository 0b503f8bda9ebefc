/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data that ought to have checksums and has none (reliability rule R-DA4), seen from the file
 * extents: reading it fails in the kernel, though nothing else is wrong.
 */
#ifndef BO_SCRUB_MISSING_CSUM_H
#define BO_SCRUB_MISSING_CSUM_H

#include "reader/bytenr-set.h"
#include "reader/csum-lookup.h"
#include "scrub/run.h"

struct missing_csum_checker {
	struct scrub *run;
	bool ready;			/* there is a csum tree to ask */
	struct btrfs_csum_lookup lookup;
	struct bytenr_set reported;	/* starts of ranges: several files may share them */
	/* the inode that was met last */
	u64 tree;
	u64 inode;
	bool nodatasum;
};

/* Returns 0 or -ENOMEM. Release it in any case. */
int missing_csum_init(struct missing_csum_checker *checker, struct scrub *run);
void missing_csum_release(struct missing_csum_checker *checker);

/* Items that passed the tree-checker, in the order of the tree. */
void missing_csum_inode(struct missing_csum_checker *checker, const struct btrfs_tree_root *root,
			const struct btrfs_key *key, const struct btrfs_inode_item *item);
/* Returns 0 or -ENOMEM. */
int missing_csum_extent(struct missing_csum_checker *checker, const struct btrfs_tree_root *root,
			const struct btrfs_key *key, const struct btrfs_file_extent_item *item);

#endif
