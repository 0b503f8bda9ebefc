/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is the inside of a tree block plausible? For hostile bytes: checks come
 * before use, nothing is followed, nothing is allocated.
 *
 * Whoever walks a tree first checks identity (disk-io.h), then calls
 * btrfs_check_leaf() or btrfs_check_node(), and then may use the slots that
 * were not reported.
 */
#ifndef BO_KERNEL_SHARED_TREE_CHECKER_H
#define BO_KERNEL_SHARED_TREE_CHECKER_H

#include "kernel-shared/ctree.h"
#include "kernel-shared/disk-io.h"

/* What the checker knows of the filesystem. */
struct btrfs_check_context {
	u32 nodesize;
	u32 sectorsize;
	u16 csum_size;
	u64 generation;		/* of the superblock; a log tree is one ahead */
	u64 incompat_flags;
	u64 total_bytes;	/* of the filesystem; 0: unknown */
};

/*
 * One finding. @slot is the item, or -1 for the block as a whole. @text is one
 * line for a person without the key, valid during the call.
 */
typedef void (*btrfs_check_report)(void *arg, int slot, const struct btrfs_key *key, const char *text);

/*
 * The item table alone: nritems, keys strictly ascending, payloads inside the leaf,
 * packed from its end without gap or overlap. Returns 0, or -EUCLEAN after at
 * least one report: then no slot may be used.
 */
int btrfs_check_leaf_items(const struct btrfs_check_context *ctx, const void *leaf,
			   btrfs_check_report report, void *arg);

/*
 * btrfs_check_leaf_items(), then every item by its kind (reliability section 2.6).
 * Returns the number of items that were reported and must be skipped, or -EUCLEAN
 * when the item table is bad. *unknown (may be NULL) counts items of types this
 * program does not know; those are no finding.
 */
int btrfs_check_leaf(const struct btrfs_check_context *ctx, const void *leaf,
		     btrfs_check_report report, void *arg, u64 *unknown);

/* One item of a leaf whose item table is good. Returns 0 or -EUCLEAN after one report; @report may be NULL here. */
int btrfs_check_item(const struct btrfs_check_context *ctx, const void *leaf, u32 slot,
		     btrfs_check_report report, void *arg);

/* nritems, keys ascending, every pointer non-zero and aligned. Returns 0 or -EUCLEAN. */
int btrfs_check_node(const struct btrfs_check_context *ctx, const void *node,
		     btrfs_check_report report, void *arg);

#endif
