// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checks of extent items with their inline back references, and of back references
 * with keys of their own.
 */
#include <errno.h>
#include <inttypes.h>

#include "common/checked.h"
#include "kernel-shared/extent-item.h"
#include "kernel-shared/tree-checker-item.h"

/* An inline EXTENT_DATA_REF has its struct behind the type, where others have `offset`. */
#define INLINE_DATA_REF_SIZE	(1 + sizeof(struct btrfs_extent_data_ref))
#define INLINE_SHARED_DATA_SIZE	\
	(sizeof(struct btrfs_extent_inline_ref) + sizeof(struct btrfs_shared_data_ref))

static int check_block_level(const struct checked_item *item, u64 level)
{
	if (level >= BTRFS_MAX_LEVEL)
		return item_fault(item, "level %" PRIu64 ", must be below %u", level, BTRFS_MAX_LEVEL);
	return 0;
}

static int check_extent_key(const struct checked_item *item, bool tree_block)
{
	const struct btrfs_key *key = &item->key;

	if (key->type == BTRFS_EXTENT_ITEM_KEY) {
		if (tree_block && key->offset != item->ctx->nodesize)
			return item_fault(item, "tree block of %" PRIu64 " bytes, the nodesize is %u",
					  (u64)key->offset, item->ctx->nodesize);
		return check_range(item, "extent", key->objectid, key->offset);
	}
	if (!(item->ctx->incompat_flags & BTRFS_FEATURE_INCOMPAT_SKINNY_METADATA))
		return item_fault(item, "skinny metadata item, but the filesystem lacks that feature");
	if (!tree_block)
		return item_fault(item, "metadata item is not flagged as tree block");
	if (check_block_level(item, key->offset))
		return -EUCLEAN;
	return check_range(item, "tree block", key->objectid, item->ctx->nodesize);
}

static int check_extent_flags(const struct checked_item *item, u64 flags)
{
	const u64 kind = flags & (BTRFS_EXTENT_FLAG_DATA | BTRFS_EXTENT_FLAG_TREE_BLOCK);
	const u64 known = BTRFS_EXTENT_FLAG_DATA | BTRFS_EXTENT_FLAG_TREE_BLOCK |
			  BTRFS_BLOCK_FLAG_FULL_BACKREF;

	if (!is_power_of_2(kind))
		return item_fault(item, "extent flags 0x%" PRIx64 ", must be either data or tree block",
				  flags);
	if (flags & ~known)
		return item_fault(item, "extent flags 0x%" PRIx64 ", unknown are 0x%" PRIx64, flags,
				  flags & ~known);
	if (kind == BTRFS_EXTENT_FLAG_DATA && (flags & BTRFS_BLOCK_FLAG_FULL_BACKREF))
		return item_fault(item, "extent flags 0x%" PRIx64 ": full backref is for tree blocks", flags);
	return 0;
}

/* Bytes of an inline reference of @type; 0 when @type cannot stand in such an item. */
static u32 inline_ref_size(u8 type, bool tree_block)
{
	switch (type) {
	case BTRFS_TREE_BLOCK_REF_KEY:
	case BTRFS_SHARED_BLOCK_REF_KEY:
		return tree_block ? (u32)sizeof(struct btrfs_extent_inline_ref) : 0;
	case BTRFS_EXTENT_DATA_REF_KEY:
		return tree_block ? 0 : (u32)INLINE_DATA_REF_SIZE;
	case BTRFS_SHARED_DATA_REF_KEY:
		return tree_block ? 0 : (u32)INLINE_SHARED_DATA_SIZE;
	case BTRFS_EXTENT_OWNER_REF_KEY:
		return tree_block ? 0 : (u32)sizeof(struct btrfs_extent_inline_ref);
	default:
		return 0;
	}
}

static int check_parent(const struct checked_item *item, u64 parent)
{
	if (!parent)
		return item_fault(item, "shared reference from block 0");
	return check_aligned(item, "block of a shared reference", parent);
}

static int check_data_ref(const struct checked_item *item, const struct btrfs_extent_data_ref *ref)
{
	if (!ref->count)
		return item_fault(item, "reference with count 0");
	/* The file offset minus the offset inside the extent: it may be negative. */
	return check_aligned(item, "file offset of a reference", le64_to_cpu(ref->offset));
}

