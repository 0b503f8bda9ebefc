// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bump allocator over data chunks: see data-space.h.
 */
#include <errno.h>

#include "mkfs/data-space.h"

#define EMPTY_STRIPE_SIZE	(8 * SZ_1M)

int data_space_claim(struct data_space *space, u64 len, u64 *logical, u64 *got)
{
	if (!space->chunk || space->chunk_used == space->chunk->length) {
		struct btrfs_chunk_map *chunk;
		int ret = chunk_allocate(space->alloc, space->type,
					 chunk_default_length(space->alloc, space->type), &chunk);

		if (ret)
			return ret;
		space->chunk = chunk;
		space->chunk_used = 0;
	}
	*logical = space->chunk->start + space->chunk_used;
	*got = MIN(len, space->chunk->length - space->chunk_used);
	space->chunk_used += *got;
	space->total += *got;
	return 0;
}

int data_space_keep_profile(struct data_space *space)
{
	const u64 want = MIN(EMPTY_STRIPE_SIZE * space->alloc->nr_devices,
			     chunk_default_length(space->alloc, space->type));
	int ret = space->chunk ? 0 : chunk_allocate(space->alloc, space->type, want, &space->chunk);

	return ret == -ENOSPC ? 0 : ret;
}

u64 data_space_used(const struct data_space *space, const struct btrfs_chunk_map *chunk)
{
	return chunk == space->chunk ? space->chunk_used : chunk->length;
}
