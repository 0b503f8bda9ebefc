/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Space in image files, taken shortly before data is written to it. A direct write into a hole
 * makes the host filesystem allocate under an exclusive lock, one write after the other; into allocated space
 * many can go at once (measured on ext4: half the time for a whole tree). Only ever asks; a
 * host that refuses is left alone.
 */
#ifndef BO_MKFS_PREALLOC_H
#define BO_MKFS_PREALLOC_H

#include "io/device-set.h"
#include "kernel-shared/volumes.h"

struct prealloc {
	const struct io_device_set *set;
	const struct btrfs_chunk_map *map;	/* that is being filled, or NULL */
	u64 mark;				/* bytes of each of its stripes that are allocated */
	bool off;
};

/* Data up to @logical of @map will be written soon. */
void prealloc_ahead(struct prealloc *prealloc, const struct btrfs_chunk_map *map, u64 logical);
/* What was taken beyond @logical of the newest chunk goes back. */
void prealloc_finish(struct prealloc *prealloc, u64 logical);

#endif
