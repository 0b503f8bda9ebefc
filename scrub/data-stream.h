/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two streams over one chunk, merged: checksums (csum tree) and allocated extents of file data, and
 * of tree blocks where asked for (extent tree). Says for each range what of it there is. Memory does not depend on
 * the chunk.
 *
 * Belongs to one thread.
 */
#ifndef BO_SCRUB_DATA_STREAM_H
#define BO_SCRUB_DATA_STREAM_H

#include "reader/csum-lookup.h"

struct data_range {
	u64 start;
	u64 end;
	bool allocated;
	bool extent_begins;		/* an extent starts here */
	bool tree;			/* the extent is a tree block */
	const u8 *sums;			/* of its sectors; NULL: no checksums. Valid until the next call */
};

struct data_stream {
	const struct btrfs_image *image;
	bool has_sums;			/* there is a tree of that kind */
	bool has_extents;
	bool trees;			/* set by the owner, before a seek: tree blocks count as well */
	struct btrfs_csum_lookup sums;
	struct btrfs_cursor extents;
	/* the chunk */
	u64 position;
	u64 end;
	struct btrfs_csum_run run;	/* nr_sectors 0: none left */
	u64 extent_start;		/* equal to extent_end: none left */
	u64 extent_end;
	bool extent_is_tree;
	bool extents_done;
};

/* @sums, @extents: roots of the trees, or NULL for none. 0 or -ENOMEM; release it in any case. */
int data_stream_init(struct data_stream *stream, const struct btrfs_image *image,
		     const struct btrfs_tree_root *sums, const struct btrfs_tree_root *extents);
void data_stream_release(struct data_stream *stream);

/* To the start of [@start, @end). Returns 0 or -ENOMEM. */
int data_stream_seek(struct data_stream *stream, u64 start, u64 end);
/* The next range that has anything, in ascending order. Returns 0; 1: the chunk ends; -ENOMEM. */
int data_stream_next(struct data_stream *stream, struct data_range *range);

/* Blocks of the extent tree were lost on the way: what is not allocated may be. */
static inline bool data_stream_lost_extents(const struct data_stream *stream)
{
	return !stream->has_extents || stream->extents.skipped_blocks;
}

#endif