/* What one inline reference says; *count: how many references it stands for. */
static int check_inline_ref(const struct checked_item *item, const struct btrfs_extent_inline_ref *ref,
			    u64 *count)
{
	const struct btrfs_extent_data_ref *data = (const void *)&ref->offset;
	const struct btrfs_shared_data_ref *shared = (const void *)(ref + 1);
	const u64 offset = le64_to_cpu(ref->offset);

	switch (ref->type) {
	case BTRFS_TREE_BLOCK_REF_KEY:
		*count = 1;
		if (!offset)
			return item_fault(item, "reference from tree 0");
		return 0;
	case BTRFS_SHARED_BLOCK_REF_KEY:
		*count = 1;
		return check_parent(item, offset);
	case BTRFS_EXTENT_DATA_REF_KEY:
		*count = le32_to_cpu(data->count);
		return check_data_ref(item, data);
	case BTRFS_SHARED_DATA_REF_KEY:
		*count = le32_to_cpu(shared->count);
		if (!*count)
			return item_fault(item, "shared reference with count 0");
		return check_parent(item, offset);
	default:
		*count = 0;	/* the owner for simple quotas refers to nothing */
		return 0;
	}
}

/* The references from @pos on fill the item exactly, their types ascend, and they are no more than @refs. */
static int check_inline_refs(const struct checked_item *item, u32 pos, bool tree_block, u64 refs)
{
	u8 last_type = 0;
	u64 sum = 0;

	while (pos < item->size) {
		const struct btrfs_extent_inline_ref *ref = (const void *)(item->data + pos);
		const u32 size = inline_ref_size(ref->type, tree_block);
		u64 count;
		int ret;

		if (!size)
			return item_fault(item, "inline reference type %u in an item of %s", ref->type,
					  tree_block ? "a tree block" : "data");
		if (size > item->size - pos)
			return item_fault(item, "inline reference of %u bytes, the item has %u left", size,
					  item->size - pos);
		if (ref->type < last_type)
			return item_fault(item, "inline reference type %u behind type %u", ref->type,
					  last_type);
		ret = check_inline_ref(item, ref, &count);
		if (ret)
			return ret;
		last_type = ref->type;
		sum += count;
		pos += size;
	}
	if (sum > refs)
		return item_fault(item, "refs %" PRIu64 ", but %" PRIu64 " inline references", refs, sum);
	return 0;
}

/* Without skinny metadata the item of a tree block also has its first key and level. *pos moves behind. */
static int check_tree_block_info(const struct checked_item *item, u32 *pos)
{
	const struct btrfs_tree_block_info *info = (const void *)(item->data + *pos);

	if (item->size - *pos < sizeof(*info))
		return item_fault(item, "item of %u bytes, must be at least %zu", item->size,
				  *pos + sizeof(*info));
	*pos += (u32)sizeof(*info);
	return check_block_level(item, info->level);
}

int check_extent_item(const struct checked_item *item)
{
	const struct btrfs_extent_item *extent = (const void *)item->data;
	u32 pos = sizeof(*extent);
	bool tree_block;
	u64 refs;
	int ret;

	if (item->size < sizeof(*extent))
		return item_fault(item, "item of %u bytes, must be at least %zu", item->size,
				  sizeof(*extent));
	refs = le64_to_cpu(extent->refs);
	tree_block = le64_to_cpu(extent->flags) & BTRFS_EXTENT_FLAG_TREE_BLOCK;

	ret = check_extent_flags(item, le64_to_cpu(extent->flags));
	if (!ret)
		ret = check_extent_key(item, tree_block);
	if (!ret)
		ret = check_generation(item, "generation", le64_to_cpu(extent->generation));
	if (!ret && tree_block && item->key.type == BTRFS_EXTENT_ITEM_KEY)
		ret = check_tree_block_info(item, &pos);
	if (ret)
		return ret;
	if (!refs)
		return item_fault(item, "refs 0");
	return check_inline_refs(item, pos, tree_block, refs);
}

int check_keyed_block_ref(const struct checked_item *item)
{
	int ret;

	ret = check_item_size(item, 0);
	if (!ret)
		ret = check_aligned(item, "tree block", item->key.objectid);
	if (!ret && item->key.type == BTRFS_SHARED_BLOCK_REF_KEY)
		ret = check_parent(item, item->key.offset);
	return ret;
}

int check_keyed_extent_data_ref(const struct checked_item *item)
{
	const struct btrfs_extent_data_ref *refs = (const void *)item->data;
	const u32 nr = item->size / (u32)sizeof(*refs);
	u32 i;
	int ret;

	if (!nr || item->size % sizeof(*refs))
		return item_fault(item, "item of %u bytes, must be a positive multiple of %zu", item->size,
				  sizeof(*refs));
	ret = check_aligned(item, "extent", item->key.objectid);
	for (i = 0; !ret && i < nr; i++)
		ret = check_data_ref(item, &refs[i]);
	return ret;
}

int check_keyed_shared_data_ref(const struct checked_item *item)
{
	const struct btrfs_shared_data_ref *ref = (const void *)item->data;
	int ret;

	ret = check_item_size(item, sizeof(*ref));
	if (!ret)
		ret = check_aligned(item, "extent", item->key.objectid);
	if (!ret)
		ret = check_parent(item, item->key.offset);
	if (!ret && !ref->count)
		return item_fault(item, "shared reference with count 0");
	return ret;
}
