/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The superblock copies of one device: read, judged, one of them chosen
 * (reliability rules R-SB1 to R-SB3).
 */
#ifndef BO_READER_SUPER_H
#define BO_READER_SUPER_H

#include "io/device-set.h"
#include "kernel-shared/disk-io.h"

enum btrfs_super_status {
	BTRFS_SUPER_ABSENT,	/* would lie beyond the end of the device: no error */
	BTRFS_SUPER_UNREADABLE,	/* the device refused: see ->read_error */
	BTRFS_SUPER_READ,	/* ->block holds what is there, ->fault is the verdict */
};

struct btrfs_super_copy {
	struct btrfs_super_block block;		/* raw; hostile unless ->fault is OK */
	enum btrfs_super_status status;
	int read_error;				/* -errno, or 0 */
	enum btrfs_super_fault fault;
	u64 generation;				/* 0 unless ->fault is OK */
	bool bad;				/* one super_error (an old generation counts too) */
	struct btrfs_reason reason;		/* why, when ->bad */
};

struct btrfs_super_copies {
	struct btrfs_super_copy copy[BTRFS_SUPER_MIRROR_MAX];
	int chosen;	/* the primary if it is valid, else the newest valid one; -1: none is */
	bool unfinished;	/* the magic of an mkfs that did not end was seen, and no valid copy */
};

/*
 * Reads and judges all copies of @device. The system chunk array is checked as well.
 * Bad copies are the result, not an error. Returns 0 or -ENOMEM.
 */
int btrfs_read_super_copies(const struct io_device *device, struct btrfs_super_copies *copies);

#endif
