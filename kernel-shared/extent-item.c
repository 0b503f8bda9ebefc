// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Builders of extent and block group items: see extent-item.h.
 */
#include "kernel-shared/extent-item.h"

static struct btrfs_extent_item extent_item(u64 generation, u64 flags)
{
	return (struct btrfs_extent_item){
		.refs = cpu_to_le64(1),
		.generation = cpu_to_le64(generation),
		.flags = cpu_to_le64(flags),
	};
}

void btrfs_fill_data_extent(struct btrfs_data_extent_record *record, u64 generation, u64 root, u64 ino,
			    u64 offset)
{
	record->item = extent_item(generation, BTRFS_EXTENT_FLAG_DATA);
	record->ref_type = BTRFS_EXTENT_DATA_REF_KEY;
	record->ref = (struct btrfs_extent_data_ref){
		.root = cpu_to_le64(root),
		.objectid = cpu_to_le64(ino),
		.offset = cpu_to_le64(offset),
		.count = cpu_to_le32(1),
	};
}

void btrfs_fill_skinny(struct btrfs_skinny_record *record, u64 generation, u64 root)
{
	record->item = extent_item(generation, BTRFS_EXTENT_FLAG_TREE_BLOCK);
	record->ref.type = BTRFS_TREE_BLOCK_REF_KEY;
	record->ref.offset = cpu_to_le64(root);
}

void btrfs_fill_tree_block(struct btrfs_tree_block_record *record, u64 generation, u64 root,
			   const struct btrfs_key *first_key, u8 level)
{
	record->item = extent_item(generation, BTRFS_EXTENT_FLAG_TREE_BLOCK);
	record->info.key = btrfs_cpu_key_to_disk(first_key);
	record->info.level = level;
	record->ref.type = BTRFS_TREE_BLOCK_REF_KEY;
	record->ref.offset = cpu_to_le64(root);
}

void btrfs_fill_block_group(struct btrfs_block_group_item *item, u64 used, u64 flags)
{
	item->used = cpu_to_le64(used);
	item->chunk_objectid = cpu_to_le64(BTRFS_FIRST_CHUNK_TREE_OBJECTID);
	item->flags = cpu_to_le64(flags);
}
