/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of a raid5 or raid6 chunk that are read and judged together: data by its checksums, parity by the
 * data, and what is bad by whether parity gives it back. Words as in kernel-shared/raid56.h; a *slice* is one
 * sector of every column at the same place: parity belongs to slices, and only those in use have to agree.
 */
#ifndef BO_SCRUB_ROW_GROUP_H
#define BO_SCRUB_ROW_GROUP_H

#include "kernel-shared/raid56.h"
#include "scrub/data-piece.h"

#define ROW_GROUP_MAX_ROWS	16
/* Sectors of one stripe element: the smallest are 4 KiB. */
#define ROW_MAX_SECTORS		16

/* What a sector of a data column holds. */
enum row_use {
	ROW_FREE,
	ROW_SUMMED,		/* data with a checksum */
	ROW_UNSUMMED,		/* allocated, without a checksum: perhaps never written */
	ROW_TREE_START,		/* first sector of a tree block */
	ROW_TREE,
};

/* What was found out about a sector of any column: several of these. */
enum row_fate {
	ROW_BAD = 1,		/* the checksum is wrong */
	ROW_UNREADABLE = 2,
	ROW_MISSING = 4,	/* on a device that is not there */
	ROW_REBUILT = 8,	/* was one of the three, and the others give it back */
	ROW_PARITY = 16,	/* parity that is wrong */
	ROW_UNVERIFIABLE = 32,	/* parity that does not match, and it may be the data that is wrong */
	ROW_DOUBTFUL = 64,	/* parity of data without checksums does not match: wrong, or never written */
};

#define ROW_LOST	(ROW_BAD | ROW_UNREADABLE | ROW_MISSING)

/* A run of sectors on one stripe with the same fate. */
struct row_fault {
	u8 fate;
	u16 stripe;
	u16 column;
	struct bad_run run;	/* of parity ->logical is where its row begins */
};

struct row_stripe {
	const struct btrfs_device *device;	/* NULL: missing */
	u8 *memory;		/* of the group's first row */
	struct iovec iov;
	struct io_request *request;		/* NULL: not asked of the ring */
	bool read_again;	/* the big read failed, and each sector could be read alone */
	int error;		/* of the sector that failed last */
};

struct row_group {
	struct queue_item item;
	const struct btrfs_image *image;
	const struct btrfs_chunk_map *map;
	u64 first_row;
	u32 nr_rows;		/* that fit */
	u32 from, to;		/* that are used and read: counted from first_row */
	u32 sectors;		/* of an element */
	u16 nr_data;
	u16 nr_parity;
	bool check_parity;
	struct row_stripe *stripes;
	struct io_request *requests;
	/* by cell */
	u8 *use;
	u8 *sums;
	/* worker */
	u8 *fates;
	u8 *scratch;		/* elements: P, Q, and two that are computed */
	struct row_fault *faults;
	u32 nr_faults;
	u32 faults_capacity;
	int error;		/* -ENOMEM */
};

/* Number of the cell for a sector: @row counts from the group's first. */
static inline size_t row_cell(const struct row_group *group, u32 row, u16 column, u32 sector)
{
	return ((size_t)row * group->map->num_stripes + column) * group->sectors + sector;
}

static inline u16 row_stripe_of(const struct row_group *group, u32 row, u16 column)
{
	return btrfs_raid56_stripe(group->map, group->first_row + row, column);
}

/* A sector in memory. */
static inline u8 *row_memory(const struct row_group *group, u32 row, u16 column, u32 sector)
{
	return group->stripes[row_stripe_of(group, row, column)].memory + row * BTRFS_STRIPE_LEN +
	       (size_t)sector * group->image->check.sectorsize;
}

/* A group for the row number @row and its neighbours. NULL: no memory. At most BTRFS_RAID56_MAX_STRIPES stripes. */
struct row_group *row_group_create(const struct btrfs_image *image, const struct btrfs_chunk_map *map, u64 row);
void row_group_destroy(struct row_group *group);

/* Logical end of the rows that fit. */
u64 row_group_end(const struct row_group *group);
/*
 * Marks sectors from @logical on, inside the group: @nr of them, with their @sums if they are ROW_SUMMED. A
 * tree block begins with its first sector.
 */
void row_group_mark(struct row_group *group, u64 logical, u64 nr, enum row_use use, const u8 *sums);

/* The worker's part, see row-verify.c: ->item.job.run. */
void row_group_verify(struct worker_job *job, unsigned worker);
/* One slice that is used, and of which something is lost or its row's parity does not match: row-parity.c. */
void row_judge_slice(struct row_group *group, u32 row, u32 sector);

#endif
