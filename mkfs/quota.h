/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quota groups of the new filesystem: one for each subvolume, the top level among them.
 *
 * Everything is counted before the kernel ever sees it, so the numbers are exact at the first mount and no rescan is
 * needed. In the hierarchy an extent counts in full for each subvolume that refers to any part of it, and is exclusive
 * where that is only one; a simple quota counts it for the subvolume that made it. A tree block counts for its tree.
 */
#ifndef BO_MKFS_QUOTA_H
#define BO_MKFS_QUOTA_H

#include "kernel-shared/ctree.h"

struct metadata;

/* Bytes, by number of the subvolume. */
struct quota_usage {
	u64 referenced;
	u64 exclusive;
};

/* Fills metadata->quota once all trees have their sizes. 0 or -errno. */
int quota_count(struct metadata *metadata);

#endif
