/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checksums of data by logical address, from the csum tree (or the csum items of a log
 * tree). A look-up belongs to one thread; several may read one image at once.
 */
#ifndef BO_READER_CSUM_LOOKUP_H
#define BO_READER_CSUM_LOOKUP_H

#include "reader/tree-search.h"

struct btrfs_csum_lookup {
	struct btrfs_cursor cursor;
	u64 position;		/* everything below it has been given out by btrfs_csum_next() */
	bool at_item;		/* the cursor stands on an item that may still have sums */
};

/* Sums of neighbouring sectors out of one item. */
struct btrfs_csum_run {
	u64 logical;		/* of the first sector */
	u32 nr_sectors;
	const u8 *sums;		/* nr_sectors times csum_size; valid until the next call */
};

/* @root: the csum tree, or a log tree. Returns 0 or -ENOMEM. @image outlives the look-up. */
int btrfs_csum_lookup_init(struct btrfs_csum_lookup *lookup, const struct btrfs_image *image,
			   const struct btrfs_tree_root *root);
void btrfs_csum_lookup_release(struct btrfs_csum_lookup *lookup);

/*
 * Is there any checksum inside [@logical, +@len)? Collects nothing: the first item that
 * reaches into the range ends the search. Returns 0 with *exists; -EUCLEAN: none was found, but
 * a part of the tree that could hold one is lost; -ENOMEM.
 */
int btrfs_csum_exists(struct btrfs_csum_lookup *lookup, u64 logical, u64 len, bool *exists);

/*
 * Streams the sums of a range: seek to its start, then next() until it returns 1.
 * next() clips at @end. Runs come in ascending order without overlap (an item that
 * overlaps its predecessor is cut). Malformed items are passed over: finding them is the
 * tree walk's job. Returns 0; 1: no more below @end; -ENOMEM.
 * Lost blocks are counted in lookup->cursor.skipped_blocks.
 */
int btrfs_csum_seek(struct btrfs_csum_lookup *lookup, u64 logical);
int btrfs_csum_next(struct btrfs_csum_lookup *lookup, u64 end, struct btrfs_csum_run *run);

/* All runs of [@logical, +@len) to @each; it returns 0, or non-zero to stop, which is then the result. */
int btrfs_csum_collect(struct btrfs_csum_lookup *lookup, u64 logical, u64 len,
		       int (*each)(void *arg, const struct btrfs_csum_run *run), void *arg);

#endif
