/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The free space tree: per block group one FREE_SPACE_INFO, then its free ranges as
 * FREE_SPACE_EXTENT items (key: start, length; no payload) or as bitmaps.
 */
#ifndef BO_KERNEL_SHARED_FREE_SPACE_TREE_H
#define BO_KERNEL_SHARED_FREE_SPACE_TREE_H

#include "kernel-shared/ctree.h"

/* Sectors that one FREE_SPACE_BITMAP item covers: 256 bytes of bits. */
#define BTRFS_FREE_SPACE_BITMAP_BITS	(256 * 8)

static inline struct btrfs_key btrfs_free_space_info_key(u64 start, u64 length)
{
	return (struct btrfs_key){ .objectid = start, .type = BTRFS_FREE_SPACE_INFO_KEY, .offset = length };
}

static inline struct btrfs_key btrfs_free_space_extent_key(u64 start, u64 length)
{
	return (struct btrfs_key){ .objectid = start, .type = BTRFS_FREE_SPACE_EXTENT_KEY, .offset = length };
}

#endif
