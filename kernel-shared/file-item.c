// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Builders and limits of file extents and checksum items: see file-item.h.
 */
#include "kernel-shared/file-item.h"

u32 btrfs_max_inline(u32 nodesize, u32 sectorsize)
{
	u32 room = btrfs_max_item_size(nodesize) - (u32)BTRFS_FILE_EXTENT_INLINE_DATA_START;

	return MIN(MIN(room, sectorsize - 1), (u32)BTRFS_DEFAULT_MAX_INLINE);
}

u32 btrfs_max_symlink(u32 nodesize)
{
	u32 room = btrfs_max_item_size(nodesize) - (u32)BTRFS_FILE_EXTENT_INLINE_DATA_START;

	return MIN(room, 4095U);
}

static void fill_head(struct btrfs_file_extent_item *item, u64 generation, u64 ram_bytes, u8 type)
{
	item->generation = cpu_to_le64(generation);
	item->ram_bytes = cpu_to_le64(ram_bytes);
	item->compression = 0;
	item->encryption = 0;
	item->other_encoding = 0;
	item->type = type;
}

void btrfs_fill_inline_extent(struct btrfs_file_extent_item *item, u64 generation, u64 ram_bytes, u8 compression)
{
	fill_head(item, generation, ram_bytes, BTRFS_FILE_EXTENT_INLINE);
	item->compression = compression;
}

void btrfs_fill_reg_extent(struct btrfs_file_extent_item *item, u64 generation, u64 disk_bytenr, u64 len)
{
	fill_head(item, generation, len, BTRFS_FILE_EXTENT_REG);
	item->disk_bytenr = cpu_to_le64(disk_bytenr);
	item->disk_num_bytes = cpu_to_le64(len);
	item->offset = 0;
	item->num_bytes = cpu_to_le64(len);
}

void btrfs_fill_compressed_extent(struct btrfs_file_extent_item *item, u64 generation, u64 disk_bytenr, u64 disk_len,
				  u64 ram_len, u8 compression)
{
	btrfs_fill_reg_extent(item, generation, disk_bytenr, ram_len);
	item->disk_num_bytes = cpu_to_le64(disk_len);
	item->compression = compression;
}

void btrfs_fill_hole_extent(struct btrfs_file_extent_item *item, u64 generation, u64 len)
{
	fill_head(item, generation, len, BTRFS_FILE_EXTENT_REG);
	item->disk_bytenr = 0;
	item->disk_num_bytes = 0;
	item->offset = 0;
	item->num_bytes = cpu_to_le64(len);
}

u32 btrfs_max_csum_items(u32 nodesize, u32 csum_size)
{
	u32 room = btrfs_leaf_data_size(nodesize) - 2 * (u32)sizeof(struct btrfs_item);

	return MIN(room / csum_size - 1, 4096U);
}
