// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bump allocator over data chunks: see data-space.h.
 */
#include <errno.h>
#include <stdlib.h>

#include "mkfs/data-space.h"

#define EMPTY_STRIPE_SIZE	(8 * SZ_1M)

void data_space_release(struct data_space *space)
{
	free(space->gaps);
	space->gaps = NULL;
	space->nr_gaps = 0;
}

static u64 left_in_chunk(const struct data_space *space)
{
	return space->chunk ? space->chunk->length - space->chunk_used : 0;
}

static int note_gap(struct data_space *space, u64 len)
{
	struct data_gap *grown = reallocarray(space->gaps, space->nr_gaps + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	space->gaps = grown;
	grown[space->nr_gaps++] = (struct data_gap){ .chunk = space->chunk->start, .len = len };
	return 0;
}

static u64 next_length(const struct data_space *space)
{
	const u64 left = space->expected > space->total ? space->expected - space->total : 0;

	return chunk_length(space->alloc, space->type, space->expected, left);
}

static int next_chunk(struct data_space *space)
{
	struct btrfs_chunk_map *chunk;
	int ret = 0;

	if (left_in_chunk(space))
		ret = note_gap(space, left_in_chunk(space));
	if (!ret)
		ret = chunk_allocate(space->alloc, space->type, next_length(space), &chunk);
	if (ret)
		return ret;
	space->chunk = chunk;
	space->chunk_used = 0;
	return 0;
}

int data_space_claim(struct data_space *space, u64 len, u64 *logical, u64 *got)
{
	int ret = left_in_chunk(space) ? 0 : next_chunk(space);

	if (ret)
		return ret;
	*logical = space->chunk->start + space->chunk_used;
	*got = MIN(len, space->chunk->length - space->chunk_used);
	space->chunk_used += *got;
	space->total += *got;
	return 0;
}

int data_space_claim_whole(struct data_space *space, u64 len, u64 *logical)
{
	u64 got;
	int ret = 0;

	/* a chunk made where the devices are nearly full may be as short as that */
	while (!ret && left_in_chunk(space) < len)
		ret = next_chunk(space);
	return ret ? ret : data_space_claim(space, len, logical, &got);
}

int data_space_keep_profile(struct data_space *space)
{
	const u64 most = MIN(EMPTY_STRIPE_SIZE * space->alloc->nr_devices,
			     chunk_default_length(space->alloc, space->type));
	const u64 want = space->alloc->fitted ? SZ_1M : most;
	int ret = space->chunk ? 0 : chunk_allocate(space->alloc, space->type, want, &space->chunk);

	return ret == -ENOSPC ? 0 : ret;
}

u64 data_space_used(const struct data_space *space, const struct btrfs_chunk_map *chunk)
{
	size_t i;

	if (chunk == space->chunk)
		return space->chunk_used;
	for (i = 0; i < space->nr_gaps; i++) {
		if (space->gaps[i].chunk == chunk->start)
			return chunk->length - space->gaps[i].len;
	}
	return chunk->length;
}
