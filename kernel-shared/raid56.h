/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RAID5 and RAID6: where parity lies, how it is computed, and how what is lost is computed from it.
 *
 * A *row* (the kernel says full stripe) is one stripe element of 64 KiB on every stripe of the chunk.
 * Its *columns* are numbered: data from 0 on, then P, then Q (raid6). From row to row all columns
 * move on by one stripe. P is the XOR of the data, Q the sum of g^column * data in GF(2^8) with
 * generator 2 and polynomial 0x11d.
 *
 * Pointers to columns are aligned to 32, lengths are multiples of 32.
 */
#ifndef BO_KERNEL_SHARED_RAID56_H
#define BO_KERNEL_SHARED_RAID56_H

#include "kernel-shared/volumes.h"

/* Powers of the generator repeat after 255: with more stripes Q would not tell all columns apart. */
#define BTRFS_RAID56_MAX_STRIPES	255

static inline bool btrfs_is_raid56(const struct btrfs_chunk_map *map)
{
	return map->type & BTRFS_BLOCK_GROUP_RAID56_MASK;
}

/* How many columns of a row hold data: at least 1. */
static inline u16 btrfs_raid56_data(const struct btrfs_chunk_map *map)
{
	return (u16)btrfs_chunk_data_stripes(map->type, map->num_stripes);
}

/* The stripe that column @column of row @row lies on, and the reverse. */
static inline u16 btrfs_raid56_stripe(const struct btrfs_chunk_map *map, u64 row, u16 column)
{
	return (u16)((row + column) % map->num_stripes);
}

static inline u16 btrfs_raid56_column(const struct btrfs_chunk_map *map, u64 row, u16 stripe)
{
	return (u16)((stripe + map->num_stripes - row % map->num_stripes) % map->num_stripes);
}

/* Logical bytes of one row. */
static inline u64 btrfs_raid56_row_bytes(const struct btrfs_chunk_map *map)
{
	return btrfs_raid56_data(map) * BTRFS_STRIPE_LEN;
}

/* The columns of a row in memory, @len bytes of each: @nr_data of data, then @nr_parity of P and Q. */
struct btrfs_raid56_row {
	u16 nr_data;
	u16 nr_parity;
	size_t len;
	u8 *columns[BTRFS_RAID56_MAX_STRIPES];
};

/* Computes the parity columns from the data columns. */
void btrfs_raid56_generate(const struct btrfs_raid56_row *row);

/*
 * Adds one column's data to parity that is being summed up: @parity[0] is P, @parity[1] Q. They began
 * as zeros, and are complete when every column (or what is not zero of it) was added once.
 */
void btrfs_raid56_add(u8 *const *parity, u16 nr_parity, u16 column, const void *data, size_t len);

/*
 * Computes the data columns in @lost from all others. @nr_lost of them, different ones, @row->nr_parity at
 * most. Parity among them is not used, and not computed.
 */
void btrfs_raid56_rebuild(const struct btrfs_raid56_row *row, const u16 *lost, unsigned nr_lost);

/*
 * Ways to compute one data column: raid5 has one; raid6 can do without any one other column as well, Q
 * first, then P, then each column of data.
 */
static inline unsigned btrfs_raid56_nr_ways(u16 nr_data, u16 nr_parity)
{
	return nr_parity > 1 ? nr_data + 1u : 1;
}

/* What way number @way to compute @column does without, @column first. Returns how many: 1 or 2. */
unsigned btrfs_raid56_way(u16 nr_data, u16 nr_parity, u16 column, unsigned way, u16 lost[2]);

#endif
