/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of allocated space: extent items with their inline back references, and
 * block group items.
 */
#ifndef BO_KERNEL_SHARED_EXTENT_ITEM_H
#define BO_KERNEL_SHARED_EXTENT_ITEM_H

#include "kernel-shared/ctree.h"

/* EXTENT_ITEM of file data with one inline EXTENT_DATA_REF. */
struct btrfs_data_extent_record {
	struct btrfs_extent_item item;
	__u8 ref_type;
	struct btrfs_extent_data_ref ref;
} __attribute__((__packed__));

/* METADATA_ITEM (skinny) with one inline TREE_BLOCK_REF. */
struct btrfs_skinny_record {
	struct btrfs_extent_item item;
	struct btrfs_extent_inline_ref ref;
} __attribute__((__packed__));

/* EXTENT_ITEM of a tree block, where the filesystem lacks skinny metadata. */
struct btrfs_tree_block_record {
	struct btrfs_extent_item item;
	struct btrfs_tree_block_info info;
	struct btrfs_extent_inline_ref ref;
} __attribute__((__packed__));

void btrfs_fill_data_extent(struct btrfs_data_extent_record *record, u64 generation, u64 root, u64 ino,
			    u64 offset);
void btrfs_fill_skinny(struct btrfs_skinny_record *record, u64 generation, u64 root);
void btrfs_fill_tree_block(struct btrfs_tree_block_record *record, u64 generation, u64 root,
			   const struct btrfs_key *first_key, u8 level);
void btrfs_fill_block_group(struct btrfs_block_group_item *item, u64 used, u64 flags);

#endif
