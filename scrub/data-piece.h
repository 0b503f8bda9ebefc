/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run of bytes on one device that is read at once, and the checksums of the sectors in it.
 * Striped profiles scatter its sectors over logical space: each part that is contiguous there is a segment.
 */
#ifndef BO_SCRUB_DATA_PIECE_H
#define BO_SCRUB_DATA_PIECE_H

#include "reader/block.h"
#include "scrub/data-queue.h"

#define PIECE_BYTES		QUEUE_BUFFER_BYTES
#define PIECE_MAX_SEGMENTS	64
/* So much unused space between two runs is read rather than skipped. */
#define PIECE_MAX_GAP		((u32)SZ_64K)

struct data_segment {
	u64 logical;
	u32 offset;			/* in the piece */
	u32 nr_sectors;
	u32 first_sum;			/* number in ->sums */
};

/* Neighbouring sectors of one segment with the same fate. */
struct bad_run {
	u64 logical;
	u64 physical;
	u32 nr_sectors;
	int error;			/* -errno: cannot be read; 0: the checksum is wrong */
	bool correctable;
	u8 want[CSUM_MAX_SIZE];		/* of the first sector */
	u8 got[CSUM_MAX_SIZE];
};

struct data_piece {
	struct queue_item item;
	/* main thread, before it is submitted */
	const struct btrfs_image *image;
	const struct btrfs_device *device;
	u64 physical;
	u32 length;
	int copy;
	u32 nr_segments;
	u32 nr_sums;
	struct data_segment segments[PIECE_MAX_SEGMENTS];
	struct io_request request;
	struct iovec iov;
	bool no_read;			/* not asked of the ring: unaligned, or beyond the device's end */
	/* worker */
	u64 sectors_bad;
	u64 sectors_unreadable;
	bool read_again;		/* the big read failed and every sector could be read alone */
	struct bad_run *bad;
	u32 nr_bad;
	u32 bad_capacity;
	int error;			/* -ENOMEM */
	u8 sums[];
};

/* NULL: no memory. */
struct data_piece *data_piece_create(const struct btrfs_image *image, const struct btrfs_device *device,
				     u64 physical, int copy);
void data_piece_destroy(struct data_piece *piece);

/*
 * Adds up to @nr_sectors sectors at @physical with their @sums. Returns how many fit; 0: the piece
 * is full, or @physical is too far behind its end.
 */
u32 data_piece_add(struct data_piece *piece, u64 physical, u64 logical, u32 nr_sectors, const u8 *sums);

/* The worker's part, see data-verify.c: ->item.job.run. */
void data_piece_verify(struct worker_job *job, unsigned worker);

/* A finding and its counters, for copy number @copy on device @devid. */
void scrub_report_bad_run(struct scrub *run, u64 devid, int copy, const struct bad_run *bad);

#endif
