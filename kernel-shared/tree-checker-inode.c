// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checks of inodes and of what points back to their names.
 */
#include <inttypes.h>
#include <sys/stat.h>

#include "kernel-shared/inode-item.h"
#include "kernel-shared/tree-checker-item.h"

#define KNOWN_INODE_FLAGS \
	(BTRFS_INODE_NODATASUM | BTRFS_INODE_NODATACOW | BTRFS_INODE_READONLY | BTRFS_INODE_NOCOMPRESS | \
	 BTRFS_INODE_PREALLOC | BTRFS_INODE_SYNC | BTRFS_INODE_IMMUTABLE | BTRFS_INODE_APPEND | \
	 BTRFS_INODE_NODUMP | BTRFS_INODE_NOATIME | BTRFS_INODE_DIRSYNC | BTRFS_INODE_COMPRESS | \
	 BTRFS_INODE_ROOT_ITEM_INIT)

static int check_inode_key(const struct checked_item *item)
{
	const u64 ino = item->key.objectid;

	if ((ino < BTRFS_FIRST_FREE_OBJECTID || ino > BTRFS_LAST_FREE_OBJECTID) &&
	    ino != BTRFS_ROOT_TREE_DIR_OBJECTID && ino != BTRFS_FREE_INO_OBJECTID)
		return item_fault(item, "inode number %" PRIu64 ", must be %u to %" PRIu64, ino,
				  (unsigned)BTRFS_FIRST_FREE_OBJECTID, (u64)BTRFS_LAST_FREE_OBJECTID);
	if (item->key.offset)
		return item_fault(item, "key offset %" PRIu64 ", must be 0", (u64)item->key.offset);
	return 0;
}

static int check_inode_mode(const struct checked_item *item, u32 mode, u32 nlink)
{
	if (mode & ~(u32)(S_IFMT | 07777))
		return item_fault(item, "mode 0%o has unknown bits", mode);
	switch (mode & S_IFMT) {
	case S_IFREG:
	case S_IFDIR:
	case S_IFLNK:
	case S_IFCHR:
	case S_IFBLK:
	case S_IFIFO:
	case S_IFSOCK:
		break;
	default:
		return item_fault(item, "mode 0%o has no valid file type", mode);
	}
	if (S_ISDIR(mode) && nlink > 1)
		return item_fault(item, "directory with %u links, must be 0 or 1", nlink);
	return 0;
}

int check_inode_item(const struct checked_item *item)
{
	const struct btrfs_inode_item *inode = (const void *)item->data;
	u64 flags;
	int ret;

	ret = check_inode_key(item);
	if (!ret)
		ret = check_item_size(item, sizeof(*inode));
	if (!ret)
		ret = check_generation(item, "generation", le64_to_cpu(inode->generation));
	if (!ret)
		ret = check_generation(item, "transid", le64_to_cpu(inode->transid));
	if (!ret)
		ret = check_inode_mode(item, le32_to_cpu(inode->mode), le32_to_cpu(inode->nlink));
	if (ret)
		return ret;
	/* The upper half holds flags that older programs may ignore. */
	flags = le64_to_cpu(inode->flags) & UINT32_MAX;
	if (flags & ~(u64)KNOWN_INODE_FLAGS)
		return item_fault(item, "inode flags 0x%" PRIx64 ", unknown are 0x%" PRIx64, flags,
				  flags & ~(u64)KNOWN_INODE_FLAGS);
	return 0;
}

/* A file name has no slash; other bytes are free. */
static int check_file_name(const struct checked_item *item, const u8 *name, u32 len, u32 left)
{
	int ret = check_name(item, name, len, left);

	if (!ret && memchr(name, '/', len))
		return item_fault(item, "file name contains a slash");
	return ret;
}

int check_inode_ref(const struct checked_item *item)
{
	u32 pos = 0;
	int ret;

	ret = check_previous_inode(item);
	if (ret)
		return ret;
	do {
		const struct btrfs_inode_ref *ref = (const void *)(item->data + pos);
		const u32 left = item->size - pos;
		u32 len;

		if (left < sizeof(*ref))
			return item_fault(item, "inode ref of %zu bytes is cut off, the item has %u left",
					  sizeof(*ref), left);
		len = le16_to_cpu(ref->name_len);
		ret = check_file_name(item, (const u8 *)(ref + 1), len, left - (u32)sizeof(*ref));
		if (ret)
			return ret;
		pos += (u32)sizeof(*ref) + len;
	} while (pos < item->size);
	return 0;
}

static int check_one_extref(const struct checked_item *item, const struct btrfs_inode_extref *ref, u32 left,
			    u32 *size)
{
	const u64 parent = le64_to_cpu(ref->parent_objectid);
	const u32 len = le16_to_cpu(ref->name_len);
	u64 hash;
	int ret;

	ret = check_file_name(item, ref->name, len, left - (u32)sizeof(*ref));
	if (ret)
		return ret;
	hash = btrfs_extref_hash(parent, ref->name, len);
	if (hash != item->key.offset)
		return item_fault(item, "hash of parent and name 0x%" PRIx64 ", the key says 0x%" PRIx64,
				  hash, (u64)item->key.offset);
	*size = btrfs_inode_extref_size(len);
	return 0;
}

int check_inode_extref(const struct checked_item *item)
{
	u32 pos = 0;
	u32 size = 0;
	int ret;

	ret = check_previous_inode(item);
	if (ret)
		return ret;
	do {
		const u32 left = item->size - pos;

		if (left < sizeof(struct btrfs_inode_extref))
			return item_fault(item,
					  "extended inode ref of %zu bytes is cut off, the item has %u left",
					  sizeof(struct btrfs_inode_extref), left);
		ret = check_one_extref(item, (const void *)(item->data + pos), left, &size);
		if (ret)
			return ret;
		pos += size;
	} while (pos < item->size);
	return 0;
}

int check_orphan_item(const struct checked_item *item)
{
	return check_item_size(item, 0);
}

int check_dir_log(const struct checked_item *item)
{
	return check_item_size(item, sizeof(struct btrfs_dir_log_item));
}
