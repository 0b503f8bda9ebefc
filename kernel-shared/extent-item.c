// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Builders of extent and block group items: see extent-item.h.
 */
#include "crypto/csum.h"
#include "kernel-shared/extent-item.h"

static struct btrfs_extent_item extent_item(u64 generation, u64 flags)
{
	return (struct btrfs_extent_item){
		.refs = cpu_to_le64(1),
		.generation = cpu_to_le64(generation),
		.flags = cpu_to_le64(flags),
	};
}

void btrfs_fill_skinny(struct btrfs_skinny_record *record, u64 generation, u64 root)
{
	record->item = extent_item(generation, BTRFS_EXTENT_FLAG_TREE_BLOCK);
	record->ref.type = BTRFS_TREE_BLOCK_REF_KEY;
	record->ref.offset = cpu_to_le64(root);
}

void btrfs_fill_tree_block(struct btrfs_tree_block_record *record, u64 generation, u64 root,
			   const struct btrfs_disk_key *first_key, u8 level)
{
	record->item = extent_item(generation, BTRFS_EXTENT_FLAG_TREE_BLOCK);
	record->info.key = *first_key;
	record->info.level = level;
	record->ref.type = BTRFS_TREE_BLOCK_REF_KEY;
	record->ref.offset = cpu_to_le64(root);
}

u32 btrfs_max_inline_data_refs(u32 nodesize, bool owned)
{
	const u32 item = btrfs_leaf_data_size(nodesize) / 16 - (u32)sizeof(struct btrfs_item);
	const u32 head = sizeof(struct btrfs_extent_item) + (owned ? sizeof(struct btrfs_extent_inline_ref) : 0);

	return (item - head) / (u32)BTRFS_INLINE_DATA_REF_SIZE;
}

u64 btrfs_hash_extent_data_ref(u64 root, u64 ino, u64 offset)
{
	const __le64 high = cpu_to_le64(root);
	const __le64 low[2] = { cpu_to_le64(ino), cpu_to_le64(offset) };

	return (u64)crc32c_raw((u32)-1, &high, sizeof(high)) << 31 ^ crc32c_raw((u32)-1, low, sizeof(low));
}

void btrfs_fill_block_group(struct btrfs_block_group_item *item, u64 used, u64 flags)
{
	item->used = cpu_to_le64(used);
	item->chunk_objectid = cpu_to_le64(BTRFS_FIRST_CHUNK_TREE_OBJECTID);
	item->flags = cpu_to_le64(flags);
}
