// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Profiles and the address arithmetic of one chunk: see volumes.h.
 */
#include <strings.h>

#include "kernel-shared/volumes.h"

const struct btrfs_raid_attr btrfs_raid_array[BTRFS_NR_RAID_TYPES] = {
	[BTRFS_RAID_SINGLE] = {
		.name = "single", .bg_flag = 0,
		.sub_stripes = 1, .dev_stripes = 1, .devs_min = 1, .devs_max = 1, .devs_increment = 1,
		.ncopies = 1, .nparity = 0,
	},
	[BTRFS_RAID_RAID0] = {
		.name = "raid0", .bg_flag = BTRFS_BLOCK_GROUP_RAID0,
		.sub_stripes = 1, .dev_stripes = 1, .devs_min = 1, .devs_max = 0, .devs_increment = 1,
		.ncopies = 1, .nparity = 0,
	},
	[BTRFS_RAID_RAID1] = {
		.name = "raid1", .bg_flag = BTRFS_BLOCK_GROUP_RAID1,
		.sub_stripes = 1, .dev_stripes = 1, .devs_min = 2, .devs_max = 2, .devs_increment = 2,
		.ncopies = 2, .nparity = 0,
	},
	[BTRFS_RAID_DUP] = {
		.name = "dup", .bg_flag = BTRFS_BLOCK_GROUP_DUP,
		.sub_stripes = 1, .dev_stripes = 2, .devs_min = 1, .devs_max = 1, .devs_increment = 1,
		.ncopies = 2, .nparity = 0,
	},
	[BTRFS_RAID_RAID10] = {
		.name = "raid10", .bg_flag = BTRFS_BLOCK_GROUP_RAID10,
		.sub_stripes = 2, .dev_stripes = 1, .devs_min = 2, .devs_max = 0, .devs_increment = 2,
		.ncopies = 2, .nparity = 0,
	},
	[BTRFS_RAID_RAID5] = {
		.name = "raid5", .bg_flag = BTRFS_BLOCK_GROUP_RAID5,
		.sub_stripes = 1, .dev_stripes = 1, .devs_min = 2, .devs_max = 0, .devs_increment = 1,
		.ncopies = 1, .nparity = 1,
	},
	[BTRFS_RAID_RAID6] = {
		.name = "raid6", .bg_flag = BTRFS_BLOCK_GROUP_RAID6,
		.sub_stripes = 1, .dev_stripes = 1, .devs_min = 3, .devs_max = 0, .devs_increment = 1,
		.ncopies = 1, .nparity = 2,
	},
	[BTRFS_RAID_RAID1C3] = {
		.name = "raid1c3", .bg_flag = BTRFS_BLOCK_GROUP_RAID1C3,
		.sub_stripes = 1, .dev_stripes = 1, .devs_min = 3, .devs_max = 3, .devs_increment = 3,
		.ncopies = 3, .nparity = 0,
	},
	[BTRFS_RAID_RAID1C4] = {
		.name = "raid1c4", .bg_flag = BTRFS_BLOCK_GROUP_RAID1C4,
		.sub_stripes = 1, .dev_stripes = 1, .devs_min = 4, .devs_max = 4, .devs_increment = 4,
		.ncopies = 4, .nparity = 0,
	},
};

const struct btrfs_raid_attr *btrfs_raid_attr(u64 flags)
{
	const u64 profile = flags & BTRFS_BLOCK_GROUP_PROFILE_MASK;
	const u64 lowest = profile & -profile;
	int i;

	for (i = 0; i < BTRFS_NR_RAID_TYPES; i++) {
		if (btrfs_raid_array[i].bg_flag == lowest)
			return &btrfs_raid_array[i];
	}
	return &btrfs_raid_array[BTRFS_RAID_SINGLE];
}

const struct btrfs_raid_attr *btrfs_raid_by_name(const char *name)
{
	int i;

	for (i = 0; i < BTRFS_NR_RAID_TYPES; i++) {
		if (!strcasecmp(name, btrfs_raid_array[i].name))
			return &btrfs_raid_array[i];
	}
	return NULL;
}

const char *btrfs_bg_type_name(u64 flags)
{
	switch (flags & BTRFS_BLOCK_GROUP_TYPE_MASK) {
	case BTRFS_BLOCK_GROUP_DATA:
		return "Data";
	case BTRFS_BLOCK_GROUP_METADATA:
		return "Metadata";
	case BTRFS_BLOCK_GROUP_SYSTEM:
		return "System";
	case BTRFS_BLOCK_GROUP_DATA | BTRFS_BLOCK_GROUP_METADATA:
		return "Data+Metadata";
	default:
		return "Unknown";
	}
}

u32 btrfs_chunk_data_stripes(u64 type, u16 num_stripes)
{
	const struct btrfs_raid_attr *attr = btrfs_raid_attr(type);

	return ((u32)num_stripes - attr->nparity) / attr->ncopies;
}

/*
 * One formula serves all profiles without parity: stripe elements go round robin over
 * the data stripes, and each data stripe is a group of `ncopies` neighbouring stripes. With
 * one data stripe the elements simply follow each other.
 */
struct btrfs_io_stripe btrfs_map_logical(const struct btrfs_chunk_map *map, u64 logical, int copy,
					 u64 *contiguous)
{
	const struct btrfs_raid_attr *attr = btrfs_raid_attr(map->type);
	const u32 data_stripes = btrfs_chunk_data_stripes(map->type, map->num_stripes);
	const u64 offset = logical - map->start;
	const u64 element = offset / BTRFS_STRIPE_LEN;
	const u64 within = offset % BTRFS_STRIPE_LEN;
	const u64 row = element / data_stripes;
	const u32 column = (u32)(element % data_stripes);
	u64 left = map->length - offset;
	u16 index;

	/* Parity wanders: every row of a RAID5 or RAID6 starts one stripe further than the one before. */
	if (attr->nparity)
		index = (u16)((row + column) % map->num_stripes);
	else
		index = (u16)(column * attr->ncopies + (u32)copy);

	if (data_stripes > 1 || attr->nparity)
		left = MIN(left, BTRFS_STRIPE_LEN - within);
	*contiguous = left;

	return (struct btrfs_io_stripe){
		.devid = map->stripes[index].devid,
		.physical = map->stripes[index].physical + row * BTRFS_STRIPE_LEN + within,
		.index = index,
	};
}

u64 btrfs_rmap_stripe(const struct btrfs_chunk_map *map, u16 index, u64 offset)
{
	const u32 data_stripes = btrfs_chunk_data_stripes(map->type, map->num_stripes);
	const u64 row = offset / BTRFS_STRIPE_LEN;
	const u32 column = index / btrfs_raid_attr(map->type)->ncopies;

	return map->start + (row * data_stripes + column) * BTRFS_STRIPE_LEN + offset % BTRFS_STRIPE_LEN;
}
