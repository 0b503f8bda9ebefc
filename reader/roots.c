// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the trees: see roots.h.
 */
#include <errno.h>
#include <string.h>

#include "kernel-shared/root-item.h"
#include "reader/roots.h"
#include "reader/tree-search.h"

struct btrfs_tree_root btrfs_chunk_tree_root(const struct btrfs_image *image)
{
	return (struct btrfs_tree_root){
		.objectid = BTRFS_CHUNK_TREE_OBJECTID,
		.bytenr = le64_to_cpu(image->super.chunk_root),
		.generation = le64_to_cpu(image->super.chunk_root_generation),
		.level = image->super.chunk_root_level,
		.refs = 1,
	};
}

struct btrfs_tree_root btrfs_root_tree_root(const struct btrfs_image *image)
{
	return (struct btrfs_tree_root){
		.objectid = BTRFS_ROOT_TREE_OBJECTID,
		.bytenr = le64_to_cpu(image->super.root),
		.generation = btrfs_image_generation(image),
		.level = image->super.root_level,
		.refs = 1,
	};
}

bool btrfs_log_tree_root(const struct btrfs_image *image, struct btrfs_tree_root *root)
{
	*root = (struct btrfs_tree_root){
		.objectid = BTRFS_TREE_LOG_OBJECTID,
		.bytenr = le64_to_cpu(image->super.log_root),
		.generation = btrfs_image_generation(image) + 1,
		.level = image->super.log_root_level,
		.refs = 1,
	};
	return root->bytenr != 0;
}

struct btrfs_block_ref btrfs_root_ref(const struct btrfs_tree_root *root)
{
	return (struct btrfs_block_ref){
		.tree = root->objectid,
		.bytenr = root->bytenr,
		.generation = root->generation,
		.level = root->level,
		.slot = -1,
	};
}

int btrfs_parse_root_item(const struct btrfs_key *key, const void *data, u32 size,
			  struct btrfs_tree_root *root)
{
	const struct btrfs_root_item *item = data;

	if (size < BTRFS_ROOT_ITEM_SIZE_V1 || item->level >= BTRFS_MAX_LEVEL)
		return -EUCLEAN;
	*root = (struct btrfs_tree_root){
		.objectid = key->objectid,
		.offset = key->offset,
		.bytenr = le64_to_cpu(item->bytenr),
		.generation = le64_to_cpu(item->generation),
		.level = item->level,
		.refs = le32_to_cpu(item->refs),
		.flags = le64_to_cpu(item->flags),
		.drop_progress = btrfs_disk_key_to_cpu(&item->drop_progress),
		.drop_level = item->drop_level,
	};
	return 0;
}

/* The ROOT_ITEM under @cursor, if it is sound. */
static int cursor_root(const struct btrfs_cursor *cursor, u64 max_generation, struct btrfs_tree_root *root)
{
	struct btrfs_check_context ctx = cursor->image->check;

	ctx.generation = max_generation;
	if (btrfs_check_item(&ctx, cursor->leaf, cursor->slot, NULL, NULL))
		return -EUCLEAN;
	return btrfs_parse_root_item(&cursor->key, cursor->item, cursor->size, root);
}

static int search_root(const struct btrfs_image *image, u64 objectid, struct btrfs_tree_root *root)
{
	const struct btrfs_tree_root root_tree = btrfs_root_tree_root(image);
	const struct btrfs_key last = {
		.objectid = objectid,
		.type = BTRFS_ROOT_ITEM_KEY,
		.offset = (u64)-1,
	};
	struct btrfs_cursor cursor;
	int ret;

	ret = btrfs_cursor_init(&cursor, image, &root_tree);
	if (ret)
		return ret;
	ret = btrfs_cursor_seek_floor(&cursor, &last);
	if (!ret && cursor.key.objectid == objectid && cursor.key.type == BTRFS_ROOT_ITEM_KEY)
		ret = cursor_root(&cursor, btrfs_image_generation(image), root);
	else if (ret >= 0)
		ret = cursor.skipped_blocks ? -EUCLEAN : -ENOENT;
	btrfs_cursor_release(&cursor);
	return ret;
}

int btrfs_find_root(const struct btrfs_image *image, u64 objectid, struct btrfs_tree_root *root)
{
	switch (objectid) {
	case BTRFS_ROOT_TREE_OBJECTID:
		*root = btrfs_root_tree_root(image);
		return 0;
	case BTRFS_CHUNK_TREE_OBJECTID:
		*root = btrfs_chunk_tree_root(image);
		return 0;
	case BTRFS_TREE_LOG_OBJECTID:
		return btrfs_log_tree_root(image, root) ? 0 : -ENOENT;
	default:
		return search_root(image, objectid, root);
	}
}

int btrfs_each_root(const struct btrfs_image *image, const struct btrfs_tree_root *of,
		    int (*each)(void *arg, const struct btrfs_tree_root *root), void *arg)
{
	const bool log = of->objectid == BTRFS_TREE_LOG_OBJECTID;
	const struct btrfs_key start = { 0 };
	struct btrfs_cursor cursor;
	int result = 0;
	int ret;

	ret = btrfs_cursor_init(&cursor, image, of);
	if (ret)
		return ret;
	for (ret = btrfs_cursor_seek(&cursor, &start); !ret && !result; ret = btrfs_cursor_next(&cursor)) {
		struct btrfs_tree_root root;

		if (cursor.key.type != BTRFS_ROOT_ITEM_KEY ||
		    cursor_root(&cursor, btrfs_image_generation(image) + (log ? 1 : 0), &root))
			continue;
		result = each(arg, &root);
	}
	btrfs_cursor_release(&cursor);
	if (result)
		return result;
	return ret < 0 ? ret : 0;
}
