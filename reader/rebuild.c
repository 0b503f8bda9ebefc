// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Computes what cannot be read: see rebuild.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/rebuild.h"

int btrfs_nr_rebuilds(const struct btrfs_chunk_map *map)
{
	if (!btrfs_is_raid56(map) || map->num_stripes > BTRFS_RAID56_MAX_STRIPES)
		return 0;
	return (int)btrfs_raid56_nr_ways(btrfs_raid56_data(map), btrfs_raid_attr(map->type)->nparity);
}

/* Where the piece lies in its row. */
struct row_place {
	u64 row;
	u64 within;		/* byte in the stripe element */
	u16 column;
};

static struct row_place find_row(const struct btrfs_chunk_map *map, u64 logical)
{
	const u64 offset = logical - map->start, element = offset / BTRFS_STRIPE_LEN;
	const u16 columns = btrfs_raid56_data(map);

	return (struct row_place){
		.row = element / columns,
		.within = offset % BTRFS_STRIPE_LEN,
		.column = (u16)(element % columns),
	};
}

static int read_column(const struct btrfs_image *image, const struct btrfs_chunk_map *map,
		       const struct row_place *where, u16 column, const struct iovec *to)
{
	const struct btrfs_map_stripe *stripe = &map->stripes[btrfs_raid56_stripe(map, where->row, column)];
	const struct btrfs_place place = {
		.devid = stripe->devid,
		.physical = stripe->physical + where->row * BTRFS_STRIPE_LEN + where->within,
		.device = btrfs_find_device(image, stripe->devid),
	};

	return btrfs_read_place(&place, to->iov_base, to->iov_len);
}

int btrfs_rebuild_piece(const struct btrfs_image *image, const struct btrfs_chunk_map *map, u64 logical,
			unsigned way, const struct iovec *piece)
{
	const struct row_place where = find_row(map, logical);
	struct btrfs_raid56_row row = {
		.nr_data = btrfs_raid56_data(map),
		.nr_parity = btrfs_raid_attr(map->type)->nparity,
		.len = piece->iov_len,
	};
	u8 *memory = btrfs_block_buffer(map->num_stripes * piece->iov_len);
	u16 lost[2], column;
	unsigned nr_lost = btrfs_raid56_way(row.nr_data, row.nr_parity, where.column, way, lost);
	int ret = memory ? 0 : -ENOMEM;

	for (column = 0; !ret && column < map->num_stripes; column++) {
		const struct iovec to = { .iov_base = memory + column * row.len, .iov_len = row.len };

		row.columns[column] = to.iov_base;
		if (column != lost[0] && (nr_lost < 2 || column != lost[1]))
			ret = read_column(image, map, &where, column, &to);
	}
	if (!ret) {
		btrfs_raid56_rebuild(&row, lost, nr_lost);
		memcpy(piece->iov_base, row.columns[where.column], row.len);
	}
	free(memory);
	return ret;
}
