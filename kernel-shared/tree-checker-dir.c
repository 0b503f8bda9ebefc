// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checks of directory entries and extended attributes, which share a layout.
 */
#include <inttypes.h>

#include "kernel-shared/dir-item.h"
#include "kernel-shared/tree-checker-item.h"

static int check_entry_kind(const struct checked_item *item, const struct btrfs_dir_item *entry)
{
	const bool xattr = item->key.type == BTRFS_XATTR_ITEM_KEY;
	const u8 location = entry->location.type;

	if (entry->type >= BTRFS_FT_MAX || entry->type == BTRFS_FT_UNKNOWN)
		return item_fault(item, "entry type %u, must be 1 to %u", entry->type, BTRFS_FT_MAX - 1);
	if (xattr != (entry->type == BTRFS_FT_XATTR))
		return item_fault(item, "entry type %u in an item of %s", entry->type,
				  xattr ? "attributes" : "directory entries");
	if (!xattr && location != BTRFS_INODE_ITEM_KEY && location != BTRFS_ROOT_ITEM_KEY)
		return item_fault(item, "entry points to a key of type %u, must be %u or %u", location,
				  BTRFS_INODE_ITEM_KEY, BTRFS_ROOT_ITEM_KEY);
	return 0;
}

static int check_entry_lengths(const struct checked_item *item, const struct btrfs_dir_item *entry, u32 left)
{
	const bool xattr = item->key.type == BTRFS_XATTR_ITEM_KEY;
	const u32 name_len = le16_to_cpu(entry->name_len);
	const u32 data_len = le16_to_cpu(entry->data_len);
	const u8 *name = (const u8 *)(entry + 1);
	int ret;

	ret = check_name(item, name, name_len, left);
	if (ret)
		return ret;
	if (!xattr && memchr(name, '/', name_len))
		return item_fault(item, "file name contains a slash");
	if (!xattr && data_len)
		return item_fault(item, "directory entry with %u bytes of data, must have none", data_len);
	if (data_len > left - name_len)
		return item_fault(item, "value of %u bytes reaches beyond the item, which has %u left",
				  data_len, left - name_len);
	return 0;
}

/* @left: bytes from the entry to the end of the item. *size gets the entry's. */
static int check_entry(const struct checked_item *item, const struct btrfs_dir_item *entry, u32 left,
		       u32 *size)
{
	u64 hash;
	int ret;

	if (left < sizeof(*entry))
		return item_fault(item, "entry of %zu bytes is cut off, the item has %u left", sizeof(*entry),
				  left);
	ret = check_entry_kind(item, entry);
	if (!ret)
		ret = check_entry_lengths(item, entry, left - (u32)sizeof(*entry));
	if (ret)
		return ret;
	*size = btrfs_dir_item_size(le16_to_cpu(entry->name_len), le16_to_cpu(entry->data_len));
	if (item->key.type == BTRFS_DIR_INDEX_KEY)
		return 0;
	hash = btrfs_name_hash(entry + 1, le16_to_cpu(entry->name_len));
	if (hash != item->key.offset)
		return item_fault(item, "hash of the name 0x%" PRIx64 ", the key says 0x%" PRIx64, hash,
				  (u64)item->key.offset);
	return 0;
}

/* All entries whose names have the same hash. */
static int check_entries(const struct checked_item *item)
{
	u32 pos = 0;
	u32 size = 0;
	int ret;

	ret = check_previous_inode(item);
	if (ret)
		return ret;
	do {
		ret = check_entry(item, (const void *)(item->data + pos), item->size - pos, &size);
		if (ret)
			return ret;
		pos += size;
	} while (pos < item->size);
	return 0;
}

int check_dir_item(const struct checked_item *item)
{
	return check_entries(item);
}

int check_xattr_item(const struct checked_item *item)
{
	return check_entries(item);
}

int check_dir_index(const struct checked_item *item)
{
	u32 size = 0;
	int ret;

	ret = check_previous_inode(item);
	if (!ret)
		ret = check_entry(item, (const void *)item->data, item->size, &size);
	if (!ret)
		ret = check_item_size(item, size);
	return ret;
}
