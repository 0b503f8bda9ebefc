// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a worker does with a piece: hash all of it, and where that fails find the bad sectors one by
 * one and ask the other copies. Reads here are rare and block.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scrub/data-piece.h"

/* Sectors hashed before they are compared. */
#define BATCH	64

struct bad_sector {
	u64 logical;
	u64 physical;
	int error;
	const u8 *want;
	const u8 *got;
};

static bool good_elsewhere(struct data_piece *piece, const struct bad_sector *sector)
{
	const struct btrfs_image *image = piece->image;
	const int nr = btrfs_nr_copies(image, sector->logical, image->check.sectorsize);
	u8 *buffer = btrfs_block_buffer(image->check.sectorsize);
	u8 sum[CSUM_MAX_SIZE];
	bool good = false;
	int copy;

	if (!buffer)
		piece->error = -ENOMEM;
	for (copy = 0; copy < nr && buffer && !good; copy++) {
		if (copy == piece->copy ||
		    btrfs_read_copy(image, sector->logical, image->check.sectorsize, copy, buffer, NULL))
			continue;
		image->csum->digest(buffer, image->check.sectorsize, sum);
		good = !memcmp(sum, sector->want, image->check.csum_size);
	}
	free(buffer);
	return good;
}

static struct bad_run *new_run(struct data_piece *piece)
{
	if (piece->nr_bad == piece->bad_capacity) {
		const u32 more = piece->bad_capacity ? piece->bad_capacity * 2 : 4;
		struct bad_run *grown = reallocarray(piece->bad, more, sizeof(*grown));

		if (!grown) {
			piece->error = -ENOMEM;
			return NULL;
		}
		piece->bad = grown;
		piece->bad_capacity = more;
	}
	return &piece->bad[piece->nr_bad++];
}

static void add_bad_sector(struct data_piece *piece, const struct bad_sector *sector)
{
	const u32 sectorsize = piece->image->check.sectorsize;
	const u16 csum_size = piece->image->check.csum_size;
	const bool correctable = good_elsewhere(piece, sector);
	struct bad_run *run = piece->nr_bad ? &piece->bad[piece->nr_bad - 1] : NULL;

	if (sector->error)
		piece->sectors_unreadable++;
	else
		piece->sectors_bad++;
	if (run && run->error == sector->error && run->correctable == correctable &&
	    run->logical + (u64)run->nr_sectors * sectorsize == sector->logical &&
	    run->physical + (u64)run->nr_sectors * sectorsize == sector->physical) {
		run->nr_sectors++;
		return;
	}
	run = new_run(piece);
	if (!run)
		return;
	*run = (struct bad_run){
		.logical = sector->logical,
		.physical = sector->physical,
		.nr_sectors = 1,
		.error = sector->error,
		.correctable = correctable,
	};
	memcpy(run->want, sector->want, csum_size);
	if (sector->got)
		memcpy(run->got, sector->got, csum_size);
}

static struct bad_sector sector_at(const struct data_piece *piece, const struct data_segment *segment,
				   u32 index)
{
	const u64 distance = (u64)index * piece->image->check.sectorsize;

	return (struct bad_sector){
		.logical = segment->logical + distance,
		.physical = piece->physical + segment->offset + distance,
		.want = piece->sums + (size_t)(segment->first_sum + index) * piece->image->check.csum_size,
	};
}

/* The bytes are there. */
static void hash_segment(struct data_piece *piece, const struct data_segment *segment)
{
	const u32 sectorsize = piece->image->check.sectorsize;
	const u16 csum_size = piece->image->check.csum_size;
	u8 got[BATCH * CSUM_MAX_SIZE];
	u32 first, i;

	for (first = 0; first < segment->nr_sectors; first += BATCH) {
		const u32 nr = MIN(segment->nr_sectors - first, (u32)BATCH);
		const u8 *want = piece->sums + (size_t)(segment->first_sum + first) * csum_size;

		csum_blocks(piece->image->csum, piece->item.buffers[0] + segment->offset + (size_t)first * sectorsize,
			    sectorsize, nr, got);
		if (!memcmp(got, want, (size_t)nr * csum_size))
			continue;
		for (i = 0; i < nr; i++) {
			struct bad_sector sector = sector_at(piece, segment, first + i);

			sector.got = got + (size_t)i * csum_size;
			if (memcmp(sector.got, sector.want, csum_size))
				add_bad_sector(piece, &sector);
		}
	}
}

/* The big read failed: each sector alone, so that one bad sector does not hide its neighbours. */
static void retry_segment(struct data_piece *piece, const struct data_segment *segment, u8 *buffer)
{
	const struct btrfs_image *image = piece->image;
	u8 got[CSUM_MAX_SIZE];
	u32 i;

	for (i = 0; i < segment->nr_sectors; i++) {
		struct bad_sector sector = sector_at(piece, segment, i);

		sector.error = btrfs_read_copy(image, sector.logical, image->check.sectorsize, piece->copy,
					       buffer, NULL);
		if (sector.error == -ENOMEM)
			piece->error = -ENOMEM;
		if (!sector.error) {
			image->csum->digest(buffer, image->check.sectorsize, got);
			if (!memcmp(got, sector.want, image->check.csum_size))
				continue;
			sector.got = got;
		}
		add_bad_sector(piece, &sector);
	}
}

void data_piece_verify(struct worker_job *job, unsigned worker)
{
	struct data_piece *piece = (struct data_piece *)((char *)job - offsetof(struct data_piece, item.job));
	const bool readable = !piece->no_read && !piece->request.result;
	u32 i;

	(void)worker;
	for (i = 0; i < piece->nr_segments; i++) {
		if (readable)
			hash_segment(piece, &piece->segments[i]);
		else
			retry_segment(piece, &piece->segments[i], piece->item.buffers[0]);
	}
	piece->read_again = !readable && !piece->no_read && !piece->sectors_unreadable;
}
