/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Directory entries and extended attributes: both are struct btrfs_dir_item
 * followed by the name (and the value of an attribute), found by the hash of the
 * name. Source: the on-disk format documentation, DIR_ITEM and XATTR_ITEM.
 */
#ifndef BO_KERNEL_SHARED_DIR_ITEM_H
#define BO_KERNEL_SHARED_DIR_ITEM_H

#include "crypto/csum.h"
#include "kernel-shared/ctree.h"

/* The key offset of DIR_ITEM and XATTR_ITEM: CRC-32C of the name, register started at ~1. */
static inline u64 btrfs_name_hash(const void *name, size_t len)
{
	return crc32c_raw((u32)~1, name, len);
}

static inline u32 btrfs_dir_item_size(size_t name_len, size_t data_len)
{
	return (u32)(sizeof(struct btrfs_dir_item) + name_len + data_len);
}

/*
 * All entries of one directory (attributes of one inode) with the same hash share an item. The kernel
 * adds to an item only while this many bytes of entries fit: it counts the item header twice.
 */
static inline u32 btrfs_max_dir_item_total(u32 nodesize)
{
	return btrfs_leaf_data_size(nodesize) - 2 * (u32)sizeof(struct btrfs_item);
}

/* Largest name plus value of one attribute. */
static inline u32 btrfs_max_xattr_size(u32 nodesize)
{
	return btrfs_max_item_size(nodesize) - (u32)sizeof(struct btrfs_dir_item);
}

/* BTRFS_FT_* for the type bits of @mode. */
u8 btrfs_mode_to_ftype(u32 mode);

/*
 * The entry without its name at @item. @location: the key of an INODE_ITEM of the same tree, or of a
 * subvolume's ROOT_ITEM. The name follows.
 */
void btrfs_fill_dir_item(struct btrfs_dir_item *item, const struct btrfs_key *location, u64 transid, u8 ftype,
			 u16 name_len);

/* An attribute's entry without name and value: they follow in this order. */
void btrfs_fill_xattr_item(struct btrfs_dir_item *item, u64 transid, u16 name_len, u16 data_len);

#endif
