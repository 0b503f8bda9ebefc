/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Items of the quota tree: one QGROUP_STATUS, then for each quota group QGROUP_INFO (what it uses) and QGROUP_LIMIT.
 */
#ifndef BO_KERNEL_SHARED_QGROUP_ITEM_H
#define BO_KERNEL_SHARED_QGROUP_ITEM_H

#include "kernel-shared/ctree.h"

#ifndef BTRFS_QGROUP_STATUS_FLAG_SIMPLE_MODE
#define BTRFS_QGROUP_STATUS_FLAG_SIMPLE_MODE	(1ULL << 3)
#endif

/*
 * The status as Linux 6.7 made it; older headers and filesystems end before ->enable_gen, and so do those with a
 * hierarchy that older kernels wrote.
 */
struct btrfs_qgroup_status_v2 {
	__le64 version;
	__le64 generation;
	__le64 flags;
	__le64 rescan;
	__le64 enable_gen;	/* simple quotas do not count extents of generations before this one */
} __attribute__((__packed__));

#define BTRFS_QGROUP_STATUS_SIZE_V1	offsetof(struct btrfs_qgroup_status_v2, enable_gen)

/* Simple quotas that count from @generation on. */
void btrfs_fill_simple_qgroup_status(struct btrfs_qgroup_status_v2 *status, u64 generation);
/* Exact numbers as of @generation; only BTRFS_QGROUP_STATUS_SIZE_V1 bytes are meant to be stored. */
void btrfs_fill_qgroup_status(struct btrfs_qgroup_status_v2 *status, u64 generation);

/*
 * Bytes of the extents that one subvolume refers to, and of those that no other does. Compressed sizes are what the
 * kernel makes of them: the same (hierarchy) or 0 (simple).
 */
void btrfs_fill_qgroup_info(struct btrfs_qgroup_info_item *info, u64 generation, u64 referenced, u64 exclusive,
			    bool simple);

static inline struct btrfs_key btrfs_qgroup_key(u8 type, u64 qgroupid)
{
	return (struct btrfs_key){ .type = type, .offset = qgroupid };
}

#endif
