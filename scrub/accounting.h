/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums gathered while trees are walked: how much of each chunk is allocated, and which
 * device extents there are. One record per chunk.
 */
#ifndef BO_SCRUB_ACCOUNTING_H
#define BO_SCRUB_ACCOUNTING_H

#include "reader/fs.h"

struct chunk_account {
	u64 used_item;		/* as the BLOCK_GROUP_ITEM says */
	u64 used_extents;	/* sum of its extents */
	u64 data_bytes;		/* those of file data among them */
	u32 device_extents;	/* that match one of its stripes */
	bool has_item;
	bool item_differs;	/* its length or type is not the chunk's */
};

/* Zero-initialised is empty. */
struct scrub_accounting {
	struct chunk_account *chunks;	/* number i belongs to chunks.maps[i] of the image */
	const struct btrfs_image *image;
	u64 lost_block_groups;		/* items without a chunk */
	u64 lost_extents;		/* outside of every chunk */
	u64 lost_device_extents;	/* that match no stripe */
	bool complete;			/* all extents were seen */
};

/* Returns 0 or -ENOMEM. @image outlives it. */
int scrub_accounting_init(struct scrub_accounting *accounting, const struct btrfs_image *image);
void scrub_accounting_release(struct scrub_accounting *accounting);

/* Items that passed the tree-checker. */
void scrub_account_block_group(struct scrub_accounting *accounting, const struct btrfs_key *key,
			       const struct btrfs_block_group_item *item);
void scrub_account_dev_extent(struct scrub_accounting *accounting, const struct btrfs_key *key,
			      const struct btrfs_dev_extent *item);
void scrub_account_extent(struct scrub_accounting *accounting, u64 bytenr, u64 len, bool data);

#endif
