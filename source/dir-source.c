// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The directory tree as a source: turns what the walk finds into entries. See source.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/escape.h"
#include "common/message.h"
#include "source/entry-meta.h"
#include "source/file.h"
#include "source/file-flags.h"
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
	/* what btrfs does not know, or is not to get: counted, and the path of the first one */
	struct dropped {
		u64 nr;
		char *first;
	} projects, verity;
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
	free(source->projects.first);
	free(source->verity.first);
	free(source);
}

static int open_meta(struct source *source)
{
	bool use_proc = entry_meta_proc_works(source->walk.top->fd);

	if (!use_proc)
		warning("/proc/self/fd cannot be used: extended attributes of symlinks and special files are "
			"left out (mount /proc)");
	return entry_meta_init(&source->meta, use_proc, source->options.rules);
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

static int read_xattrs(struct source *source, const struct walk_item *item)
{
	struct entry_meta *meta = &source->meta;
	int ret;

	entry_meta_no_xattrs(meta);
	if (item->made)
		return 0;
	ret = entry_meta_read_xattrs(meta, item->at_fd, item->at_name, item->found.st_mode);
	if (ret == 0 || source_error_is_vanished(ret))
		return ret;
	if (meta->failed)
		return fail_xattr(source, meta->failed, ret);
	return fail(source, "cannot list its extended attributes", ret);
}

/* Who makes a file below a directory with the property gets it too, so it is on all that inherited it. */
static int add_property(struct source *source, const struct walk_item *item)
{
	const char *name = item->compress ? compression_name(item->compress->type) : NULL;
	struct manifest_xattr property = {
		.xattr = { .name = COMPRESSION_PROPERTY, .value = name, .size = name ? strlen(name) : 0 },
	};
	const struct manifest_entry entry = { .xattrs = &property, .nr_xattrs = 1 };

	if (!name || (!S_ISREG(item->st.st_mode) && !S_ISDIR(item->st.st_mode)))
		return 0;
	return entry_meta_override_xattrs(&source->meta, &entry);
}

static int fill_xattrs(struct source *source, const struct walk_item *item)
{
	struct entry_meta *meta = &source->meta;
	int ret = read_xattrs(source, item);

	if (ret < 0)
		return ret;
	if (add_property(source, item) < 0)
		return fail(source, "cannot keep its extended attributes", -ENOMEM);
	if (item->entry && entry_meta_override_xattrs(meta, item->entry) < 0)
		return fail(source, "cannot keep the extended attributes of the manifest", -ENOMEM);
	/* the kernel lets nobody have both */
	if (source->entry.nodatacow || source->entry.nodatasum)
		entry_meta_drop_xattr(meta, COMPRESSION_PROPERTY);
	source->entry.xattrs = meta->xattrs;
	source->entry.nr_xattrs = meta->nr_xattrs;
	return 0;
}

/* ---- flags ---- */

static void note_dropped(struct source *source, struct dropped *dropped)
{
	if (!dropped->nr++)
		dropped->first = source_entry_path(&source->entry);
}

static void fill_verity(struct source *source, const struct walk_item *item)
{
	/* what a manifest takes from elsewhere has other bytes */
	if (item->entry && item->entry->content)
		return;
	source->entry.verity = source->options.rules && source->options.rules->copy_verity;
	if (!source->entry.verity)
		note_dropped(source, &source->verity);
}

static void fill_flags(struct source *source, const struct walk_item *item)
{
	struct source_entry *entry = &source->entry;
	struct file_flags flags = { 0 };

	if (source->meta.fd >= 0)
		flags = file_flags_read(source->meta.fd);
	if (flags.project)
		note_dropped(source, &source->projects);
	if (flags.flags & FS_VERITY_FL)
		fill_verity(source, item);
	entry->attr_flags = flags.flags;
	entry->nodatacow = item->nodatacow;
	entry->nodatasum = item->nodatasum;
	entry->compress = item->compress;
	if (flags.flags & FS_NOCOW_FL && !(item->entry && item->entry->keys & MANIFEST_NODATACOW))
		entry->nodatacow = true;
}

static void warn_dropped(struct source *source)
{
	if (source->projects.nr)
		warning("%s: %llu entries belong to a project, which btrfs does not know: dropped (the first is %s)",
			source->path, (unsigned long long)source->projects.nr,
			source->projects.first ? source->projects.first : "?");
	if (source->verity.nr)
		warning("%s: fs-verity of %llu files is dropped; --verity copy keeps it (the first is %s)",
			source->path, (unsigned long long)source->verity.nr,
			source->verity.first ? source->verity.first : "?");
	source->projects.nr = source->verity.nr = 0;
}

static int fill_symlink(struct source *source, const struct walk_item *item)
{
	struct source_entry *entry = &source->entry;
	int ret;

	if (item->entry && item->entry->target) {
		entry->symlink = item->entry->target;
		entry->symlink_len = entry->size = strlen(item->entry->target);
		return 0;
	}
	ret = entry_meta_read_symlink(&source->meta, item->at_fd, item->name, &entry->symlink_len);

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

/* Birth times come by another call. Whoever answers for the first one but not for this one knows none. */
static struct timespec birth_time(const struct walk_item *item, int fd)
{
	const struct stat *found = &item->found;
	const unsigned want = STATX_BTIME | STATX_MTIME;
	struct statx stx;
	int ret = fd >= 0 ? statx(fd, "", AT_EMPTY_PATH, want, &stx) :
		  statx(item->at_fd, item->at_name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, want, &stx);

	if (ret < 0 || (stx.stx_mask & want) != want || stx.stx_mtime.tv_sec != found->st_mtim.tv_sec ||
	    stx.stx_mtime.tv_nsec != found->st_mtim.tv_nsec)
		return found->st_mtim;
	return (struct timespec){ .tv_sec = stx.stx_btime.tv_sec, .tv_nsec = stx.stx_btime.tv_nsec };
}

static void fill_times(struct source_entry *entry, const struct walk_item *item, int fd)
{
	const u32 keys = item->entry ? item->entry->keys : 0;

	entry->atime = item->st.st_atim;
	entry->mtime = item->st.st_mtim;
	entry->ctime = item->st.st_ctim;
	if (keys & MANIFEST_BTIME)
		entry->btime = item->entry->btime;
	else
		entry->btime = item->made ? item->st.st_mtim : birth_time(item, fd);
	entry->fixed_atime = keys & MANIFEST_ATIME;
	entry->fixed_ctime = keys & MANIFEST_CTIME;
	entry->fixed_btime = keys & MANIFEST_BTIME;
}

static void fill_from_stat(struct source_entry *entry, const struct walk_item *item)
{
	const struct stat *st = &item->st;

	memset(entry, 0, sizeof(*entry));
	entry->name = item->name;
	entry->name_len = item->name_len;
	entry->parent = item->parent;
	entry->dir = item->dir;
	entry->subvolume = item->is_subvolume ? &item->subvolume : NULL;
	entry->mode = st->st_mode;
	entry->uid = st->st_uid;
	entry->gid = st->st_gid;
	if (S_ISBLK(entry->mode) || S_ISCHR(entry->mode)) {
		entry->rdev_major = major(st->st_rdev);
		entry->rdev_minor = minor(st->st_rdev);
	}
	if (S_ISREG(entry->mode))
		entry->size = (u64)st->st_size;
	entry->nlink = (u32)st->st_nlink;
	entry->link_dev = item->dev;
	entry->link_ino = item->found.st_ino;
}

/*
 * A file that this user may not read has attributes all the same, and they are to be had in another way. 0, or
 * -errno when it is gone.
 */
static int open_entry(struct source *source, const struct walk_item *item)
{
	int fd;

	if (item->made || (!S_ISREG(item->found.st_mode) && !S_ISDIR(item->found.st_mode)))
		return 0;
	fd = file_flags_open(item->at_fd, item->at_name);
	if (fd == -EMFILE) {
		source_dir_close_idle(source->walk.top);
		fd = file_flags_open(item->at_fd, item->at_name);
	}
	if (fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM)
		return fail(source, "cannot open it", fd);
	if (fd < 0)
		return source_error_is_vanished(fd) ? fd : 0;
	source->meta.fd = fd;
	return 0;
}

static void close_entry(struct source *source)
{
	if (source->meta.fd >= 0)
		close(source->meta.fd);
	source->meta.fd = -1;
}

static int fill_entry(struct source *source, const struct walk_item *item)
{
	struct source_entry *entry = &source->entry;
	int ret = open_entry(source, item);

	fill_from_stat(entry, item);
	fill_times(entry, item, source->meta.fd);
	fill_flags(source, item);
	if (ret == 0)
		ret = fill_xattrs(source, item);
	close_entry(source);
	if (ret == 0 && S_ISLNK(entry->mode))
		ret = fill_symlink(source, item);
	if (ret < 0)
		return ret;
	if (!S_ISREG(entry->mode) || (!entry->size && !entry->verity))
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
	if (ret == 0)
		warn_dropped(source);
	return ret;
}
