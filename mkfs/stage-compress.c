// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * TRANSFORM: compression of what was read, in its own buffer, which only gets emptier by it. What does not save a
 * sector stays as it is.
 */
#include <string.h>

#include "mkfs/data-block.h"

static struct compression wanted(const struct data_block *block, const struct data_extent *extent)
{
	return block->segments[extent->segment].file->compress;
}

void data_block_cut(struct data_block *block)
{
	u32 from = block->nr_extents, to, extra = 0, i;

	for (i = 0; i < block->nr_extents; i++) {
		if (wanted(block, &block->extents[i]).type)
			extra += (block->extents[i].len - 1) / COMPRESSION_MAX_INPUT;
	}
	/* from the back, so that nothing is overwritten that is still needed */
	to = block->nr_extents += extra;
	while (from < to) {
		const struct data_extent whole = block->extents[--from];
		u32 start = whole.len;

		if (!wanted(block, &whole).type) {
			block->extents[--to] = whole;
			continue;
		}
		while (start) {
			struct data_extent *piece = &block->extents[--to];
			const u32 end = start;

			start = (end - 1) / COMPRESSION_MAX_INPUT * COMPRESSION_MAX_INPUT;
			*piece = whole;
			piece->offset += start;
			piece->read_offset += start;
			piece->buffer_offset += start;
			piece->len = piece->disk_len = end - start;
		}
	}
}

/* Bytes that come first in the buffer make room there: @to is never behind @from. */
static void move_up(struct data_block *block, u32 to, const u8 *from, u32 len, u32 padded)
{
	if (block->data + to != from)
		memmove(block->data + to, from, len);
	memset(block->data + to + len, 0, padded - len);
}

static int compress_extents(struct data_block *block, struct compressor *compressor)
{
	const u32 sectorsize = block->layout->sectorsize;
	u32 i, used = 0;

	for (i = 0; i < block->nr_extents; i++) {
		struct data_extent *extent = &block->extents[i];
		const struct compression how = wanted(block, extent);
		const u8 *from = block->data + extent->buffer_offset, *out = from;
		ssize_t got = 0;

		if (how.type && extent->len > sectorsize)
			got = compressor_run(compressor, how, from, extent->len, extent->len - sectorsize, &out);
		if (got < 0)
			return (int)got;
		if (got) {
			extent->compression = how.type;
			extent->disk_len = ALIGN_UP((u32)got, sectorsize);
			from = out;
		}
		move_up(block, used, from, got ? (u32)got : extent->len, extent->disk_len);
		extent->buffer_offset = used;
		used += extent->disk_len;
	}
	block->used = used;
	return 0;
}

static int compress_inline(struct data_block *block, struct compressor *compressor)
{
	u32 i, used = 0;

	for (i = 0; i < block->nr_segments; i++) {
		struct data_segment *segment = &block->segments[i];
		const struct compression how = segment->file->compress;
		const u8 *from = block->data + segment->buffer_offset, *out;
		ssize_t got = 0;

		if (how.type && segment->stored > 1)
			got = compressor_run(compressor, how, from, segment->stored, segment->stored - 1, &out);
		if (got < 0)
			return (int)got;
		if (got) {
			segment->compression = how.type;
			segment->stored = (u32)got;
			from = out;
		}
		move_up(block, used, from, segment->stored, segment->stored);
		segment->buffer_offset = used;
		used += segment->stored;
	}
	block->used = used;
	return 0;
}

int data_block_compress(struct data_block *block, struct compressor *compressor)
{
	return block->kind == DATA_BLOCK_INLINE ? compress_inline(block, compressor) :
						  compress_extents(block, compressor);
}
