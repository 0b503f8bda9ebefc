// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * READ: the segments of a block, one after the other, into its private buffer. Holes and
 * whatever a file lost since it was listed take no room, so the buffer stays dense. Bytes that
 * did not come from the file are zeros.
 */
#include <errno.h>
#include <string.h>

#include "mkfs/data-block.h"

static void add_extent(struct data_block *block, u32 segment, u64 offset, u32 len)
{
	block->extents[block->nr_extents++] = (struct data_extent){
		.segment = segment,
		.read_offset = block->used,
		.buffer_offset = block->used,
		.offset = offset,
		.len = len,
		.disk_len = len,
	};
	block->used += len;
}

/* [start, end) of the file; what follows up to the next sector is zeroed. */
static int read_range(struct data_block *block, u32 nr, u64 start, u64 end)
{
	struct data_segment *segment = &block->segments[nr];
	const u32 sectorsize = block->layout->sectorsize;
	u32 len = (u32)(end - start), padded = ALIGN_UP(len, sectorsize);
	u8 *buffer = block->data + block->used;
	size_t got = 0;
	int ret;

	ret = source_file_read(segment->file->source, buffer, start, len, &got, &segment->state);
	if (ret)
		return ret;
	if (got) {
		u32 kept = ALIGN_UP((u32)got, sectorsize);

		memset(buffer + len, 0, padded - len);
		add_extent(block, nr, start, kept);
	}
	segment->end = start + got;
	return 0;
}

/*
 * The data ranges of a whole small file. When the block has no room for more extents, what is left is
 * read as one range, holes and all.
 */
static int read_whole(struct data_block *block, u32 nr)
{
	struct data_segment *segment = &block->segments[nr];
	const u32 sectorsize = block->layout->sectorsize;
	const u64 size = segment->file->size;
	u64 offset = 0, start, end;
	int ret = 0;

	segment->end = size;	/* unless a read says less: a hole at the end is part of the file */
	while (offset < size) {
		ret = source_file_next_data(segment->file->source, offset, &start, &end);
		if (ret <= 0)
			break;
		/* holes inside a sector are no holes here */
		start = MAX(ALIGN_DOWN(start, sectorsize), offset);
		end = MIN(ALIGN_UP(end, sectorsize), size);
		if (block->nr_extents + (block->nr_segments - nr) + 1 >= DATA_BLOCK_EXTENTS)
			end = size;
		ret = read_range(block, nr, start, end);
		if (ret || segment->state == SOURCE_FILE_CHANGED)
			break;
		offset = end;
		segment->end = size;
	}
	source_file_close(segment->file->source);
	return ret < 0 ? ret : 0;
}

static int read_inline(struct data_block *block, u32 nr)
{
	struct data_segment *segment = &block->segments[nr];
	size_t got = 0;
	int ret;

	segment->buffer_offset = block->used;
	ret = source_file_read(segment->file->source, block->data + block->used, 0, segment->len, &got,
			       &segment->state);
	source_file_close(segment->file->source);
	if (ret)
		return ret;
	segment->end = got;
	segment->stored = (u32)got;
	block->used += (u32)got;
	return 0;
}

static int read_segment(struct data_block *block, u32 nr)
{
	struct data_segment *segment = &block->segments[nr];

	if (block->kind == DATA_BLOCK_INLINE)
		return read_inline(block, nr);
	if (segment->whole)
		return read_whole(block, nr);
	return read_range(block, nr, segment->offset, segment->offset + segment->len);
}

void data_block_csum(struct data_block *block)
{
	const struct mkfs_layout *layout = block->layout;

	csum_blocks(layout->csum, block->data, layout->sectorsize, block->used / layout->sectorsize, block->csums);
	block->csum_done = true;
}

static int transform(struct data_block *block, struct compressor *compressor)
{
	const bool regular = block->kind == DATA_BLOCK_REGULAR;

	if (compressor && regular)
		data_block_cut(block);
	if (block->hashes && regular)
		data_block_hash(block);
	return compressor ? data_block_compress(block, compressor) : 0;
}

void data_block_read(struct data_block *block, struct compressor *compressor)
{
	u32 i;

	block->used = 0;
	block->nr_extents = 0;
	block->csum_done = false;
	for (i = 0; i < block->nr_segments; i++) {
		struct data_segment *segment = &block->segments[i];

		segment->state = SOURCE_FILE_SAME;
		segment->compression = COMPRESSION_NONE;
		segment->error = read_segment(block, i);
		if (segment->error)
			return;
	}
	block->read = block->used;
	block->segments[0].error = transform(block, compressor);
	if (block->csum_in_worker)
		data_block_csum(block);
}
