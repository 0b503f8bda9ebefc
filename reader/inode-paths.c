// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Paths are built from their end: see inode-paths.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel-shared/tree-checker.h"
#include "reader/inode-paths.h"

#define NR_CURSORS	8		/* subvolumes on one path; more take turns */

struct tree_cursor {
	bool open;
	u64 rootid;
	struct btrfs_cursor cursor;
};

struct btrfs_path_finder {
	const struct btrfs_image *image;
	struct tree_cursor cursors[NR_CURSORS];
	unsigned next;			/* to be replaced */
	char *buffer;			/* BTRFS_PATH_MAX_BYTES, filled from its end */
	size_t start;			/* of the path in it */
	unsigned depth;
	u64 steps;
};

/* An entry of a directory. */
struct place {
	u64 rootid;
	u64 dir;
};

int btrfs_path_finder_create(struct btrfs_path_finder **out, const struct btrfs_image *image)
{
	struct btrfs_path_finder *finder = calloc(1, sizeof(*finder));

	if (!finder)
		return -ENOMEM;
	finder->image = image;
	finder->buffer = malloc(BTRFS_PATH_MAX_BYTES);
	if (!finder->buffer) {
		free(finder);
		return -ENOMEM;
	}
	*out = finder;
	return 0;
}

void btrfs_path_finder_destroy(struct btrfs_path_finder *finder)
{
	unsigned i;

	if (!finder)
		return;
	for (i = 0; i < NR_CURSORS; i++) {
		if (finder->cursors[i].open)
			btrfs_cursor_release(&finder->cursors[i].cursor);
	}
	free(finder->buffer);
	free(finder);
}

/* A cursor over the tree. Returns 0, -ENOENT when there is no such tree, or -ENOMEM. */
static int get_cursor(struct btrfs_path_finder *finder, u64 rootid, struct btrfs_cursor **cursor)
{
	struct btrfs_tree_root root;
	struct tree_cursor *slot;
	unsigned i;
	int ret;

	for (i = 0; i < NR_CURSORS; i++) {
		if (finder->cursors[i].open && finder->cursors[i].rootid == rootid) {
			*cursor = &finder->cursors[i].cursor;
			return 0;
		}
	}
	ret = btrfs_find_root(finder->image, rootid, &root);
	if (ret)
		return ret == -ENOMEM ? ret : -ENOENT;
	slot = &finder->cursors[finder->next++ % NR_CURSORS];
	if (slot->open)
		btrfs_cursor_release(&slot->cursor);
	slot->open = false;
	ret = btrfs_cursor_init(&slot->cursor, finder->image, &root);
	if (ret)
		return ret;
	slot->open = true;
	slot->rootid = rootid;
	*cursor = &slot->cursor;
	return 0;
}

/* The first good item of @type at or behind @key.offset. 0, 1: none, -ENOMEM. */
static int seek_item(struct btrfs_path_finder *finder, struct btrfs_cursor *cursor, struct btrfs_key key)
{
	int ret = btrfs_cursor_seek(cursor, &key);

	while (!ret) {
		if (cursor->key.objectid != key.objectid || cursor->key.type != key.type)
			return 1;
		if (!btrfs_check_item(&finder->image->check, cursor->leaf, cursor->slot, NULL, NULL))
			return 0;
		ret = btrfs_cursor_next(cursor);
	}
	return ret;
}

/* The same, in the tree @rootid. *cursor is on it until another tree is asked for. */
static int find_item(struct btrfs_path_finder *finder, u64 rootid, struct btrfs_key key, struct btrfs_cursor **cursor)
{
	int ret = get_cursor(finder, rootid, cursor);

	if (!ret)
		ret = seek_item(finder, *cursor, key);
	return ret == -ENOENT ? 1 : ret;
}

/* ---- building ---- */

static void path_clear(struct btrfs_path_finder *finder)
{
	finder->start = BTRFS_PATH_MAX_BYTES;
	finder->depth = 0;
}

/* "/NAME" in front of what is there. False: a limit is met. */
static bool path_prepend(struct btrfs_path_finder *finder, const void *name, size_t len)
{
	if (finder->depth++ >= BTRFS_PATH_MAX_DEPTH || finder->steps++ >= BTRFS_PATH_MAX_STEPS ||
	    len + 1 > finder->start)
		return false;
	finder->start -= len + 1;
	finder->buffer[finder->start] = '/';
	memcpy(finder->buffer + finder->start + 1, name, len);
	return true;
}

/* The directory's own entry: where it is, its name in front of the path. 0, 1: not known, -ENOMEM. */
static int climb_directory(struct btrfs_path_finder *finder, struct place *place)
{
	const struct btrfs_key key = { .objectid = place->dir, .type = BTRFS_INODE_REF_KEY };
	const struct btrfs_inode_ref *ref;
	struct btrfs_cursor *cursor;
	int ret = find_item(finder, place->rootid, key, &cursor);

	if (ret)
		return ret;
	ref = cursor->item;
	if (!path_prepend(finder, ref + 1, le16_to_cpu(ref->name_len)))
		return 1;
	place->dir = cursor->key.offset;
	return 0;
}

