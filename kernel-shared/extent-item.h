/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of allocated space: extent items with their inline back references, and
 * block group items.
 */
#ifndef BO_KERNEL_SHARED_EXTENT_ITEM_H
#define BO_KERNEL_SHARED_EXTENT_ITEM_H

#include "kernel-shared/ctree.h"

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

void btrfs_fill_skinny(struct btrfs_skinny_record *record, u64 generation, u64 root);
void btrfs_fill_tree_block(struct btrfs_tree_block_record *record, u64 generation, u64 root,
			   const struct btrfs_disk_key *first_key, u8 level);

/* Bytes of one EXTENT_DATA_REF inside an extent item: the type, and the struct behind it. */
#define BTRFS_INLINE_DATA_REF_SIZE	(1 + sizeof(struct btrfs_extent_data_ref))

/*
 * References that the kernel keeps inside an extent item before it makes items of their own: a 16th of a leaf.
 * @owned: the item also has the EXTENT_OWNER_REF of simple quotas.
 */
u32 btrfs_max_inline_data_refs(u32 nodesize, bool owned);
/*
 * Orders references inside an extent item (largest first) and is the key offset of those outside. Source: as the
 * kernel's tree-checker demands it of inline references, and btrfs check of keyed ones.
 */
u64 btrfs_hash_extent_data_ref(u64 root, u64 ino, u64 offset);

void btrfs_fill_block_group(struct btrfs_block_group_item *item, u64 used, u64 flags);

#endif
