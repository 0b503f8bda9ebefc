// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Item tables, nodes, and the table of checks by key type: see tree-checker.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "common/checked.h"
#include "kernel-shared/tree-checker-item.h"

struct block_reporter {
	btrfs_check_report report;
	void *arg;
};

static int block_fault(const struct block_reporter *reporter, int slot, const struct btrfs_key *key,
		       const char *fmt, ...) PRINTF_FORMAT(4, 5);

static int block_fault(const struct block_reporter *reporter, int slot, const struct btrfs_key *key,
		       const char *fmt, ...)
{
	struct btrfs_reason reason;
	va_list args;

	va_start(args, fmt);
	vsnprintf(reason.text, sizeof(reason.text), fmt, args);
	va_end(args);
	reporter->report(reporter->arg, slot, key, reason.text);
	return -EUCLEAN;
}

/* ---- the item table of a leaf ---- */

/* Trees that hold at least one item from mkfs on. */
static bool tree_is_never_empty(u64 owner)
{
	return owner == BTRFS_ROOT_TREE_OBJECTID || owner == BTRFS_CHUNK_TREE_OBJECTID ||
	       owner == BTRFS_DEV_TREE_OBJECTID || owner == BTRFS_FS_TREE_OBJECTID;
}

static int check_leaf_header(const struct btrfs_check_context *ctx, const void *leaf,
			     const struct block_reporter *reporter)
{
	const struct btrfs_header *header = leaf;
	const u32 nritems = btrfs_header_nritems(leaf);
	const u32 max = btrfs_max_nr_items(ctx->nodesize);

	if (header->level)
		return block_fault(reporter, -1, NULL, "level %u, a leaf has 0", header->level);
	if (nritems > max)
		return block_fault(reporter, -1, NULL, "nritems %u, a leaf holds at most %u", nritems, max);
	if (!nritems && tree_is_never_empty(le64_to_cpu(header->owner)))
		return block_fault(reporter, -1, NULL, "no items, but this tree is never empty");
	return 0;
}

/* @end: where the payload must end; it gets the payload's start. */
static int check_item_place(const void *leaf, u32 slot, u32 *end, const struct block_reporter *reporter)
{
	const struct btrfs_item *item = btrfs_leaf_item(leaf, slot);
	const struct btrfs_key key = btrfs_item_key(leaf, slot);
	const u32 table_end = btrfs_header_nritems(leaf) * (u32)sizeof(struct btrfs_item);
	const u32 offset = le32_to_cpu(item->offset);
	const u32 size = le32_to_cpu(item->size);

	if ((u64)offset + size != *end)
		return block_fault(reporter, (int)slot, &key,
				   "payload at %u of %u bytes ends at %" PRIu64 ", must end at %u",
				   offset, size, (u64)offset + size, *end);
	if (offset < table_end)
		return block_fault(reporter, (int)slot, &key,
				   "payload at %u lies over the item headers, which end at %u", offset,
				   table_end);
	*end = offset;
	return 0;
}

int btrfs_check_leaf_items(const struct btrfs_check_context *ctx, const void *leaf,
			   btrfs_check_report report, void *arg)
{
	const struct block_reporter reporter = { report, arg };
	struct btrfs_key previous = { 0 };
	u32 end = btrfs_leaf_data_size(ctx->nodesize);
	u32 nritems;
	u32 slot;
	int ret;

	ret = check_leaf_header(ctx, leaf, &reporter);
	if (ret)
		return ret;
	nritems = btrfs_header_nritems(leaf);
	for (slot = 0; slot < nritems; slot++) {
		const struct btrfs_key key = btrfs_item_key(leaf, slot);

		if (slot && btrfs_comp_cpu_keys(&previous, &key) >= 0)
			return block_fault(&reporter, (int)slot, &key, "key does not follow %s",
					   btrfs_format_key(&previous).text);
		ret = check_item_place(leaf, slot, &end, &reporter);
		if (ret)
			return ret;
		previous = key;
	}
	return 0;
}

/* ---- items by kind ---- */

/* Of these types the content is not looked at, but they are known. */
static int check_nothing(const struct checked_item *item)
{
	(void)item;
	return 0;
}

