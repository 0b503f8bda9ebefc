// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PLACE: the one stage that touches shared state, in submission order and in one thread.
 * A block gets the next addresses of data space; what it holds is reported file by file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "mkfs/pipeline-internal.h"

static int read_failed(const struct data_segment *segment)
{
	char *path = source_file_path(segment->file->source);

	error("reading %s: %s", path ? path : "a file", strerror(-segment->error));
	free(path);
	return segment->error;
}

int place_part(struct pipeline *pipeline, struct data_block *block, u64 logical, u32 len)
{
	struct write_buffer *last = block->nr_parts ? &block->parts[block->nr_parts - 1] : NULL;
	u8 *data = last ? last->data + last->len : block->data;

	if (last && last->logical + last->len == logical && logical != pipeline->options.space->chunk->start) {
		last->len += len;
		return 0;
	}
	if (block->nr_parts == DATA_BLOCK_PARTS)
		return -EFBIG;
	last = &block->parts[block->nr_parts++];
	last->logical = logical;
	last->data = data;
	last->len = len;
	last->clones = pipeline->options.reflink ? &data_block_clones : NULL;
	last->owner = block;
	return 0;
}

static int report_deduped(struct pipeline *pipeline, struct data_block *block, const struct data_extent *extent)
{
	const struct place_ops *ops = &pipeline->options.ops;
	struct import_file *file = block->segments[extent->segment].file;

	if (extent->shared)
		return ops->shared(ops->arg, file, extent->offset, &extent->place, extent->len);
	if (extent->compression)
		return ops->compressed(ops->arg, file, extent);
	return ops->extent(ops->arg, file, extent->offset, extent->place.bytenr, extent->len);
}

static int place_compressed(struct pipeline *pipeline, struct data_block *block, struct data_extent *extent)
{
	const struct place_ops *ops = &pipeline->options.ops;
	int ret = data_space_claim_whole(pipeline->options.space, extent->disk_len, &extent->place.bytenr);

	if (!ret)
		ret = place_part(pipeline, block, extent->place.bytenr, extent->disk_len);
	return ret ? ret : ops->compressed(ops->arg, block->segments[extent->segment].file, extent);
}

/* An extent that crosses from one chunk into the next becomes two. */
static int place_plain(struct pipeline *pipeline, struct data_block *block, const struct data_extent *extent)
{
	const struct place_ops *ops = &pipeline->options.ops;
	struct import_file *file = block->segments[extent->segment].file;
	u64 done, logical, got;
	int ret = 0;

	for (done = 0; !ret && done < extent->len; done += got) {
		ret = data_space_claim(pipeline->options.space, extent->len - done, &logical, &got);
		if (!ret)
			ret = place_part(pipeline, block, logical, (u32)got);
		if (!ret)
			ret = ops->extent(ops->arg, file, extent->offset + done, logical, got);
	}
	return ret;
}

static int place_extent_of(struct pipeline *pipeline, struct data_block *block, struct data_extent *extent)
{
	if (block->dedupe)
		return report_deduped(pipeline, block, extent);
	return extent->compression ? place_compressed(pipeline, block, extent) : place_plain(pipeline, block, extent);
}

static int report_inline(struct pipeline *pipeline, struct data_block *block, const struct data_segment *segment)
{
	const struct place_ops *ops = &pipeline->options.ops;

	if (!segment->end)
		return 0;
	pipeline->bytes += segment->end;
	return ops->inline_data(ops->arg, segment->file, block->data + segment->buffer_offset, segment);
}

int place_block(struct pipeline *pipeline, struct data_block *block)
{
	const struct place_ops *ops = &pipeline->options.ops;
	u32 i, extent = 0;
	int ret = 0;

	for (i = 0; i < block->nr_segments; i++) {
		if (block->segments[i].error)
			return read_failed(&block->segments[i]);
	}
	block->nr_parts = 0;
	if (block->kind == DATA_BLOCK_REGULAR && block->dedupe)
		ret = dedupe_block(pipeline, block);
	if (!ret && block->kind == DATA_BLOCK_REGULAR && pipeline->options.reflink)
		data_block_keep_sources(block);
	for (i = 0; !ret && i < block->nr_segments; i++) {
		while (!ret && extent < block->nr_extents && block->extents[extent].segment == i)
			ret = place_extent_of(pipeline, block, &block->extents[extent++]);
		if (!ret && block->kind == DATA_BLOCK_INLINE)
			ret = report_inline(pipeline, block, &block->segments[i]);
		if (!ret)
			ret = ops->segment(ops->arg, block->segments[i].file, &block->segments[i]);
	}
	return ret;
}
