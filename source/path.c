// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Builds a path backwards, from a name up to the top: see path.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/escape.h"
#include "common/message.h"
#include "source/path.h"

/* Bytes of the path below the top, without a slash in front. */
static size_t path_length(const struct source_dir *dir, size_t name_len)
{
	size_t len = name_len;

	for (; dir->parent; dir = dir->parent)
		len += dir->name_len + (len ? 1 : 0);
	return len;
}

static void fill_backwards(char *end, const struct source_dir *dir, const char *name, size_t name_len)
{
	char *pos = end - name_len;

	memcpy(pos, name, name_len);
	for (; dir->parent; dir = dir->parent) {
		if (pos != end)
			*--pos = '/';
		pos -= dir->name_len;
		memcpy(pos, dir->name, dir->name_len);
	}
}

size_t source_path_bytes(const struct source_dir *dir, char *buf, size_t size)
{
	size_t len = path_length(dir, 0);

	if (len && len <= size)
		fill_backwards(buf + len, dir, "", 0);
	return len;
}

char *source_path_format(const struct source_dir *dir, const char *name, size_t name_len, bool full)
{
	const char *top = full ? dir->tree->top : "";
	size_t top_len = strlen(top);
	size_t len = path_length(dir, name_len);
	size_t slash = len && top_len && top[top_len - 1] != '/';
	char *bytes;
	char *text;

	if (!len && !top_len)
		return strdup(".");
	bytes = malloc(top_len + slash + len);
	if (!bytes)
		return NULL;
	memcpy(bytes, top, top_len);
	if (slash)
		bytes[top_len] = '/';
	fill_backwards(bytes + top_len + slash + len, dir, name, name_len);
	text = escape_bytes(bytes, top_len + slash + len, NULL);
	free(bytes);
	return text;
}

static const char *advice(int ret)
{
	switch (-ret) {
	case EACCES:
	case EPERM:
		return " (run as a user who may read it, or leave it out of the tree)";
	case EMFILE:
	case ENFILE:
		return " (raise the limit of open files, ulimit -n)";
	case EIO:
		return " (the file system or the medium of the source has a fault)";
	case ENOTCONN:
		return " (its file system has lost its server: unmount it, or leave it out)";
	default:
		return "";
	}
}

static const char *or_unnamed(const char *path)
{
	return path ? path : "(no memory to print its path)";
}

int source_path_error(const struct source_dir *dir, const char *name, size_t name_len, const char *what,
		      int ret)
{
	char *path = source_path_format(dir, name, name_len, true);

	error("%s: %s: %s%s", or_unnamed(path), what, strerror(-ret), advice(ret));
	free(path);
	return ret;
}

void source_path_refuse(const struct source_dir *dir, const char *name, size_t name_len, const char *what)
{
	char *path = source_path_format(dir, name, name_len, true);

	error("%s: %s", or_unnamed(path), what);
	free(path);
}

void source_path_warning(const struct source_dir *dir, const char *name, size_t name_len, const char *what)
{
	char *path = source_path_format(dir, name, name_len, true);

	warning("%s: %s", or_unnamed(path), what);
	free(path);
}

char *source_dir_path(const struct source_dir *dir)
{
	return source_path_format(dir, "", 0, false);
}

char *source_entry_path(const struct source_entry *entry)
{
	if (!entry->parent)
		return source_path_format(entry->dir, "", 0, false);
	return source_path_format(entry->parent, entry->name, entry->name_len, false);
}
