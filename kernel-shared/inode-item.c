// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Builder of inode items: see inode-item.h.
 */
#include "kernel-shared/inode-item.h"

struct btrfs_timespec btrfs_make_timespec(struct timespec time)
{
	return (struct btrfs_timespec){
		.sec = cpu_to_le64((u64)time.tv_sec),
		.nsec = cpu_to_le32((u32)time.tv_nsec),
	};
}

void btrfs_fill_inode_item(struct btrfs_inode_item *item, const struct btrfs_inode_meta *meta)
{
	memset(item, 0, sizeof(*item));
	item->generation = cpu_to_le64(meta->generation);
	item->transid = cpu_to_le64(meta->generation);
	item->size = cpu_to_le64(meta->size);
	item->nbytes = cpu_to_le64(meta->nbytes);
	item->nlink = cpu_to_le32(meta->nlink);
	item->uid = cpu_to_le32(meta->uid);
	item->gid = cpu_to_le32(meta->gid);
	item->mode = cpu_to_le32(meta->mode);
	item->rdev = cpu_to_le64(meta->rdev);
	item->flags = cpu_to_le64(meta->flags);
	item->atime = btrfs_make_timespec(meta->atime);
	item->ctime = btrfs_make_timespec(meta->ctime);
	item->mtime = btrfs_make_timespec(meta->mtime);
	item->otime = btrfs_make_timespec(meta->otime);
}
