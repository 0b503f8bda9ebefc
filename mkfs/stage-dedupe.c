// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PLACE where data is shared: an extent of the block that is known already, or its known sectors, become
 * references; what is left moves together in the buffer and gets addresses.
 *
 * Every run of new data is an extent of its own: only an extent of final length can be referred to.
 */
#include <errno.h>
#include <string.h>

#include "mkfs/pipeline-internal.h"

_Static_assert(DATA_BLOCK_SIZE / SZ_4K <= DATA_BLOCK_EXTENTS, "a hash for each sector");

struct dedupe_pass {
	struct pipeline *pipeline;
	struct data_block *block;
	struct dedupe_table *table;
	u32 sectorsize;
	bool share;			/* what is at hand may be shared */
	u8 whole[DEDUPE_HASH_SIZE];	/* hash of the extent at hand */
	u32 used;			/* bytes that are left in the buffer */
	u32 nr;
	struct data_extent extents[DATA_BLOCK_EXTENTS + DATA_BLOCK_PIECES];
};

void data_block_hash(struct data_block *block)
{
	const u32 sectorsize = block->layout->sectorsize;
	u32 i;

	if (block->dedupe == MKFS_DEDUPE_BLOCK) {
		for (i = 0; i < block->used / sectorsize; i++)
			dedupe_hash(block->data + (size_t)i * sectorsize, sectorsize,
				    block->hashes + (size_t)i * DEDUPE_HASH_SIZE);
		return;
	}
	for (i = 0; i < block->nr_extents; i++)
		dedupe_hash(block->data + block->extents[i].buffer_offset, block->extents[i].len,
			    block->hashes + (size_t)i * DEDUPE_HASH_SIZE);
}

static struct data_extent *new_extent(struct dedupe_pass *pass)
{
	return pass->nr < ARRAY_SIZE(pass->extents) ? &pass->extents[pass->nr++] : NULL;
}

/* Takes @len bytes of the block from @from on to the end of what was taken before. */
static void take_bytes(struct dedupe_pass *pass, u32 from, u32 len)
{
	struct data_block *block = pass->block;
	const u32 csum_size = block->layout->csum->size;

	if (from == pass->used)
		return;
	memmove(block->data + pass->used, block->data + from, len);
	if (block->csum_done)
		memmove(block->csums + (size_t)(pass->used / pass->sectorsize) * csum_size,
			block->csums + (size_t)(from / pass->sectorsize) * csum_size,
			(size_t)(len / pass->sectorsize) * csum_size);
}

static int remember(struct dedupe_pass *pass, const struct data_extent *from, const struct data_extent *placed)
{
	const u32 index = (u32)(from - pass->block->extents);
	const u32 skipped = (u32)(placed->offset - from->offset);
	struct dedupe_place place = placed->place;
	int ret = 0;

	if (pass->block->dedupe != MKFS_DEDUPE_BLOCK) {
		if (placed->len != from->len)
			return 0;	/* cut by a chunk's border */
		return dedupe_add(pass->table, pass->block->hashes + (size_t)index * DEDUPE_HASH_SIZE, &place);
	}
	for (; !ret && place.offset < placed->len; place.offset += pass->sectorsize) {
		const u32 sector = (from->read_offset + skipped + place.offset) / pass->sectorsize;

		ret = dedupe_add(pass->table, pass->block->hashes + (size_t)sector * DEDUPE_HASH_SIZE, &place);
	}
	return ret;
}

/* Bytes [@start, @end) of an extent are new. */
static int place_new(struct dedupe_pass *pass, const struct data_extent *from, u32 start, u32 end)
{
	while (start < end) {
		struct data_extent *extent = new_extent(pass);
		u64 logical, got;
		int ret;

		if (!extent)
			return -EFBIG;
		ret = data_space_claim(pass->pipeline->options.space, end - start, &logical, &got);
		if (ret)
			return ret;
		take_bytes(pass, from->buffer_offset + start, (u32)got);
		ret = place_part(pass->pipeline, pass->block, logical, (u32)got);
		if (ret)
			return ret;
		*extent = (struct data_extent){
			.segment = from->segment,
			.buffer_offset = pass->used,
			.offset = from->offset + start,
			.len = (u32)got,
			.disk_len = (u32)got,
			.place = { .bytenr = logical, .len = (u32)got, .ram_len = (u32)got },
		};
		pass->used += (u32)got;
		start += (u32)got;
		ret = pass->share ? remember(pass, from, extent) : 0;
		if (ret)
			return ret;
	}
	return 0;
}

/* @len bytes of an extent from @start on lie at @place already. */
static int place_shared(struct dedupe_pass *pass, const struct data_extent *from, u32 start, u32 len,
			const struct dedupe_place *place)
{
	struct data_extent *last = pass->nr ? &pass->extents[pass->nr - 1] : NULL;

	if (last && last->shared && last->segment == from->segment && last->place.bytenr == place->bytenr &&
	    last->offset + last->len == from->offset + start && last->place.offset + last->len == place->offset) {
		last->len += len;
		return 0;
	}
	last = new_extent(pass);
	if (!last)
		return -EFBIG;
	*last = (struct data_extent){
		.segment = from->segment,
		.offset = from->offset + start,
		.len = len,
		.shared = true,
		.place = *place,
	};
	return 0;
}

