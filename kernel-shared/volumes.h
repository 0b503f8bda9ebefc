/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles, chunk items and the chunk map: logical address <-> place on devices.
 *
 * `bytenr` and `logical` are addresses in the filesystem's logical space,
 * `physical` is a byte offset on one device. A *stripe* is a chunk's extent on
 * one device; data is cut into stripe elements of 64 KiB.
 */
#ifndef BO_KERNEL_SHARED_VOLUMES_H
#define BO_KERNEL_SHARED_VOLUMES_H

#include "kernel-shared/ctree.h"
#include "kernel-shared/disk-io.h"

enum btrfs_raid_types {
	BTRFS_RAID_SINGLE,
	BTRFS_RAID_RAID0,
	BTRFS_RAID_RAID1,
	BTRFS_RAID_DUP,
	BTRFS_RAID_RAID10,
	BTRFS_RAID_RAID5,
	BTRFS_RAID_RAID6,
	BTRFS_RAID_RAID1C3,
	BTRFS_RAID_RAID1C4,
	BTRFS_NR_RAID_TYPES,
};

/* What a profile is made of. Source: the profile table of mkfs.btrfs(8). */
struct btrfs_raid_attr {
	const char *name;	/* as on the command line */
	u64 bg_flag;		/* BTRFS_BLOCK_GROUP_*, 0 for single */
	u8 sub_stripes;		/* devices that hold one stripe element together (raid10: 2) */
	u8 dev_stripes;		/* stripes of one chunk on one device (dup: 2) */
	u8 devs_min;
	u8 devs_max;		/* 0: as many as there are */
	u8 devs_increment;	/* the number of stripes is a multiple of this */
	u8 ncopies;
	u8 nparity;
};

extern const struct btrfs_raid_attr btrfs_raid_array[BTRFS_NR_RAID_TYPES];

/* @flags holds at most one profile bit; with several the lowest decides. */
const struct btrfs_raid_attr *btrfs_raid_attr(u64 flags);
/* NULL when there is no such profile. Any case. */
const struct btrfs_raid_attr *btrfs_raid_by_name(const char *name);
/* "Data", "Metadata", "System", "Data+Metadata" */
const char *btrfs_bg_type_name(u64 flags);

struct btrfs_map_stripe {
	u64 devid;
	u64 physical;
	u8 dev_uuid[BTRFS_UUID_SIZE];
};

struct btrfs_chunk_map {
	u64 start;		/* logical */
	u64 length;		/* logical bytes */
	u64 stripe_size;	/* bytes of each stripe on its device */
	u64 type;		/* BTRFS_BLOCK_GROUP_* */
	u16 num_stripes;
	u16 sub_stripes;	/* as in the item: 1, or 2 for raid10 */
	struct btrfs_map_stripe stripes[];
};

static inline size_t btrfs_chunk_item_size(u16 num_stripes)
{
	return sizeof(struct btrfs_chunk) + ((size_t)num_stripes - 1) * sizeof(struct btrfs_stripe);
}

/* How many whole copies of the data a chunk keeps (raid5 and raid6: 1). */
static inline int btrfs_chunk_copies(const struct btrfs_chunk_map *map)
{
	return btrfs_raid_attr(map->type)->ncopies;
}

/* Stripes that hold different data: 1 for single, dup and raid1*, N for raid0, N/2 for raid10. */
u32 btrfs_chunk_data_stripes(u64 type, u16 num_stripes);

/* One place of a piece of logical space. */
struct btrfs_io_stripe {
	u64 devid;
	u64 physical;
	u16 index;		/* into map->stripes */
};

/*
 * Where copy number @copy (0 .. btrfs_chunk_copies() - 1) of @logical lies, and
 * how many bytes from there on stay contiguous on that device (at most 64 KiB for
 * the striped profiles). @logical must be inside @map. For raid5 and raid6 the
 * place of the data itself; parity has functions of its own in raid56.h.
 */
struct btrfs_io_stripe btrfs_map_logical(const struct btrfs_chunk_map *map, u64 logical, int copy,
					 u64 *contiguous);

/*
 * The reverse for stripe number @index: the logical address of the byte at
 * @offset (below map->stripe_size) of that stripe. Not for raid5 and raid6.
 */
u64 btrfs_rmap_stripe(const struct btrfs_chunk_map *map, u16 index, u64 offset);

/*
 * Checks one chunk item (reliability rule R-CH1, all but overlaps). Returns 0, or -EUCLEAN with
 * *reason filled. @allow_mixed: the filesystem has mixed block groups.
 */
int btrfs_check_chunk_item(const struct btrfs_key *key, const void *item, u32 item_size, u32 sectorsize,
			   bool allow_mixed, struct btrfs_reason *reason);

/* The map of an item that passed that check: release it with free(). NULL when memory is short. */
struct btrfs_chunk_map *btrfs_parse_chunk_item(const struct btrfs_key *key, const void *item);

/* Writes the item for @map: btrfs_chunk_item_size() bytes at @item. */
void btrfs_write_chunk_item(const struct btrfs_chunk_map *map, u32 sectorsize, void *item);

/* ---- the chunk map ---- */

/*
 * Owns its maps. Built by one thread, then read by any number.
 * Zero-initialised is empty.
 */
struct btrfs_chunk_table {
	struct btrfs_chunk_map **maps;	/* sorted by start, no overlap */
	size_t nr;
	size_t capacity;
};

/* Takes over @map on success. Returns 0, -EEXIST when it overlaps one that is there, -ENOMEM. */
int btrfs_chunk_table_add(struct btrfs_chunk_table *table, struct btrfs_chunk_map *map);
/* NULL: @logical is not mapped. */
const struct btrfs_chunk_map *btrfs_find_chunk(const struct btrfs_chunk_table *table, u64 logical);
void btrfs_chunk_table_release(struct btrfs_chunk_table *table);

/*
 * The chunks of the superblock's system array into @table. Returns 0, -EUCLEAN
 * with *reason, or -ENOMEM; then @table holds those before the bad one.
 */
int btrfs_read_sys_array(const struct btrfs_super_block *super, struct btrfs_chunk_table *table,
			 struct btrfs_reason *reason);

#endif
