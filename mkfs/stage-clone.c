// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Data that is not written, but shared with the file that it was read from (--reflink). It was read all the same, for
 * its checksums; when the file is not what it was any more, the buffer is written.
 */
#include "mkfs/data-block.h"

#define UNIT	SZ_4K	/* smaller blocks of the host are fine, larger ones refuse what is not aligned to them */

void data_block_keep_sources(struct data_block *block)
{
	u32 i;

	for (i = 0; i < block->nr_extents; i++) {
		struct data_extent *extent = &block->extents[i];

		if (!extent->compression && !extent->shared)
			extent->source = source_file_get(block->segments[extent->segment].file->source);
	}
}

void data_block_drop_sources(struct data_block *block)
{
	u32 i;

	for (i = 0; i < block->nr_extents; i++) {
		source_file_put(block->extents[i].source);
		block->extents[i].source = NULL;
	}
}

/* Whole blocks of it that are in the file: what is behind its end are zeros of our own. */
static u32 cloneable(const struct data_extent *extent)
{
	const u64 size = source_file_size(extent->source);

	if (extent->offset >= size)
		return 0;
	return (u32)ALIGN_DOWN(MIN((u64)extent->len, size - extent->offset), UNIT);
}

static u32 first_byte(const struct write_buffer *buffer)
{
	const struct data_block *block = buffer->owner;

	return (u32)(buffer->data - block->data);
}

/* Extents lie in the buffer in their order. */
static const struct data_extent *find_extent(const struct data_block *block, u32 from, u32 *start, u32 *end)
{
	u32 i;

	for (i = 0; i < block->nr_extents; i++) {
		const struct data_extent *extent = &block->extents[i];

		if (!extent->source || extent->buffer_offset + cloneable(extent) <= from)
			continue;
		*start = MAX(from, extent->buffer_offset);
		*end = extent->buffer_offset + cloneable(extent);
		return extent;
	}
	return NULL;
}

static bool next_range(const struct write_buffer *buffer, u32 *offset, u32 *len, u32 end)
{
	const u32 base = first_byte(buffer);
	u32 from, to;

	if (!find_extent(buffer->owner, base + *offset, &from, &to))
		return false;
	to = MIN(to, base + end);
	if (from >= to)
		return false;
	*offset = from - base;
	*len = to - from;
	return true;
}

static int clone_range(const struct write_buffer *buffer, u32 offset, u32 len, int fd, u64 dest)
{
	u32 from, to;
	const struct data_block *block = buffer->owner;
	const struct data_extent *extent = find_extent(block, first_byte(buffer) + offset, &from, &to);
	int ret = source_file_clone(extent->source, extent->offset + from - extent->buffer_offset, len, fd, dest);

	/* READ is through with it, and so many files wait for their writes that descriptors would run out */
	if (block->segments[extent->segment].whole)
		source_file_close(extent->source);
	return ret;
}

const struct write_clones data_block_clones = {
	.next = next_range,
	.clone = clone_range,
};
