/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data of raid5 and raid6 that is computed from the other stripes of its row instead of read.
 */
#ifndef BO_READER_REBUILD_H
#define BO_READER_REBUILD_H

#include <sys/uio.h>

#include "kernel-shared/raid56.h"
#include "reader/block.h"

/* In how many ways; 0 for other profiles, and for more stripes than raid56.h can tell apart. */
int btrfs_nr_rebuilds(const struct btrfs_chunk_map *map);

/*
 * Computes @piece, which lies at @logical of @map inside one stripe element; lengths are multiples of the
 * sector size. Returns 0, or -errno of a stripe that is needed and cannot be read; -ENOMEM.
 */
int btrfs_rebuild_piece(const struct btrfs_image *image, const struct btrfs_chunk_map *map, u64 logical,
			unsigned way, const struct iovec *piece);

#endif
