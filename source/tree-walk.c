// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks a tree with a stack of its own: see tree-walk.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "common/message.h"
#include "source/path.h"
#include "source/tree-walk.h"

int tree_walk_init(struct tree_walk *walk, const struct source_options *options, bool quiet)
{
	int ret;

	memset(walk, 0, sizeof(*walk));
	walk->options = options;
	walk->quiet = quiet;
	ret = source_dir_open_top(&walk->top, options->path, DIR_TREE_MAX_IDLE);
	if (ret < 0) {
		error("%s: cannot open the source directory: %s", options->path, strerror(-ret));
		return ret;
	}
	ret = dir_list_init(&walk->list);
	if (ret < 0)
		error("%s: not enough memory to list it", options->path);
	else
		ret = walk_subvolumes_init(walk);
	if (ret == 0)
		ret = overlay_init(&walk->overlay, options, walk->top);
	if (ret < 0)
		tree_walk_release(walk);
	return ret;
}

static void leave_current(struct tree_walk *walk)
{
	if (!walk->current)
		return;
	if (walk->current_fd >= 0)
		source_dir_unpin(walk->current);
	source_dir_put(walk->current);
	walk->current = NULL;
}

static void forget_item(struct tree_walk *walk)
{
	source_dir_put(walk->item.dir);
	walk->item.dir = NULL;
	walk->item.is_subvolume = walk->item.of_source = false;
}

void tree_walk_release(struct tree_walk *walk)
{
	forget_item(walk);
	leave_current(walk);
	while (walk->nr_pending)
		source_dir_put(walk->pending[--walk->nr_pending]);
	free(walk->pending);
	free(walk->subvolumes.found);
	dir_list_release(&walk->list);
	overlay_release(&walk->overlay);
	source_dir_put(walk->top);
}

/* ---- directories that wait ---- */

static int add_pending(struct tree_walk *walk, struct source_dir *dir)
{
	if (walk->nr_pending == walk->pending_size) {
		size_t size = MAX(walk->pending_size * 2, (size_t)64);
		struct source_dir **pending = realloc(walk->pending, size * sizeof(struct source_dir *));

		if (!pending)
			return -ENOMEM;
		walk->pending = pending;
		walk->pending_size = size;
	}
	walk->pending[walk->nr_pending++] = source_dir_get(dir);
	return 0;
}

/* The first child has to be on top of the stack. */
static void turn_children(struct tree_walk *walk)
{
	size_t left = walk->first_child;
	size_t right = walk->nr_pending;

	while (left + 1 < right) {
		struct source_dir *dir = walk->pending[left];

		walk->pending[left++] = walk->pending[--right];
		walk->pending[right] = dir;
	}
}

static void note_change(struct tree_walk *walk, const struct source_dir *dir, const char *name,
			const char *what)
{
	walk->changes++;
	if (!walk->quiet)
		source_path_warning(dir, name, strlen(name), what);
}

void tree_walk_drop_item(struct tree_walk *walk, const char *what)
{
	const struct walk_item *item = &walk->item;

	note_change(walk, item->parent ? item->parent : walk->top, item->name, what);
	if (item->dir && walk->subvolumes.found)
		walk->subvolumes.found[item->dir->spec_node] = false;
	if (item->dir && walk->nr_pending && walk->pending[walk->nr_pending - 1] == item->dir)
		source_dir_put(walk->pending[--walk->nr_pending]);
}

static int fail_list(struct source_dir *dir, int ret)
{
	if (ret != -ENAMETOOLONG)
		return source_path_error(dir, "", 0, "cannot list the directory", ret);
	source_path_refuse(dir, "", 0, "has a name of more than 255 bytes: rename it");
	return ret;
}

/* The names of the directory, which becomes the current one. 0 or -errno; after that it is no current one. */
static int list_directory(struct tree_walk *walk, struct source_dir *dir)
{
	int fd = dir->made ? -1 : source_dir_pin(dir);
	int ret = 0;

	dir_list_clear(&walk->list);
	if (fd < 0 && !dir->made)
		return fd;
	walk->current = dir;
	walk->current_fd = fd;
	if (!dir->made)
		ret = dir_list_read(&walk->list, fd);
	return ret;
}

/* Takes over the reference to @dir. A directory that is gone is an empty one. */
static int enter_directory(struct tree_walk *walk, struct source_dir *dir)
{
	int ret;

	walk->next = 0;
	walk->first_child = walk->nr_pending;
	ret = list_directory(walk, dir);
	if (source_error_is_vanished(ret)) {
		note_change(walk, dir, "", "the directory vanished while the tree was read");
		ret = 0;
	}
	if (ret == 0 && walk->current)
		ret = overlay_enter(&walk->overlay, dir, &walk->list);
	if (ret < 0)
		fail_list(dir, ret);
	if (!walk->current)
		source_dir_put(dir);
	return ret;
}

static int next_directory(struct tree_walk *walk)
{
	leave_current(walk);
	turn_children(walk);
	return enter_directory(walk, walk->pending[--walk->nr_pending]);
}

