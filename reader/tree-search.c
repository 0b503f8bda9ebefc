// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The item cursor: see tree-search.h. Levels strictly decrease on the way down and keys strictly
 * increase on the way right (both are part of a block's identity), so it ends on any image.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/tree-search.h"

int btrfs_cursor_init(struct btrfs_cursor *cursor, const struct btrfs_image *image,
		      const struct btrfs_tree_root *root)
{
	int level;

	memset(cursor, 0, sizeof(*cursor));
	cursor->image = image;
	cursor->root = *root;
	cursor->root_level = MIN(root->level, BTRFS_MAX_LEVEL - 1);
	for (level = 0; level <= cursor->root_level; level++) {
		cursor->block[level] = btrfs_block_buffer(image->check.nodesize);
		if (!cursor->block[level]) {
			btrfs_cursor_release(cursor);
			return -ENOMEM;
		}
	}
	return 0;
}

void btrfs_cursor_release(struct btrfs_cursor *cursor)
{
	int level;

	for (level = 0; level < BTRFS_MAX_LEVEL; level++) {
		free(cursor->block[level]);
		cursor->block[level] = NULL;
	}
}

static bool same_ref(const struct btrfs_block_ref *a, const struct btrfs_block_ref *b)
{
	return a->bytenr == b->bytenr && a->parent == b->parent && a->slot == b->slot;
}

/* Brings the block at @ref to its level. Returns 0; 1: it has no good copy; -ENOMEM. */
static int load(struct btrfs_cursor *cursor, int level, const struct btrfs_block_ref *ref)
{
	int ret;

	if (cursor->ref[level].bytenr && same_ref(&cursor->ref[level], ref))
		return 0;
	cursor->ref[level].bytenr = 0;
	ret = btrfs_read_block(cursor->image, ref, cursor->block[level], NULL);
	if (ret == -EUCLEAN) {
		cursor->skipped_blocks++;
		return 1;
	}
	if (!ret)
		cursor->ref[level] = *ref;
	return ret;
}

/* The last slot with a key <= @key; slot 0 where there is none. */
static u32 floor_slot(const void *block, const struct btrfs_key *key)
{
	u32 low = 0;
	u32 high = btrfs_header_nritems(block);

	while (low < high) {
		const u32 middle = low + (high - low) / 2;
		const struct btrfs_key found = btrfs_slot_key(block, middle);

		if (btrfs_comp_cpu_keys(&found, key) > 0)
			high = middle;
		else
			low = middle + 1;
	}
	return low ? low - 1 : 0;
}

static int present(struct btrfs_cursor *cursor)
{
	cursor->leaf = cursor->block[0];
	cursor->slot = cursor->slots[0];
	cursor->key = btrfs_item_key(cursor->leaf, cursor->slot);
	cursor->item = btrfs_item_ptr(cursor->leaf, cursor->slot);
	cursor->size = btrfs_item_size(cursor->leaf, cursor->slot);
	cursor->leaf_ref = cursor->ref[0];
	return 0;
}

/*
 * From the slot chosen at @level down to an item: towards @key at first, leftmost as soon
 * as anything had to be stepped over.
 */
static int settle(struct btrfs_cursor *cursor, int level, const struct btrfs_key *key)
{
	for (;;) {
		const void *block = cursor->block[level];
		struct btrfs_block_ref child;
		int ret;

		if (cursor->slots[level] >= btrfs_header_nritems(block)) {
			if (level == cursor->root_level)
				return 1;
			level++;
			cursor->slots[level]++;
			key = NULL;
			continue;
		}
		if (!level)
			return present(cursor);
		child = btrfs_child_ref(&cursor->ref[level], block, cursor->slots[level]);
		ret = load(cursor, level - 1, &child);
		if (ret < 0)
			return ret;
		if (ret) {
			cursor->slots[level]++;
			key = NULL;
			continue;
		}
		level--;
		cursor->slots[level] = key ? floor_slot(cursor->block[level], key) : 0;
	}
}

int btrfs_cursor_seek_floor(struct btrfs_cursor *cursor, const struct btrfs_key *key)
{
	const struct btrfs_block_ref ref = btrfs_root_ref(&cursor->root);
	const int level = cursor->root_level;
	int ret = load(cursor, level, &ref);

	if (ret)
		return ret;
	cursor->slots[level] = floor_slot(cursor->block[level], key);
	return settle(cursor, level, key);
}

int btrfs_cursor_seek(struct btrfs_cursor *cursor, const struct btrfs_key *key)
{
	int ret = btrfs_cursor_seek_floor(cursor, key);

	while (!ret && btrfs_comp_cpu_keys(&cursor->key, key) < 0)
		ret = btrfs_cursor_next(cursor);
	return ret;
}

int btrfs_cursor_next(struct btrfs_cursor *cursor)
{
	cursor->slots[0]++;
	return settle(cursor, 0, NULL);
}