static const u8 *sector_hash(const struct dedupe_pass *pass, const struct data_extent *from, u32 at)
{
	return pass->block->hashes + (size_t)((from->read_offset + at) / pass->sectorsize) * DEDUPE_HASH_SIZE;
}

/* Has a sector of the run that is still open the same content as the one at its end? */
static bool repeats(const struct dedupe_pass *pass, const struct data_extent *from, u32 start, u32 end)
{
	const u8 *hash = sector_hash(pass, from, end);

	for (; start < end; start += pass->sectorsize) {
		if (!memcmp(sector_hash(pass, from, start), hash, DEDUPE_HASH_SIZE))
			return true;
	}
	return false;
}

static int share_sectors(struct dedupe_pass *pass, const struct data_extent *from)
{
	u32 at, open = 0;
	int ret = 0;

	for (at = 0; !ret && at < from->len; at += pass->sectorsize) {
		struct dedupe_place place;

		if (repeats(pass, from, open, at)) {
			ret = place_new(pass, from, open, at);
			open = at;
		}
		if (ret || !dedupe_find(pass->table, sector_hash(pass, from, at), &place))
			continue;
		ret = place_new(pass, from, open, at);
		if (!ret)
			ret = place_shared(pass, from, at, pass->sectorsize, &place);
		open = at + pass->sectorsize;
	}
	return ret ? ret : place_new(pass, from, open, from->len);
}

/* Of an extent as a whole: where sectors have hashes, a hash of these. */
static const u8 *extent_hash(struct dedupe_pass *pass, const struct data_extent *from)
{
	if (pass->block->dedupe != MKFS_DEDUPE_BLOCK)
		return pass->block->hashes + (size_t)(from - pass->block->extents) * DEDUPE_HASH_SIZE;
	dedupe_hash(sector_hash(pass, from, 0), from->len / pass->sectorsize * DEDUPE_HASH_SIZE, pass->whole);
	return pass->whole;
}

static int place_new_compressed(struct dedupe_pass *pass, const struct data_extent *from)
{
	struct data_extent *extent = new_extent(pass);
	u64 logical;
	int ret;

	if (!extent)
		return -EFBIG;
	ret = data_space_claim_whole(pass->pipeline->options.space, from->disk_len, &logical);
	if (ret)
		return ret;
	take_bytes(pass, from->buffer_offset, from->disk_len);
	*extent = *from;
	extent->buffer_offset = pass->used;
	extent->place = (struct dedupe_place){
		.bytenr = logical, .len = from->disk_len, .ram_len = from->len, .compression = from->compression,
	};
	pass->used += from->disk_len;
	return place_part(pass->pipeline, pass->block, logical, from->disk_len);
}

/* Compressed data is shared as a whole or not at all. */
static int share_compressed(struct dedupe_pass *pass, const struct data_extent *from)
{
	const u8 *hash = extent_hash(pass, from);
	struct dedupe_place place;
	int ret;

	if (dedupe_find(pass->table, hash, &place))
		return place_shared(pass, from, 0, from->len, &place);
	ret = place_new_compressed(pass, from);
	return ret ? ret : dedupe_add(pass->table, hash, &pass->extents[pass->nr - 1].place);
}

static int share_extent(struct dedupe_pass *pass, const struct data_extent *from)
{
	const u8 *hash = extent_hash(pass, from);
	struct dedupe_place place;

	if (dedupe_find(pass->table, hash, &place))
		return place_shared(pass, from, 0, from->len, &place);
	return place_new(pass, from, 0, from->len);
}

int dedupe_block(struct pipeline *pipeline, struct data_block *block)
{
	struct dedupe_pass pass = {
		.pipeline = pipeline,
		.block = block,
		.table = pipeline->options.dedupe_table,
		.sectorsize = block->layout->sectorsize,
	};
	u32 i;
	int ret = 0;

	for (i = 0; !ret && i < block->nr_extents; i++) {
		const struct import_file *file = block->segments[block->extents[i].segment].file;

		/* an extent has checksums for all its files or for none, and nobody shares what is written in place */
		pass.share = !(file->flags & (BTRFS_INODE_NODATACOW | BTRFS_INODE_NODATASUM));
		if (block->extents[i].compression)
			ret = share_compressed(&pass, &block->extents[i]);
		else if (!pass.share)
			ret = place_new(&pass, &block->extents[i], 0, block->extents[i].len);
		else if (block->dedupe == MKFS_DEDUPE_BLOCK)
			ret = share_sectors(&pass, &block->extents[i]);
		else
			ret = share_extent(&pass, &block->extents[i]);
	}
	memcpy(block->extents, pass.extents, pass.nr * sizeof(pass.extents[0]));
	block->nr_extents = pass.nr;
	block->used = pass.used;
	return ret;
}
