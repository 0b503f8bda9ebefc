// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the checks of all kinds of items share: see tree-checker-item.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "common/checked.h"
#include "kernel-shared/tree-checker-item.h"

struct checked_item checked_item_at(const struct btrfs_check_context *ctx, const void *leaf, u32 slot)
{
	return (struct checked_item){
		.ctx = ctx,
		.leaf = leaf,
		.slot = slot,
		.key = btrfs_item_key(leaf, slot),
		.data = btrfs_item_ptr(leaf, slot),
		.size = btrfs_item_size(leaf, slot),
	};
}

int item_fault(const struct checked_item *item, const char *fmt, ...)
{
	struct btrfs_reason reason;
	va_list args;

	if (item->report) {
		va_start(args, fmt);
		vsnprintf(reason.text, sizeof(reason.text), fmt, args);
		va_end(args);
		item->report(item->arg, (int)item->slot, &item->key, reason.text);
	}
	return -EUCLEAN;
}

bool previous_item(const struct checked_item *item, struct checked_item *previous)
{
	if (!item->slot)
		return false;
	*previous = checked_item_at(item->ctx, item->leaf, item->slot - 1);
	return true;
}

int check_item_size(const struct checked_item *item, size_t size)
{
	if (item->size != size)
		return item_fault(item, "item of %u bytes, must be %zu", item->size, size);
	return 0;
}

int check_generation(const struct checked_item *item, const char *what, u64 generation)
{
	u64 max;

	if (!check_add_overflow(item->ctx->generation, (u64)1, &max) && generation > max)
		return item_fault(item, "%s %" PRIu64 ", at most %" PRIu64 " possible", what, generation,
				  max);
	return 0;
}

int check_aligned(const struct checked_item *item, const char *what, u64 value)
{
	if (!IS_ALIGNED(value, item->ctx->sectorsize))
		return item_fault(item, "%s %" PRIu64 " is not aligned to the sectorsize %u", what, value,
				  item->ctx->sectorsize);
	return 0;
}

int check_range(const struct checked_item *item, const char *what, u64 start, u64 length)
{
	if (!IS_ALIGNED(start, item->ctx->sectorsize))
		return item_fault(item, "%s start %" PRIu64 " is not aligned to the sectorsize %u", what,
				  start, item->ctx->sectorsize);
	if (!length || !IS_ALIGNED(length, item->ctx->sectorsize))
		return item_fault(item,
				  "%s length %" PRIu64 ", must be a positive multiple of the sectorsize %u",
				  what, length, item->ctx->sectorsize);
	if (range_exceeds(start, length, UINT64_MAX))
		return item_fault(item, "%s at %" PRIu64 " of length %" PRIu64 " wraps around", what, start,
				  length);
	return 0;
}

int check_name(const struct checked_item *item, const u8 *name, u32 len, u32 left)
{
	if (!len || len > BTRFS_NAME_LEN)
		return item_fault(item, "name of %u bytes, must be 1 to %u", len, BTRFS_NAME_LEN);
	if (len > left)
		return item_fault(item, "name of %u bytes reaches beyond the item, which has %u left", len,
				  left);
	if (memchr(name, 0, len))
		return item_fault(item, "name contains a NUL byte");
	return 0;
}

int check_previous_inode(const struct checked_item *item)
{
	const u64 owner = item_owner(item);
	struct checked_item previous;

	if (!btrfs_is_fstree(owner) || owner == BTRFS_DATA_RELOC_TREE_OBJECTID)
		return 0;
	if (previous_item(item, &previous) && previous.key.objectid != item->key.objectid)
		return item_fault(item, "no inode item: the item before belongs to inode %" PRIu64,
				  (u64)previous.key.objectid);
	return 0;
}
