/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Something is wrong with the image: told to whoever asked, never fatal by itself.
 * (An error of the run, such as no memory, is an -errno instead.)
 */
#ifndef BO_READER_FINDING_H
#define BO_READER_FINDING_H

#include "common/message.h"
#include "common/types.h"

enum btrfs_finding_kind {
	BTRFS_FINDING_SUPER,		/* one copy of a superblock: one super_error */
	BTRFS_FINDING_STALE_DEVICE,	/* a device whose superblock is older than the newest */
	BTRFS_FINDING_MISSING_DEVICE,	/* only in degraded mode; otherwise opening fails */
	/*
	 * A CHUNK_ITEM. One that makes no sense leaves its range unmapped; one that names places no
	 * device has, or places of another chunk, is mapped all the same and its reads will tell.
	 */
	BTRFS_FINDING_CHUNK,
	BTRFS_FINDING_DEVICE,		/* a DEV_ITEM that is bad or contradicts its device */
	BTRFS_FINDING_NOTE,		/* worth a line, no error */
};

#define BTRFS_FINDING_NO_DEVICE		((u64)-1)
#define BTRFS_FINDING_NO_ADDRESS	((u64)-1)

struct btrfs_finding {
	enum btrfs_finding_kind kind;
	u64 devid;		/* BTRFS_FINDING_NO_DEVICE: does not belong to one device */
	u64 physical;		/* byte on that device; BTRFS_FINDING_NO_ADDRESS: unknown */
	u64 logical;		/* BTRFS_FINDING_NO_ADDRESS: unknown */
	const char *text;	/* one printable line without newline, valid during the call */
};

/* Where findings go. A zeroed struct drops them. Called in the thread that found it. */
struct btrfs_finding_sink {
	void (*report)(void *arg, const struct btrfs_finding *finding);
	void *arg;
};

/* Sets ->text from @fmt (cut at 512 bytes) and calls the sink; the other fields are the caller's. */
void btrfs_report_finding(const struct btrfs_finding_sink *sink, struct btrfs_finding finding,
			  const char *fmt, ...) PRINTF_FORMAT(3, 4);

#endif
