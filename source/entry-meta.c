// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Extended attributes and symlink targets: see entry-meta.h.
 *
 * What is open is asked by its descriptor. Linux has long had no listxattrat(), but a path through
 * /proc/self/fd leads to any entry, whatever its type and the length of its path, without opening it.
 * Where /proc is not mounted, regular files and directories are opened; nothing else can be asked
 * there, and counts as having none.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "source/dir-list.h"
#include "source/entry-meta.h"

#define LIST_SIZE	(64 * 1024)	/* the kernel's limit for a list, and for a value */
#define VALUE_SIZE	(64 * 1024)
#define XATTR_NAME_LEN_MAX	255

/* One of both. */
struct xattr_origin {
	int fd;			/* -1: ask by path */
	bool close;		/* afterwards */
	char path[sizeof("/proc/self/fd/-2147483648/") + SOURCE_NAME_MAX];
};

static ssize_t list_names(const struct xattr_origin *origin, char *list, size_t size)
{
	ssize_t len = origin->fd < 0 ? llistxattr(origin->path, list, size) :
				       flistxattr(origin->fd, list, size);

	return len < 0 ? -errno : len;
}

static ssize_t get_value(const struct xattr_origin *origin, const char *name, void *value, size_t size)
{
	ssize_t len = origin->fd < 0 ? lgetxattr(origin->path, name, value, size) :
				       fgetxattr(origin->fd, name, value, size);

	return len < 0 ? -errno : len;
}

