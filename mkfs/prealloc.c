// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Steps of preallocation: see prealloc.h.
 */
#include <fcntl.h>
#include <linux/falloc.h>

#include "mkfs/prealloc.h"

#define STEP	((u64)64 << 20)		/* bytes of each stripe at a time */

static const struct io_device *stripe_device(const struct prealloc *prealloc, u16 stripe)
{
	return &prealloc->set->devices[prealloc->map->stripes[stripe].devid - 1];
}

/* fallocate() for [start, end) of every stripe that lies in a file. */
static void each_stripe(struct prealloc *prealloc, int mode, u64 start, u64 end)
{
	u16 i;

	for (i = 0; i < prealloc->map->num_stripes && !prealloc->off; i++) {
		const struct io_device *device = stripe_device(prealloc, i);
		u64 physical = device->base + prealloc->map->stripes[i].physical + start;

		if (device->is_block)
			continue;
		if (fallocate(device->fd, mode | FALLOC_FL_KEEP_SIZE, (off_t)physical, (off_t)(end - start)))
			prealloc->off = true;
	}
}

/* Bytes of each stripe that data up to @logical reaches. */
static u64 stripe_bytes(const struct btrfs_chunk_map *map, u64 logical)
{
	u64 row = BTRFS_STRIPE_LEN * btrfs_chunk_data_stripes(map->type, map->num_stripes);

	return MIN((logical - map->start + row - 1) / row * BTRFS_STRIPE_LEN, map->stripe_size);
}

void prealloc_ahead(struct prealloc *prealloc, const struct btrfs_chunk_map *map, u64 logical)
{
	u64 need, end;

	if (prealloc->map != map) {
		prealloc->map = map;
		prealloc->mark = 0;
	}
	need = stripe_bytes(map, logical);
	if (need <= prealloc->mark || prealloc->off)
		return;
	end = MIN(MAX(need, prealloc->mark + STEP), map->stripe_size);
	each_stripe(prealloc, 0, prealloc->mark, end);
	prealloc->mark = end;
}

void prealloc_finish(struct prealloc *prealloc, u64 logical)
{
	const struct btrfs_chunk_map *map = prealloc->map;
	u64 used;

	if (!map || logical < map->start || logical - map->start > map->length)
		return;
	used = stripe_bytes(map, logical);
	if (used < prealloc->mark)
		each_stripe(prealloc, FALLOC_FL_PUNCH_HOLE, used, prealloc->mark);
	prealloc->map = NULL;
}
