/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inodes and their back references to names (INODE_ITEM, INODE_REF, INODE_EXTREF).
 */
#ifndef BO_KERNEL_SHARED_INODE_ITEM_H
#define BO_KERNEL_SHARED_INODE_ITEM_H

#include <time.h>

#include "crypto/csum.h"
#include "kernel-shared/ctree.h"

/* The key offset of INODE_EXTREF: CRC-32C of the name, register started at the parent's number. */
static inline u64 btrfs_extref_hash(u64 parent, const void *name, size_t len)
{
	return crc32c_raw((u32)parent, name, len);
}

static inline u32 btrfs_inode_ref_size(size_t name_len)
{
	return (u32)(sizeof(struct btrfs_inode_ref) + name_len);
}

static inline u32 btrfs_inode_extref_size(size_t name_len)
{
	return (u32)(sizeof(struct btrfs_inode_extref) + name_len);
}

/*
 * rdev as the inode item stores it: the minor number in the low 20 bits, the major above (observed:
 * nodes made by the kernel; Linux keeps 12 bits of major and 20 of minor).
 */
static inline u64 btrfs_make_rdev(u32 major, u32 minor)
{
	return (u64)major << 20 | minor;
}

struct btrfs_timespec btrfs_make_timespec(struct timespec time);

struct btrfs_inode_meta {
	u64 generation;
	u64 size;
	u64 nbytes;
	u32 nlink;
	u32 uid;
	u32 gid;
	u32 mode;
	u64 rdev;
	u64 flags;
	struct timespec atime;
	struct timespec ctime;
	struct timespec mtime;
	struct timespec otime;
};

void btrfs_fill_inode_item(struct btrfs_inode_item *item, const struct btrfs_inode_meta *meta);

#endif
