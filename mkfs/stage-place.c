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

static int claim_parts(struct pipeline *pipeline, struct data_block *block)
{
	u32 done = 0;

	block->nr_parts = 0;
	while (done < block->used) {
		struct write_buffer *part = &block->parts[block->nr_parts];
		u64 got;
		int ret;

		if (block->nr_parts == DATA_BLOCK_PARTS)
			return -EFBIG;
		ret = data_space_claim(pipeline->options.space, block->used - done, &part->logical, &got);
		if (ret)
			return ret;
		part->data = block->data + done;
		part->len = (u32)got;
		block->nr_parts++;
		done += (u32)got;
	}
	return 0;
}

static int report_deduped(struct pipeline *pipeline, struct data_block *block, const struct data_extent *extent)
{
	const struct place_ops *ops = &pipeline->options.ops;
	struct import_file *file = block->segments[extent->segment].file;

	if (extent->shared)
		return ops->shared(ops->arg, file, extent->offset, &extent->place, extent->len);
	return ops->extent(ops->arg, file, extent->offset, extent->place.bytenr, extent->len);
}

/* An extent that crosses from one chunk into the next becomes two. */
static int report_extent(struct pipeline *pipeline, struct data_block *block, const struct data_extent *extent)
{
	const struct place_ops *ops = &pipeline->options.ops;
	struct import_file *file = block->segments[extent->segment].file;
	u32 part_start = 0;
	unsigned i;
	int ret = 0;

	if (block->dedupe)
		return report_deduped(pipeline, block, extent);
	for (i = 0; !ret && i < block->nr_parts; i++) {
		const struct write_buffer *part = &block->parts[i];
		u32 start = MAX(extent->buffer_offset, part_start);
		u32 end = MIN(extent->buffer_offset + extent->len, part_start + part->len);

		if (start < end)
			ret = ops->extent(ops->arg, file, extent->offset + (start - extent->buffer_offset),
					  part->logical + (start - part_start), end - start);
		part_start += part->len;
	}
	return ret;
}

static int report_inline(struct pipeline *pipeline, struct data_block *block, const struct data_segment *segment)
{
	const struct place_ops *ops = &pipeline->options.ops;

	if (!segment->end)
		return 0;
	pipeline->bytes += segment->end;
	return ops->inline_data(ops->arg, segment->file, block->data + segment->buffer_offset, (u32)segment->end);
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
	if (block->kind == DATA_BLOCK_REGULAR)
		ret = block->dedupe ? dedupe_block(pipeline, block) : claim_parts(pipeline, block);
	for (i = 0; !ret && i < block->nr_segments; i++) {
		while (!ret && extent < block->nr_extents && block->extents[extent].segment == i)
			ret = report_extent(pipeline, block, &block->extents[extent++]);
		if (!ret && block->kind == DATA_BLOCK_INLINE)
			ret = report_inline(pipeline, block, &block->segments[i]);
		if (!ret)
			ret = ops->segment(ops->arg, block->segments[i].file, &block->segments[i]);
	}
	return ret;
}
