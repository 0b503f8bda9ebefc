// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Builders of directory entries: see dir-item.h.
 */
#include <sys/stat.h>

#include "kernel-shared/dir-item.h"

u8 btrfs_mode_to_ftype(u32 mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return BTRFS_FT_REG_FILE;
	case S_IFDIR:
		return BTRFS_FT_DIR;
	case S_IFCHR:
		return BTRFS_FT_CHRDEV;
	case S_IFBLK:
		return BTRFS_FT_BLKDEV;
	case S_IFIFO:
		return BTRFS_FT_FIFO;
	case S_IFSOCK:
		return BTRFS_FT_SOCK;
	case S_IFLNK:
		return BTRFS_FT_SYMLINK;
	default:
		return BTRFS_FT_UNKNOWN;
	}
}

void btrfs_fill_dir_item(struct btrfs_dir_item *item, const struct btrfs_key *location, u64 transid, u8 ftype,
			 u16 name_len)
{
	item->location = btrfs_cpu_key_to_disk(location);
	item->transid = cpu_to_le64(transid);
	item->data_len = 0;
	item->name_len = cpu_to_le16(name_len);
	item->type = ftype;
}

void btrfs_fill_xattr_item(struct btrfs_dir_item *item, u64 transid, u16 name_len, u16 data_len)
{
	memset(item, 0, sizeof(*item));
	item->transid = cpu_to_le64(transid);
	item->data_len = cpu_to_le16(data_len);
	item->name_len = cpu_to_le16(name_len);
	item->type = BTRFS_FT_XATTR;
}