/* 1: ready; 0: cannot be asked. */
static int origin_init(struct xattr_origin *origin, const struct entry_meta *meta, int at_fd,
		       const char *name, u32 mode)
{
	origin->fd = meta->fd;
	origin->close = false;
	if (meta->fd >= 0)
		return 1;
	if (meta->use_proc) {
		snprintf(origin->path, sizeof(origin->path), "/proc/self/fd/%d/%s", at_fd, name);
		return 1;
	}
	if (!S_ISREG(mode) && !S_ISDIR(mode))
		return 0;
	origin->fd = openat(at_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	origin->close = origin->fd >= 0;
	return origin->close ? 1 : -errno;
}

static void origin_release(struct xattr_origin *origin)
{
	if (origin->close)
		close(origin->fd);
}

bool entry_meta_proc_works(int fd)
{
	char path[sizeof("/proc/self/fd/-2147483648/.")];
	struct stat there;
	struct stat here;

	snprintf(path, sizeof(path), "/proc/self/fd/%d/.", fd);
	return stat(path, &there) == 0 && fstat(fd, &here) == 0 && there.st_dev == here.st_dev &&
	       there.st_ino == here.st_ino;
}

int entry_meta_init(struct entry_meta *meta, bool use_proc, const struct source_rules *rules)
{
	memset(meta, 0, sizeof(*meta));
	meta->use_proc = use_proc;
	meta->fd = -1;
	meta->rules = rules;
	meta->list_size = LIST_SIZE;
	meta->list = malloc(meta->list_size);
	return meta->list ? 0 : -ENOMEM;
}

void entry_meta_release(struct entry_meta *meta)
{
	free(meta->list);
	free(meta->values);
	free(meta->xattrs);
	free(meta->merged);
}

/* The list may grow between two calls: ask until it fits. */
static ssize_t read_list(struct entry_meta *meta, const struct xattr_origin *origin)
{
	for (;;) {
		ssize_t len = list_names(origin, meta->list, meta->list_size - 1);
		char *list;

		if (len == -EOPNOTSUPP)
			return 0;
		if (len != -ERANGE) {
			if (len >= 0)
				meta->list[len] = '\0';
			return len;
		}
		list = realloc(meta->list, meta->list_size * 2);
		if (!list)
			return -ENOMEM;
		meta->list = list;
		meta->list_size *= 2;
	}
}

static int reserve_value(struct entry_meta *meta, size_t bytes)
{
	size_t size = MAX(meta->values_used + bytes, meta->values_size * 2);
	u8 *values;

	if (meta->values_size - meta->values_used >= bytes)
		return 0;
	values = realloc(meta->values, size);
	if (!values)
		return -ENOMEM;
	meta->values = values;
	meta->values_size = size;
	return 0;
}

/* Appends the value; its length, or -errno. */
static ssize_t read_value(struct entry_meta *meta, const struct xattr_origin *origin, const char *name)
{
	for (size_t room = VALUE_SIZE;; room *= 2) {
		int ret = reserve_value(meta, room);
		ssize_t len;

		if (ret < 0)
			return ret;
		len = get_value(origin, name, meta->values + meta->values_used, room);
		if (len != -ERANGE)
			return len;
	}
}

static int reserve_xattr(struct entry_meta *meta)
{
	size_t size = MAX(meta->xattrs_size * 2, (size_t)16);
	struct source_xattr *xattrs;

	if (meta->nr_xattrs < meta->xattrs_size)
		return 0;
	xattrs = realloc(meta->xattrs, size * sizeof(*xattrs));
	if (!xattrs)
		return -ENOMEM;
	meta->xattrs = xattrs;
	meta->xattrs_size = size;
	return 0;
}

static int add_xattr(struct entry_meta *meta, const struct xattr_origin *origin, const char *name)
{
	ssize_t len;
	int ret;

	if (meta->rules && rules_exclude_xattr(meta->rules, name))
		return 0;
	if (strlen(name) > XATTR_NAME_LEN_MAX)
		return -ENAMETOOLONG;
	ret = reserve_xattr(meta);
	if (ret < 0)
		return ret;
	len = read_value(meta, origin, name);
	/* Removed since it was listed, or listed by a file system that has no such thing. */
	if (len == -ENODATA || len == -EOPNOTSUPP)
		return 0;
	if (len < 0)
		return (int)len;
	/* The address of the value is known when the buffer grows no more. */
	meta->xattrs[meta->nr_xattrs++] = (struct source_xattr){ .name = name, .size = (size_t)len };
	meta->values_used += (size_t)len;
	return 0;
}

static void set_values(struct entry_meta *meta)
{
	const u8 *value = meta->values;

	for (size_t i = 0; i < meta->nr_xattrs; i++) {
		meta->xattrs[i].value = value;
		value += meta->xattrs[i].size;
	}
}

static int compare_xattrs(const void *a, const void *b)
{
	const struct source_xattr *left = a;
	const struct source_xattr *right = b;

	return strcmp(left->name, right->name);
}

static void sort_xattrs(struct entry_meta *meta)
{
	size_t kept = 0;

	if (meta->nr_xattrs < 2)
		return;
	qsort(meta->xattrs, meta->nr_xattrs, sizeof(*meta->xattrs), compare_xattrs);
	for (size_t i = 0; i < meta->nr_xattrs; i++) {
		if (kept && compare_xattrs(&meta->xattrs[kept - 1], &meta->xattrs[i]) == 0)
			continue;
		meta->xattrs[kept++] = meta->xattrs[i];
	}
	meta->nr_xattrs = kept;
}

static int read_all(struct entry_meta *meta, const struct xattr_origin *origin)
{
	ssize_t len = read_list(meta, origin);
	const char *name = meta->list;

	if (len < 0)
		return (int)len;
	for (const char *end = name + len; name < end; name += strlen(name) + 1) {
		int ret = *name ? add_xattr(meta, origin, name) : 0;

		if (ret < 0) {
			meta->failed = name;
			return ret;
		}
	}
	set_values(meta);
	sort_xattrs(meta);
	return 0;
}

void entry_meta_no_xattrs(struct entry_meta *meta)
{
	meta->nr_xattrs = 0;
	meta->values_used = 0;
	meta->failed = NULL;
}

int entry_meta_read_xattrs(struct entry_meta *meta, int at_fd, const char *name, u32 mode)
{
	struct xattr_origin origin;
	int ret = origin_init(&origin, meta, at_fd, name, mode);

	entry_meta_no_xattrs(meta);
	if (ret <= 0)
		return ret;
	ret = read_all(meta, &origin);
	origin_release(&origin);
	return ret;
}

/* Both lists are sorted; where both have a name the manifest wins. */
static size_t merge_xattrs(const struct entry_meta *meta, const struct manifest_entry *entry)
{
	size_t i = 0, k = 0, nr = 0;

	while (i < meta->nr_xattrs || k < entry->nr_xattrs) {
		const struct manifest_xattr *other = &entry->xattrs[k];
		int order = i == meta->nr_xattrs ? 1 : k == entry->nr_xattrs ? -1 :
			    strcmp(meta->xattrs[i].name, other->xattr.name);

		if (order < 0) {
			meta->merged[nr++] = meta->xattrs[i++];
			continue;
		}
		if (!other->removed)
			meta->merged[nr++] = other->xattr;
		i += order == 0;
		k++;
	}
	return nr;
}

int entry_meta_override_xattrs(struct entry_meta *meta, const struct manifest_entry *entry)
{
	const size_t size = meta->nr_xattrs + entry->nr_xattrs;
	struct source_xattr *merged;

	if (!entry->nr_xattrs)
		return 0;
	merged = realloc(meta->merged, size * sizeof(*merged));
	if (!merged)
		return -ENOMEM;
	meta->merged = merged;
	meta->nr_xattrs = merge_xattrs(meta, entry);
	/* the two change places: the next entry starts with what this one ends with */
	meta->merged = meta->xattrs;
	meta->xattrs = merged;
	meta->xattrs_size = size;
	return 0;
}

void entry_meta_drop_xattr(struct entry_meta *meta, const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < meta->nr_xattrs; i++) {
		if (strcmp(meta->xattrs[i].name, name) != 0)
			meta->xattrs[kept++] = meta->xattrs[i];
	}
	meta->nr_xattrs = kept;
}

int entry_meta_read_symlink(struct entry_meta *meta, int at_fd, const char *name, size_t *len)
{
	ssize_t got = readlinkat(at_fd, name, meta->target, SOURCE_SYMLINK_MAX + 1);

	if (got < 0)
		return errno == EINVAL ? -ESTALE : -errno;
	if (got == 0)
		return -ENODATA;
	if (got > SOURCE_SYMLINK_MAX)
		return -ENAMETOOLONG;
	meta->target[got] = '\0';
	*len = (size_t)got;
	return 0;
}