/* ---- items ---- */

/* By this call and no other: it is the one that fakeroot and its like answer. */
static int stat_item(struct walk_item *item)
{
	if (fstatat(item->at_fd, item->at_name, &item->found, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) < 0)
		return -errno;
	item->dev = item->found.st_dev;
	return 0;
}

static bool is_skipped(const struct tree_walk *walk)
{
	const struct source_options *options = walk->options;

	for (unsigned i = 0; i < options->nr_skip; i++) {
		if (options->skip[i].dev == walk->item.dev && options->skip[i].ino == walk->item.found.st_ino)
			return true;
	}
	return false;
}

static int refuse_item(struct tree_walk *walk, const char *what, int ret)
{
	const struct walk_item *item = &walk->item;

	source_path_refuse(item->parent ? item->parent : walk->top, item->name, item->name_len, what);
	return ret;
}

static int check_item(struct tree_walk *walk)
{
	const struct stat *st = &walk->item.st;

	if (st->st_uid == ID_INVALID || st->st_gid == ID_INVALID)
		return refuse_item(walk, "its owner or group is 4294967295, no valid number: chown it, or use --owner",
				   -EOVERFLOW);
	if (st->st_size < 0)
		return refuse_item(walk, "its size is beyond 8 EiB, which no file can have", -EFBIG);
	return 0;
}

static int add_directory(struct tree_walk *walk)
{
	struct walk_item *item = &walk->item;
	int ret;

	if (item->parent)
		item->dir = source_dir_create(item->parent, item->name, item->name_len, item->dev,
					      item->found.st_ino);
	else
		item->dir = source_dir_get(walk->top);
	if (!item->dir)
		return -ENOMEM;
	ret = walk_subvolumes_match(walk, item);
	if (ret < 0)
		return ret;
	overlay_set_flags(item, !item->is_subvolume);
	overlay_pass_on(item, item->dir);
	if (walk->options->one_file_system && item->parent && !item->made && item->dev != item->parent->dev &&
	    !item->of_source)
		return 0;
	return add_pending(walk, item->dir);
}

/* 1: the source has it; 0: it has not, or it is left out. */
static int find_item(struct tree_walk *walk)
{
	struct walk_item *item = &walk->item;
	const struct source_dir *at = item->parent ? item->parent : walk->top;
	int ret;

	if (at->made || overlay_excludes(&walk->overlay, item, false))
		return 0;
	ret = stat_item(item);
	if (source_error_is_vanished(ret)) {
		if (!overlay_makes(&walk->overlay, item))
			note_change(walk, at, item->name, "vanished while the tree was read: left out");
		return 0;
	}
	if (ret < 0)
		return source_path_error(at, item->name, item->name_len, "cannot look at it", ret);
	if (item->parent && is_skipped(walk)) {
		if (!walk->quiet)
			source_path_warning(at, item->name, item->name_len,
					    "is a target of this run: left out");
		return 0;
	}
	return !S_ISDIR(item->found.st_mode) || !overlay_excludes(&walk->overlay, item, true);
}

/* 1: the item is filled in; 0: it is left out. */
static int fill_item(struct tree_walk *walk)
{
	struct walk_item *item = &walk->item;
	int ret;

	overlay_begin(&walk->overlay, item);
	ret = find_item(walk);
	if (ret < 0)
		return ret;
	ret = overlay_apply(&walk->overlay, item, ret);
	if (ret <= 0)
		return ret;
	ret = check_item(walk);
	if (ret < 0)
		return ret;
	if (S_ISDIR(item->st.st_mode))
		ret = add_directory(walk);
	else
		overlay_set_flags(item, true);
	if (ret < 0)
		return source_path_error(item->parent ? item->parent : walk->top, item->name, item->name_len,
					 "cannot look into the directory", ret);
	return 1;
}

static int first_item(struct tree_walk *walk)
{
	struct walk_item *item = &walk->item;
	int fd = source_dir_pin(walk->top);

	walk->started = true;
	item->name = "";
	item->at_name = ".";
	item->at_fd = fd;
	source_dir_unpin(walk->top);	/* stays open as long as the top lives */
	return fill_item(walk);
}

static int next_in_list(struct tree_walk *walk)
{
	struct walk_item *item = &walk->item;
	size_t index = walk->next++;

	item->parent = walk->current;
	item->name = dir_list_name(&walk->list, index);
	item->name_len = dir_list_name_len(&walk->list, index);
	item->at_name = item->name;
	item->at_fd = walk->current_fd;
	return fill_item(walk);
}

int tree_walk_next(struct tree_walk *walk, const struct walk_item **item)
{
	int ret = 0;

	while (ret == 0) {
		forget_item(walk);
		if (!walk->started) {
			ret = first_item(walk);
		} else if (walk->next < walk->list.nr) {
			ret = next_in_list(walk);
		} else if (walk->nr_pending) {
			ret = next_directory(walk);
		} else {
			return walk_subvolumes_finish(walk);
		}
	}
	*item = &walk->item;
	return ret;
}
