// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checks of block groups, free space, chunks and devices.
 */
#include <inttypes.h>

#include "common/checked.h"
#include "kernel-shared/tree-checker-item.h"
#include "kernel-shared/volumes.h"

static int check_block_group_flags(const struct checked_item *item, u64 flags)
{
	const u64 profile = flags & BTRFS_BLOCK_GROUP_PROFILE_MASK;
	const u64 kind = flags & BTRFS_BLOCK_GROUP_TYPE_MASK;

	if (flags & ~(BTRFS_BLOCK_GROUP_PROFILE_MASK | BTRFS_BLOCK_GROUP_TYPE_MASK))
		return item_fault(item, "block group flags 0x%" PRIx64 " have unknown bits", flags);
	if (profile && !is_power_of_2(profile))
		return item_fault(item, "block group flags 0x%" PRIx64 " have more than one profile", flags);
	if (!is_power_of_2(kind) && kind != (BTRFS_BLOCK_GROUP_DATA | BTRFS_BLOCK_GROUP_METADATA))
		return item_fault(item, "block group flags 0x%" PRIx64 " have no valid type", flags);
	return 0;
}

int check_block_group_item(const struct checked_item *item)
{
	const struct btrfs_block_group_item *group = (const void *)item->data;
	u64 used;
	int ret;

	ret = check_item_size(item, sizeof(*group));
	if (!ret)
		ret = check_range(item, "block group", item->key.objectid, item->key.offset);
	if (!ret)
		ret = check_block_group_flags(item, le64_to_cpu(group->flags));
	if (ret)
		return ret;
	if (le64_to_cpu(group->chunk_objectid) != BTRFS_FIRST_CHUNK_TREE_OBJECTID)
		return item_fault(item, "chunk_objectid %" PRIu64 ", must be %u",
				  (u64)le64_to_cpu(group->chunk_objectid),
				  (unsigned)BTRFS_FIRST_CHUNK_TREE_OBJECTID);
	used = le64_to_cpu(group->used);
	if (used > item->key.offset)
		return item_fault(item, "used %" PRIu64 ", the block group has %" PRIu64 " bytes", used,
				  (u64)item->key.offset);
	return 0;
}

int check_free_space_info(const struct checked_item *item)
{
	const struct btrfs_free_space_info *info = (const void *)item->data;
	int ret;

	ret = check_item_size(item, sizeof(*info));
	if (!ret)
		ret = check_range(item, "block group", item->key.objectid, item->key.offset);
	if (ret)
		return ret;
	if (le32_to_cpu(info->flags) & ~(u32)BTRFS_FREE_SPACE_USING_BITMAPS)
		return item_fault(item, "free space flags 0x%x, must be 0 or 1", le32_to_cpu(info->flags));
	return 0;
}

int check_free_space_extent(const struct checked_item *item)
{
	int ret = check_item_size(item, 0);

	return ret ? ret : check_range(item, "free space", item->key.objectid, item->key.offset);
}

/* One bit for each sector. */
int check_free_space_bitmap(const struct checked_item *item)
{
	u64 bits;
	int ret;

	ret = check_range(item, "free space bitmap", item->key.objectid, item->key.offset);
	if (ret)
		return ret;
	bits = item->key.offset / item->ctx->sectorsize;
	if (bits / 8 + (bits % 8 != 0) != item->size)
		return item_fault(item, "bitmap of %u bytes for %" PRIu64 " sectors", item->size, bits);
	return 0;
}

/* The free space cache (v1) keeps one of these for each block group, under key type 0. */
int check_free_space_header(const struct checked_item *item)
{
	if (item->key.objectid != BTRFS_FREE_SPACE_OBJECTID && item->key.objectid != BTRFS_FREE_INO_OBJECTID)
		return 0;
	return check_item_size(item, sizeof(struct btrfs_free_space_header));
}

int check_chunk_item(const struct checked_item *item)
{
	const bool allow_mixed = item->ctx->incompat_flags & BTRFS_FEATURE_INCOMPAT_MIXED_GROUPS;
	struct btrfs_reason reason;

	if (btrfs_check_chunk_item(&item->key, item->data, item->size, item->ctx->sectorsize, allow_mixed,
				   &reason))
		return item_fault(item, "%s", reason.text);
	return 0;
}

int check_dev_item(const struct checked_item *item)
{
	const struct btrfs_dev_item *device = (const void *)item->data;
	u64 total;
	u64 used;
	int ret;

	ret = check_item_size(item, sizeof(*device));
	if (ret)
		return ret;
	if (item->key.objectid != BTRFS_DEV_ITEMS_OBJECTID)
		return item_fault(item, "objectid %" PRIu64 ", must be %u", (u64)item->key.objectid,
				  (unsigned)BTRFS_DEV_ITEMS_OBJECTID);
	if (le64_to_cpu(device->devid) != item->key.offset)
		return item_fault(item, "devid %" PRIu64 ", the key says %" PRIu64,
				  (u64)le64_to_cpu(device->devid), (u64)item->key.offset);
	total = le64_to_cpu(device->total_bytes);
	used = le64_to_cpu(device->bytes_used);
	if (used > total)
		return item_fault(item, "bytes_used %" PRIu64 " of a device with %" PRIu64 " bytes", used,
				  total);
	return 0;
}

/* The fields of one device extent, as far as they do not depend on its neighbours. */
static int check_dev_extent_fields(const struct checked_item *item)
{
	const struct btrfs_dev_extent *extent = (const void *)item->data;
	int ret;

	ret = check_item_size(item, sizeof(*extent));
	if (!ret)
		ret = check_range(item, "device extent", item->key.offset, le64_to_cpu(extent->length));
	if (!ret)
		ret = check_aligned(item, "chunk_offset", le64_to_cpu(extent->chunk_offset));
	if (ret)
		return ret;
	if (le64_to_cpu(extent->chunk_tree) != BTRFS_CHUNK_TREE_OBJECTID ||
	    le64_to_cpu(extent->chunk_objectid) != BTRFS_FIRST_CHUNK_TREE_OBJECTID)
		return item_fault(item,
				  "chunk_tree %" PRIu64 ", chunk_objectid %" PRIu64 ", must be %u and %u",
				  (u64)le64_to_cpu(extent->chunk_tree),
				  (u64)le64_to_cpu(extent->chunk_objectid),
				  (unsigned)BTRFS_CHUNK_TREE_OBJECTID,
				  (unsigned)BTRFS_FIRST_CHUNK_TREE_OBJECTID);
	return 0;
}

int check_dev_extent(const struct checked_item *item)
{
	const struct btrfs_dev_extent *extent;
	struct checked_item previous;
	u64 end;
	int ret;

	ret = check_dev_extent_fields(item);
	if (ret || !previous_item(item, &previous))
		return ret;
	if (previous.key.type != item->key.type || previous.key.objectid != item->key.objectid ||
	    check_dev_extent_fields(&previous))
		return 0;
	extent = (const void *)previous.data;
	end = previous.key.offset + le64_to_cpu(extent->length);
	if (end > item->key.offset)
		return item_fault(item, "overlaps the device extent before, which ends at %" PRIu64, end);
	return 0;
}
