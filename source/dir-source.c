// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The directory tree as a source: turns what the walk finds into entries. See source.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/escape.h"
#include "common/message.h"
#include "source/entry-meta.h"
#include "source/file.h"
#include "source/path.h"
#include "source/source.h"
#include "source/tree-walk.h"

struct source {
	char *path;
	struct source_identity *skip;
	struct source_options options;	/* our own copy of what the caller gave */
	struct tree_walk walk;
	struct entry_meta meta;
	struct source_entry entry;
};

static int copy_options(struct source *source, const struct source_options *options)
{
	source->options = *options;
	source->path = strdup(options->path);
	source->skip = calloc(MAX(options->nr_skip, 1U), sizeof(*source->skip));
	if (!source->path || !source->skip)
		return -ENOMEM;
	if (options->nr_skip)
		memcpy(source->skip, options->skip, options->nr_skip * sizeof(*source->skip));
	source->options.path = source->path;
	source->options.skip = source->skip;
	return 0;
}

static void free_source(struct source *source)
{
	free(source->path);
	free(source->skip);
	free(source);
}

static int open_meta(struct source *source)
{
	bool use_proc = entry_meta_proc_works(source->walk.top->fd);

	if (!use_proc)
		warning("/proc/self/fd cannot be used: extended attributes of symlinks and special files are "
			"left out (mount /proc)");
	return entry_meta_init(&source->meta, use_proc);
}

int source_dir_open(struct source **out, const struct source_options *options)
{
	struct source *source = calloc(1, sizeof(*source));
	int ret;

	if (!source) {
		error("%s: not enough memory to read it", options->path);
		return -ENOMEM;
	}
	ret = copy_options(source, options);
	if (ret < 0) {
		error("%s: not enough memory to read it", options->path);
		goto out_free;
	}
	ret = tree_walk_init(&source->walk, &source->options, false);
	if (ret < 0)
		goto out_free;
	ret = open_meta(source);
	if (ret < 0) {
		error("%s: not enough memory to read it", options->path);
		goto out_walk;
	}
	*out = source;
	return 0;

out_walk:
	tree_walk_release(&source->walk);
out_free:
	free_source(source);
	return ret;
}

void source_destroy(struct source *source)
{
	if (!source)
		return;
	tree_walk_release(&source->walk);
	entry_meta_release(&source->meta);
	free_source(source);
}

u64 source_changes(const struct source *source)
{
	return source->walk.changes;
}

/* ---- one entry ---- */

static int fail(const struct source *source, const char *what, int ret)
{
	const struct walk_item *item = &source->walk.item;

	return source_path_error(item->parent ? item->parent : source->walk.top, item->name, item->name_len,
				 what, ret);
}

static int refuse(const struct source *source, const char *what, int ret)
{
	const struct walk_item *item = &source->walk.item;

	source_path_refuse(item->parent ? item->parent : source->walk.top, item->name, item->name_len, what);
	return ret;
}

static int fail_xattr(const struct source *source, const char *xattr, int ret)
{
	char *name = escape_bytes(xattr, strlen(xattr), NULL);
	char *what = NULL;

	if (asprintf(&what, "cannot read its extended attribute %s", name ? name : "") < 0)
		what = NULL;
	fail(source, what ? what : "cannot read an extended attribute", ret);
	free(what);
	free(name);
	return ret;
}

static int fill_xattrs(struct source *source, const struct walk_item *item)
{
	struct entry_meta *meta = &source->meta;
	int ret = entry_meta_read_xattrs(meta, item->at_fd, item->at_name, item->stx.stx_mode);

	if (ret == 0) {
		source->entry.xattrs = meta->xattrs;
		source->entry.nr_xattrs = meta->nr_xattrs;
		return 0;
	}
	if (source_error_is_vanished(ret))
		return ret;
	if (meta->failed)
		return fail_xattr(source, meta->failed, ret);
	return fail(source, "cannot list its extended attributes", ret);
}

static int fill_symlink(struct source *source, const struct walk_item *item)
{
	struct source_entry *entry = &source->entry;
	int ret = entry_meta_read_symlink(&source->meta, item->at_fd, item->name, &entry->symlink_len);

	if (ret == 0) {
		entry->symlink = source->meta.target;
		entry->size = entry->symlink_len;
		return 0;
	}
	if (source_error_is_vanished(ret))
		return ret;
	if (ret == -ENODATA)
		return refuse(source, "is a symlink without a target: remove it", ret);
	if (ret == -ENAMETOOLONG)
		return refuse(source, "is a symlink with a target of more than 4095 bytes: shorten it", ret);
	return fail(source, "cannot read the target of the symlink", ret);
}

static struct timespec time_of(const struct statx_timestamp *stamp)
{
	return (struct timespec){ .tv_sec = stamp->tv_sec, .tv_nsec = stamp->tv_nsec };
}

static void fill_from_stat(struct source_entry *entry, const struct walk_item *item)
{
	const struct statx *stx = &item->stx;

	memset(entry, 0, sizeof(*entry));
	entry->name = item->name;
	entry->name_len = item->name_len;
	entry->parent = item->parent;
	entry->dir = item->dir;
	entry->subvolume = item->is_subvolume ? &item->subvolume : NULL;
	entry->mode = stx->stx_mode;
	entry->uid = stx->stx_uid;
	entry->gid = stx->stx_gid;
	if (S_ISBLK(entry->mode) || S_ISCHR(entry->mode)) {
		entry->rdev_major = stx->stx_rdev_major;
		entry->rdev_minor = stx->stx_rdev_minor;
	}
	if (S_ISREG(entry->mode))
		entry->size = stx->stx_size;
	entry->atime = time_of(&stx->stx_atime);
	entry->mtime = time_of(&stx->stx_mtime);
	entry->ctime = time_of(&stx->stx_ctime);
	entry->btime = time_of((stx->stx_mask & STATX_BTIME) ? &stx->stx_btime : &stx->stx_mtime);
	entry->nlink = stx->stx_nlink;
	entry->link_dev = item->dev;
	entry->link_ino = stx->stx_ino;
}

static int fill_entry(struct source *source, const struct walk_item *item)
{
	struct source_entry *entry = &source->entry;
	int ret;

	fill_from_stat(entry, item);
	ret = fill_xattrs(source, item);
	if (ret == 0 && S_ISLNK(entry->mode))
		ret = fill_symlink(source, item);
	if (ret < 0)
		return ret;
	if (!S_ISREG(entry->mode) || !entry->size)
		return 0;
	entry->file = source_file_create(item);
	return entry->file ? 0 : fail(source, "cannot remember the file", -ENOMEM);
}

int source_next(struct source *source, const struct source_entry **entry)
{
	const struct walk_item *item;
	int ret;

	while ((ret = tree_walk_next(&source->walk, &item)) > 0) {
		ret = fill_entry(source, item);
		if (ret == 0) {
			*entry = &source->entry;
			return 1;
		}
		if (!source_error_is_vanished(ret))
			return ret;
		if (!item->parent)
			return fail(source, "cannot read the source directory", ret);
		tree_walk_drop_item(&source->walk, "changed or vanished while the tree was read: left out");
	}
	return ret;
}