static int (*const item_checks[256])(const struct checked_item *item) = {
	[0] = check_free_space_header,
	[BTRFS_INODE_ITEM_KEY] = check_inode_item,
	[BTRFS_INODE_REF_KEY] = check_inode_ref,
	[BTRFS_INODE_EXTREF_KEY] = check_inode_extref,
	[BTRFS_XATTR_ITEM_KEY] = check_xattr_item,
	[BTRFS_VERITY_DESC_ITEM_KEY] = check_nothing,
	[BTRFS_VERITY_MERKLE_ITEM_KEY] = check_nothing,
	[BTRFS_ORPHAN_ITEM_KEY] = check_orphan_item,
	[BTRFS_DIR_LOG_ITEM_KEY] = check_dir_log,
	[BTRFS_DIR_LOG_INDEX_KEY] = check_dir_log,
	[BTRFS_DIR_ITEM_KEY] = check_dir_item,
	[BTRFS_DIR_INDEX_KEY] = check_dir_index,
	[BTRFS_EXTENT_DATA_KEY] = check_extent_data,
	[BTRFS_EXTENT_CSUM_KEY] = check_extent_csum,
	[BTRFS_ROOT_ITEM_KEY] = check_root_item,
	[BTRFS_ROOT_BACKREF_KEY] = check_root_ref,
	[BTRFS_ROOT_REF_KEY] = check_root_ref,
	[BTRFS_EXTENT_ITEM_KEY] = check_extent_item,
	[BTRFS_METADATA_ITEM_KEY] = check_extent_item,
	[BTRFS_TREE_BLOCK_REF_KEY] = check_keyed_block_ref,
	[BTRFS_EXTENT_DATA_REF_KEY] = check_keyed_extent_data_ref,
	[BTRFS_SHARED_BLOCK_REF_KEY] = check_keyed_block_ref,
	[BTRFS_SHARED_DATA_REF_KEY] = check_keyed_shared_data_ref,
	[BTRFS_BLOCK_GROUP_ITEM_KEY] = check_block_group_item,
	[BTRFS_FREE_SPACE_INFO_KEY] = check_free_space_info,
	[BTRFS_FREE_SPACE_EXTENT_KEY] = check_free_space_extent,
	[BTRFS_FREE_SPACE_BITMAP_KEY] = check_free_space_bitmap,
	[BTRFS_DEV_EXTENT_KEY] = check_dev_extent,
	[BTRFS_DEV_ITEM_KEY] = check_dev_item,
	[BTRFS_CHUNK_ITEM_KEY] = check_chunk_item,
	[BTRFS_QGROUP_STATUS_KEY] = check_qgroup_status,
	[BTRFS_QGROUP_INFO_KEY] = check_qgroup_info,
	[BTRFS_QGROUP_LIMIT_KEY] = check_qgroup_limit,
	[BTRFS_QGROUP_RELATION_KEY] = check_qgroup_relation,
	[BTRFS_TEMPORARY_ITEM_KEY] = check_temporary_item,
	[BTRFS_PERSISTENT_ITEM_KEY] = check_persistent_item,
	[BTRFS_DEV_REPLACE_KEY] = check_dev_replace,
	[BTRFS_UUID_KEY_SUBVOL] = check_uuid_item,
	[BTRFS_UUID_KEY_RECEIVED_SUBVOL] = check_uuid_item,
	[BTRFS_STRING_ITEM_KEY] = check_nothing,
};

int btrfs_check_item(const struct btrfs_check_context *ctx, const void *leaf, u32 slot,
		     btrfs_check_report report, void *arg)
{
	struct checked_item item = checked_item_at(ctx, leaf, slot);

	item.report = report;
	item.arg = arg;
	return item_checks[item.key.type] ? item_checks[item.key.type](&item) : 0;
}

int btrfs_check_leaf(const struct btrfs_check_context *ctx, const void *leaf,
		     btrfs_check_report report, void *arg, u64 *unknown)
{
	const u32 nritems = btrfs_header_nritems(leaf);
	int reported = 0;
	u32 slot;
	int ret;

	ret = btrfs_check_leaf_items(ctx, leaf, report, arg);
	if (ret)
		return ret;
	for (slot = 0; slot < nritems; slot++) {
		if (!item_checks[btrfs_leaf_item(leaf, slot)->key.type]) {
			if (unknown)
				(*unknown)++;
			continue;
		}
		if (btrfs_check_item(ctx, leaf, slot, report, arg))
			reported++;
	}
	return reported;
}

/* ---- nodes ---- */

static int check_node_header(const struct btrfs_check_context *ctx, const void *node,
			     const struct block_reporter *reporter)
{
	const u8 level = btrfs_block_header(node)->level;
	const u32 nritems = btrfs_header_nritems(node);
	const u32 max = btrfs_max_nr_ptrs(ctx->nodesize);

	if (!level || level >= BTRFS_MAX_LEVEL)
		return block_fault(reporter, -1, NULL, "level %u, a node has 1 to %u", level,
				   BTRFS_MAX_LEVEL - 1);
	if (!nritems || nritems > max)
		return block_fault(reporter, -1, NULL, "nritems %u, a node holds 1 to %u", nritems, max);
	return 0;
}

int btrfs_check_node(const struct btrfs_check_context *ctx, const void *node,
		     btrfs_check_report report, void *arg)
{
	const struct block_reporter reporter = { report, arg };
	struct btrfs_key previous = { 0 };
	u32 nritems;
	u32 slot;
	int ret;

	ret = check_node_header(ctx, node, &reporter);
	if (ret)
		return ret;
	nritems = btrfs_header_nritems(node);
	for (slot = 0; slot < nritems; slot++) {
		const struct btrfs_key key = btrfs_node_key(node, slot);
		const u64 blockptr = le64_to_cpu(btrfs_node_ptr(node, slot)->blockptr);

		if (!blockptr)
			ret = block_fault(&reporter, (int)slot, &key, "block pointer is 0");
		else if (!IS_ALIGNED(blockptr, ctx->sectorsize))
			ret = block_fault(&reporter, (int)slot, &key,
					  "block pointer %" PRIu64 " is not aligned to the sectorsize %u",
					  blockptr, ctx->sectorsize);
		if (slot && btrfs_comp_cpu_keys(&previous, &key) >= 0)
			ret = block_fault(&reporter, (int)slot, &key, "key does not follow %s",
					  btrfs_format_key(&previous).text);
		previous = key;
	}
	return ret;
}
