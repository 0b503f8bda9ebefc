// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Merges checksums and extents: see data-stream.h.
 */
#include <errno.h>
#include <string.h>

#include "common/checked.h"
#include "scrub/data-stream.h"

int data_stream_init(struct data_stream *stream, const struct btrfs_image *image,
		     const struct btrfs_tree_root *sums, const struct btrfs_tree_root *extents)
{
	int ret = 0;

	memset(stream, 0, sizeof(*stream));
	stream->image = image;
	if (sums) {
		ret = btrfs_csum_lookup_init(&stream->sums, image, sums);
		stream->has_sums = !ret;
	}
	if (!ret && extents) {
		ret = btrfs_cursor_init(&stream->extents, image, extents);
		stream->has_extents = !ret;
	}
	return ret;
}

void data_stream_release(struct data_stream *stream)
{
	if (stream->has_sums)
		btrfs_csum_lookup_release(&stream->sums);
	if (stream->has_extents)
		btrfs_cursor_release(&stream->extents);
}

static int next_run(struct data_stream *stream)
{
	int ret = stream->has_sums ? btrfs_csum_next(&stream->sums, stream->end, &stream->run) : 1;

	if (ret)
		stream->run = (struct btrfs_csum_run){ 0 };
	return ret < 0 ? ret : 0;
}

/* Length of the extent whose item is under the cursor, and its kind; 0: none, or not of a kind that counts. */
static u64 extent_length(const struct data_stream *stream, bool *tree)
{
	const struct btrfs_cursor *cursor = &stream->extents;
	const struct btrfs_extent_item *item = cursor->item;
	u64 flags;

	*tree = true;
	if (cursor->key.type == BTRFS_METADATA_ITEM_KEY)
		return stream->trees ? stream->image->check.nodesize : 0;
	if (cursor->key.type != BTRFS_EXTENT_ITEM_KEY || cursor->size < sizeof(*item))
		return 0;
	flags = le64_to_cpu(item->flags);
	if (flags & BTRFS_EXTENT_FLAG_DATA) {
		*tree = false;
		return cursor->key.offset;
	}
	return (flags & BTRFS_EXTENT_FLAG_TREE_BLOCK) && stream->trees ? cursor->key.offset : 0;
}

/* Takes the item under the cursor if it is an extent behind the one before. */
static bool take_extent(struct data_stream *stream)
{
	const u64 start = stream->extents.key.objectid;
	bool tree;
	const u64 len = extent_length(stream, &tree);
	u64 end;

	if (!len || !IS_ALIGNED(start | len, stream->image->check.sectorsize) ||
	    check_add_overflow(start, len, &end) || start < stream->extent_end)
		return false;
	stream->extent_start = start;
	stream->extent_end = MIN(end, stream->end);
	stream->extent_is_tree = tree;
	return true;
}

/* @ret is what brought the cursor where it is. */
static int find_extent(struct data_stream *stream, int ret)
{
	while (!ret && stream->extents.key.objectid < stream->end) {
		if (take_extent(stream))
			return 0;
		ret = btrfs_cursor_next(&stream->extents);
	}
	stream->extents_done = true;
	stream->extent_start = stream->end;
	stream->extent_end = stream->end;
	return ret < 0 ? ret : 0;
}

static int next_extent(struct data_stream *stream)
{
	if (stream->extents_done)
		return 0;
	return find_extent(stream, btrfs_cursor_next(&stream->extents));
}

int data_stream_seek(struct data_stream *stream, u64 start, u64 end)
{
	const struct btrfs_key key = { .objectid = start };
	int ret = 0;

	stream->position = start;
	stream->end = end;
	stream->extent_start = start;
	stream->extent_end = start;
	stream->extents_done = !stream->has_extents;
	if (stream->has_sums)
		ret = btrfs_csum_seek(&stream->sums, start);
	if (!ret)
		ret = next_run(stream);
	if (ret < 0)
		return ret;
	if (!stream->has_extents)
		return find_extent(stream, 1);
	ret = btrfs_cursor_seek(&stream->extents, &key);
	return ret < 0 ? ret : find_extent(stream, ret);
}

static u64 run_end(const struct data_stream *stream)
{
	return stream->run.logical + (u64)stream->run.nr_sectors * stream->image->check.sectorsize;
}

/* Leaves behind what ends at the position. */
static int advance(struct data_stream *stream)
{
	int ret = 0;

	while (!ret && stream->run.nr_sectors && run_end(stream) <= stream->position)
		ret = next_run(stream);
	while (!ret && !stream->extents_done && stream->extent_end <= stream->position)
		ret = next_extent(stream);
	return ret;
}

/* Where [@start, @end) next begins or ends, seen from @position. */
static u64 next_border(u64 position, u64 start, u64 end)
{
	return start <= position ? end : start;
}

int data_stream_next(struct data_stream *stream, struct data_range *range)
{
	const u32 sectorsize = stream->image->check.sectorsize;
	bool in_run, in_extent;
	u64 border;
	int ret;

	do {
		ret = advance(stream);
		if (ret)
			return ret;
		if (!stream->run.nr_sectors && stream->extents_done)
			return 1;
		in_run = stream->run.nr_sectors && stream->run.logical <= stream->position;
		in_extent = !stream->extents_done && stream->extent_start <= stream->position;
		border = stream->end;
		if (stream->run.nr_sectors)
			border = MIN(border, next_border(stream->position, stream->run.logical,
							 run_end(stream)));
		if (!stream->extents_done)
			border = MIN(border, next_border(stream->position, stream->extent_start,
							 stream->extent_end));
		*range = (struct data_range){
			.start = stream->position,
			.end = border,
			.allocated = in_extent,
			.extent_begins = in_extent && stream->extent_start == stream->position,
			.tree = in_extent && stream->extent_is_tree,
		};
		if (in_run)
			range->sums = stream->run.sums + stream->image->check.csum_size *
				      ((stream->position - stream->run.logical) / sectorsize);
		stream->position = border;
		if (range->start >= stream->end)
			return 1;
	} while (!in_run && !in_extent);
	return 0;
}
