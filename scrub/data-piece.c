// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Merges runs of checksummed sectors into large reads: see data-piece.h.
 */
#include <stdlib.h>
#include <string.h>

#include "scrub/data-piece.h"

struct data_piece *data_piece_create(const struct btrfs_image *image, const struct btrfs_device *device,
				     u64 physical, int copy)
{
	const size_t sums = PIECE_BYTES / image->check.sectorsize * (size_t)image->check.csum_size;
	struct data_piece *piece = malloc(sizeof(*piece) + sums);

	if (!piece)
		return NULL;
	memset(piece, 0, sizeof(*piece));
	piece->image = image;
	piece->device = device;
	piece->physical = physical;
	piece->copy = copy;
	piece->job.run = data_piece_verify;
	return piece;
}

void data_piece_destroy(struct data_piece *piece)
{
	if (piece)
		free(piece->bad);
	free(piece);
}

/* The segment that sectors at this place go on with, or a new one. NULL: no more fit. */
static struct data_segment *segment_for(struct data_piece *piece, u32 offset, u64 logical)
{
	const u32 sectorsize = piece->image->check.sectorsize;
	struct data_segment *last = piece->nr_segments ? &piece->segments[piece->nr_segments - 1] : NULL;

	if (last && last->offset + last->nr_sectors * sectorsize == offset &&
	    last->logical + (u64)last->nr_sectors * sectorsize == logical)
		return last;
	if (piece->nr_segments == PIECE_MAX_SEGMENTS)
		return NULL;
	last = &piece->segments[piece->nr_segments++];
	*last = (struct data_segment){ .logical = logical, .offset = offset, .first_sum = piece->nr_sums };
	return last;
}

u32 data_piece_add(struct data_piece *piece, u64 physical, u64 logical, u32 nr_sectors, const u8 *sums)
{
	const u32 sectorsize = piece->image->check.sectorsize;
	const u32 csum_size = piece->image->check.csum_size;
	struct data_segment *segment;
	u32 offset;

	if (physical < piece->physical + piece->length ||
	    physical - (piece->physical + piece->length) > PIECE_MAX_GAP)
		return 0;
	offset = (u32)(physical - piece->physical);
	if (offset >= PIECE_BYTES)
		return 0;
	nr_sectors = MIN(nr_sectors, (PIECE_BYTES - offset) / sectorsize);
	segment = nr_sectors ? segment_for(piece, offset, logical) : NULL;
	if (!segment)
		return 0;
	memcpy(piece->sums + (size_t)piece->nr_sums * csum_size, sums, (size_t)nr_sectors * csum_size);
	piece->nr_sums += nr_sectors;
	segment->nr_sectors += nr_sectors;
	piece->length = offset + nr_sectors * sectorsize;
	return nr_sectors;
}
