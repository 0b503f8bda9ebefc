/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parity of RAID5 and RAID6 while data goes by: a row is summed up as parts of it are written, in any
 * order and from any buffers, so no data has to be kept until a row is complete.
 *
 * Rows are filled by few cursors (data, one for each level of a tree), so few are open at a time, and
 * each has the memory of its parity only. Belongs to the write stage and its thread.
 */
#ifndef BO_MKFS_PARITY_ROWS_H
#define BO_MKFS_PARITY_ROWS_H

#include "kernel-shared/raid56.h"
#include "mkfs/write-stage.h"

#define PARITY_MAX	2

struct parity_row {
	const struct btrfs_chunk_map *map;
	u64 number;			/* in the chunk */
	u32 missing;			/* parts of 4 KiB that nobody wrote yet */
	u16 *written;			/* a bit for each 4 KiB of each data column */
	unsigned max_columns;
	/* one for P, one for Q; their ->parity is this row */
	struct write_buffer buffers[PARITY_MAX];
	unsigned nr_unwritten;		/* parity buffers that are not on the device yet */
	struct parity_row *next;	/* open, or free */
	struct parity_row *older;	/* every row that was ever made */
};

/* Zero-initialised is empty. */
struct parity_rows {
	struct parity_row *open;	/* the one that was touched last is first */
	struct parity_row *free;
	struct parity_row *newest;
	unsigned nr_used;		/* rows that are neither released nor free */
};

/* No write is under way any more. */
void parity_rows_release(struct parity_rows *rows);

/*
 * @data will be at @logical of @map; it lies inside one stripe element and was not added before.
 * *complete becomes the row if nothing of it is missing any more: it has left the open rows then, and
 * its parity may be written. Else NULL. Returns 0 or -ENOMEM.
 */
int parity_rows_add(struct parity_rows *rows, const struct btrfs_chunk_map *map, u64 logical,
		    struct iovec data, struct parity_row **complete);

/* An open row leaves the list as it is; NULL: none. What is missing of it must be written as zeros. */
struct parity_row *parity_rows_take(struct parity_rows *rows);
/* The next run that nobody wrote, from @*logical on. False: no more. */
bool parity_row_gap(const struct parity_row *row, u64 *logical, u32 *len);

/* Where P (0) or Q (1) belongs. */
struct btrfs_io_stripe parity_row_place(const struct parity_row *row, u16 parity);
/* One of the row's parity buffers is on the device. */
void parity_rows_written(struct parity_rows *rows, struct parity_row *row);
/* A row that will not be written. */
void parity_rows_drop(struct parity_rows *rows, struct parity_row *row);

#endif