/* The same for the top directory of a subvolume. */
static int climb_subvolume(struct btrfs_path_finder *finder, struct place *place)
{
	const struct btrfs_key key = { .objectid = place->rootid, .type = BTRFS_ROOT_BACKREF_KEY };
	const struct btrfs_root_ref *ref;
	struct btrfs_cursor *cursor;
	int ret = find_item(finder, BTRFS_ROOT_TREE_OBJECTID, key, &cursor);

	if (ret)
		return ret;
	ref = cursor->item;
	if (!path_prepend(finder, ref + 1, le16_to_cpu(ref->name_len)))
		return 1;
	place->rootid = cursor->key.offset;
	place->dir = le64_to_cpu(ref->dirid);
	return 0;
}

/* All directories above. 0: up to the top level, 1: not all of them, -ENOMEM. */
static int climb(struct btrfs_path_finder *finder, struct place place)
{
	struct place mark = place;	/* where we were when the depth was a power of two: to see a loop */
	int ret = 0;

	while (!ret) {
		if (place.dir != BTRFS_FIRST_FREE_OBJECTID)
			ret = climb_directory(finder, &place);
		else if (place.rootid == BTRFS_FS_TREE_OBJECTID)
			return 0;
		else
			ret = climb_subvolume(finder, &place);
		if (place.rootid == mark.rootid && place.dir == mark.dir)
			return ret ? ret : 1;
		if (is_power_of_2(finder->depth))
			mark = place;
	}
	return ret;
}

/* ---- the names of an inode ---- */

struct name_visit {
	struct btrfs_path_finder *finder;
	u64 rootid;
	u64 limit;
	u64 *total;
	btrfs_path_sink each;
	void *arg;
};

static int visit_name(const struct name_visit *visit, u64 dir, const void *name, size_t len)
{
	struct btrfs_path_finder *finder = visit->finder;
	int ret;

	if ((*visit->total)++ >= visit->limit)
		return 0;
	path_clear(finder);
	path_prepend(finder, name, len);
	ret = climb(finder, (struct place){ .rootid = visit->rootid, .dir = dir });
	if (ret < 0)
		return ret;
	return visit->each(visit->arg, finder->buffer + finder->start, BTRFS_PATH_MAX_BYTES - finder->start, !ret);
}

/* The cursor moves while a name is followed, so the item is copied first. It was checked. */
static int visit_item(const struct name_visit *visit, const struct btrfs_key *key, const u8 *item, u32 size)
{
	u32 at = 0;
	int ret = 0;

	while (!ret && at < size) {
		if (key->type == BTRFS_INODE_REF_KEY) {
			const struct btrfs_inode_ref *ref = (const void *)(item + at);

			ret = visit_name(visit, key->offset, ref + 1, le16_to_cpu(ref->name_len));
			at += (u32)sizeof(*ref) + le16_to_cpu(ref->name_len);
		} else {
			const struct btrfs_inode_extref *ref = (const void *)(item + at);

			ret = visit_name(visit, le64_to_cpu(ref->parent_objectid), ref->name,
					 le16_to_cpu(ref->name_len));
			at += (u32)sizeof(*ref) + le16_to_cpu(ref->name_len);
		}
	}
	return ret;
}

static int visit_type(const struct name_visit *visit, u64 ino, u8 type)
{
	struct btrfs_key key = { .objectid = ino, .type = type };
	struct btrfs_cursor *cursor;
	int ret;

	for (;;) {
		u8 *copy;
		u32 size;

		ret = find_item(visit->finder, visit->rootid, key, &cursor);
		if (ret)
			return MIN(ret, 0);
		key = cursor->key;
		size = cursor->size;
		copy = malloc(size);
		if (!copy)
			return -ENOMEM;
		memcpy(copy, cursor->item, size);
		ret = visit_item(visit, &key, copy, size);
		free(copy);
		if (ret || !++key.offset)
			return ret;
	}
}

int btrfs_inode_paths(struct btrfs_path_finder *finder, const struct btrfs_inode_number *inode, u64 limit, u64 *total,
		      btrfs_path_sink each, void *arg)
{
	const struct name_visit visit = {
		.finder = finder, .rootid = inode->rootid, .limit = limit, .total = total, .each = each, .arg = arg,
	};
	int ret;

	*total = 0;
	ret = visit_type(&visit, inode->ino, BTRFS_INODE_REF_KEY);
	return ret ? ret : visit_type(&visit, inode->ino, BTRFS_INODE_EXTREF_KEY);
}
