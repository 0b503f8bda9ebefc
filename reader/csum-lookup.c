// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checksums by logical address: see csum-lookup.h.
 */
#include <errno.h>

#include "common/checked.h"
#include "reader/csum-lookup.h"

/* The range of data that the item under the cursor covers. */
struct csum_range {
	u64 start;
	u64 end;
};

enum item_kind {
	ITEM_BEFORE,	/* other items sort before the checksums; malformed ones are passed over too */
	ITEM_CSUM,
	ITEM_BEHIND,
};

int btrfs_csum_lookup_init(struct btrfs_csum_lookup *lookup, const struct btrfs_image *image,
			   const struct btrfs_tree_root *root)
{
	lookup->position = 0;
	lookup->at_item = false;
	return btrfs_cursor_init(&lookup->cursor, image, root);
}

void btrfs_csum_lookup_release(struct btrfs_csum_lookup *lookup)
{
	btrfs_cursor_release(&lookup->cursor);
}

static enum item_kind classify(const struct btrfs_cursor *cursor, struct csum_range *range)
{
	const struct btrfs_check_context *check = &cursor->image->check;
	const struct btrfs_key *key = &cursor->key;
	const struct btrfs_key first = {
		.objectid = BTRFS_EXTENT_CSUM_OBJECTID,
		.type = BTRFS_EXTENT_CSUM_KEY,
	};
	u64 bytes;

	if (key->objectid != first.objectid || key->type != first.type)
		return btrfs_comp_cpu_keys(key, &first) < 0 ? ITEM_BEFORE : ITEM_BEHIND;
	if (!cursor->size || cursor->size % check->csum_size || !IS_ALIGNED(key->offset, check->sectorsize))
		return ITEM_BEFORE;
	bytes = (u64)(cursor->size / check->csum_size) * check->sectorsize;
	range->start = key->offset;
	if (check_add_overflow(range->start, bytes, &range->end))
		return ITEM_BEFORE;
	return ITEM_CSUM;
}

int btrfs_csum_seek(struct btrfs_csum_lookup *lookup, u64 logical)
{
	struct btrfs_key key = { .objectid = BTRFS_EXTENT_CSUM_OBJECTID, .type = BTRFS_EXTENT_CSUM_KEY };
	int ret;

	key.offset = ALIGN_DOWN(logical, lookup->cursor.image->check.sectorsize);
	lookup->position = key.offset;
	ret = btrfs_cursor_seek_floor(&lookup->cursor, &key);
	lookup->at_item = !ret;
	return ret < 0 ? ret : 0;
}

/* To the item that covers the position, or the first behind it. Returns 0; 1: none; -ENOMEM. */
static int find_item(struct btrfs_csum_lookup *lookup, struct csum_range *range)
{
	while (lookup->at_item) {
		const enum item_kind kind = classify(&lookup->cursor, range);
		int ret;

		if (kind == ITEM_BEHIND)
			break;
		if (kind == ITEM_CSUM && range->end > lookup->position)
			return 0;
		ret = btrfs_cursor_next(&lookup->cursor);
		if (ret) {
			lookup->at_item = false;
			return ret;
		}
	}
	return 1;
}

int btrfs_csum_next(struct btrfs_csum_lookup *lookup, u64 end, struct btrfs_csum_run *run)
{
	const struct btrfs_check_context *check = &lookup->cursor.image->check;
	struct csum_range range;
	u64 from, to;
	int ret;

	ret = find_item(lookup, &range);
	if (ret)
		return ret;
	from = MAX(range.start, lookup->position);
	/* A sector that @end cuts still counts; no wrap, since the item's end fits. */
	to = range.end;
	if (end < range.end)
		to = MIN(ALIGN_UP(end, (u64)check->sectorsize), range.end);
	if (from >= to)
		return 1;
	run->logical = from;
	run->nr_sectors = (u32)((to - from) / check->sectorsize);
	run->sums = (const u8 *)lookup->cursor.item +
		    (from - range.start) / check->sectorsize * check->csum_size;
	lookup->position = to;
	return 0;
}

int btrfs_csum_exists(struct btrfs_csum_lookup *lookup, u64 logical, u64 len, bool *exists)
{
	const u64 skipped = lookup->cursor.skipped_blocks;
	struct btrfs_csum_run run;
	u64 end;
	int ret;

	*exists = false;
	if (check_add_overflow(logical, len, &end))
		end = (u64)-1;
	ret = btrfs_csum_seek(lookup, logical);
	if (!ret)
		ret = btrfs_csum_next(lookup, end, &run);
	if (ret < 0)
		return ret;
	*exists = !ret;
	return ret && lookup->cursor.skipped_blocks != skipped ? -EUCLEAN : 0;
}

int btrfs_csum_collect(struct btrfs_csum_lookup *lookup, u64 logical, u64 len,
		       int (*each)(void *arg, const struct btrfs_csum_run *run), void *arg)
{
	struct btrfs_csum_run run;
	u64 end;
	int ret;

	if (check_add_overflow(logical, len, &end))
		end = (u64)-1;
	ret = btrfs_csum_seek(lookup, logical);
	if (ret)
		return ret;
	for (;;) {
		ret = btrfs_csum_next(lookup, end, &run);
		if (ret)
			return ret < 0 ? ret : 0;
		ret = each(arg, &run);
		if (ret)
			return ret;
	}
}
