// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a --subvol option says, and which directory it means: see subvolume-spec.h. The words and their
 * meaning are those of mkfs.btrfs(8), 6.19; "auto" is our own.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/message.h"
#include "source/subvolume-spec.h"

static const char automatic[] = "auto";

bool source_subvolume_type(const char *word, size_t len, struct source_subvolume *type)
{
	static const struct {
		const char *word;
		struct source_subvolume type;
	} types[] = {
		{ "rw", { false, false } },
		{ "ro", { true, false } },
		{ "default", { false, true } },
		{ "default-ro", { true, true } },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		if (strlen(types[i].word) != len || memcmp(word, types[i].word, len) != 0)
			continue;
		*type = types[i].type;
		return true;
	}
	return false;
}

int source_subvolume_parse(const char *text, struct source_subvolume_spec *spec)
{
	size_t len = strcspn(text, ":");

	*spec = (struct source_subvolume_spec){ .text = text, .path = text };
	if (!strncmp(text, automatic, strlen(automatic)) && (!strcmp(text + 4, ":") || !text[4])) {
		spec->automatic = true;
		return 0;
	}
	if (text[len] == ':' && source_subvolume_type(text, len, &spec->type))
		spec->path = text + len + 1;
	if (!*spec->path) {
		error("--subvol '%s': a directory is missing; write TYPE:PATH with TYPE rw, ro, default or default-ro",
		      text);
		return -EINVAL;
	}
	return 0;
}

int subvolume_spec_check_automatic(const struct source_subvolume_spec *spec, const char *top)
{
	struct stat st;
	char *path = NULL;
	int ret = 0;

	if (spec->text[strlen(automatic)])	/* "auto:" is never a name */
		return 0;
	if (asprintf(&path, "%s/%s", top, automatic) < 0)
		return -ENOMEM;
	if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		error("--subvol auto: %s is a directory; write ./auto for the directory, or auto: to keep the "
		      "subvolumes of the source", path);
		ret = -EINVAL;
	}
	free(path);
	return ret;
}

/* The names of a path, without looking them up: -EINVAL for .. among them, 0 when there are none, or 1. */
static int check_names(const char *path)
{
	int ret = 0;

	while (*path) {
		size_t len = strcspn(path, "/");

		if (len == 2 && path[0] == '.' && path[1] == '.')
			return -EINVAL;
		if (len > 1 || (len == 1 && path[0] != '.'))
			ret = 1;
		path += len + (path[len] == '/');
	}
	return ret;
}

/* The rest of @path below @top: NULL when it lies elsewhere, "" for the top. */
static const char *below(const char *path, const char *top)
{
	size_t len = strlen(top);

	if (len && top[len - 1] == '/')
		len--;
	if (strncmp(path, top, len) != 0 || (path[len] && path[len] != '/'))
		return NULL;
	return path[len] ? path + len + 1 : path + len;
}

/* As mkfs.btrfs has it, below @rootdir whether it begins with a slash or not; else a full path into @rootdir. */
static char *real_path(const struct source_subvolume_spec *spec, const char *rootdir, const char *top)
{
	char *joined, *real;
	int err;

	if (asprintf(&joined, "%s/%s", rootdir, spec->path) < 0)
		return NULL;
	real = realpath(joined, NULL);
	err = errno;
	free(joined);
	if (real || (err != ENOENT && err != ENOTDIR) || spec->path[0] != '/') {
		errno = err;
		return real;
	}
	real = realpath(spec->path, NULL);
	if (real && below(real, top))
		return real;
	free(real);
	errno = ENOENT;
	return NULL;
}

static int check_directory(const struct source_subvolume_spec *spec, const char *rootdir, const char *real)
{
	struct stat st;

	if (stat(real, &st) < 0) {
		int ret = -errno;

		error("--subvol %s: cannot look at %s: %s", spec->text, real, strerror(-ret));
		return ret;
	}
	if (!S_ISDIR(st.st_mode)) {
		error("--subvol %s: that is no directory in %s; only a directory can become a subvolume", spec->text,
		      rootdir);
		return -ENOTDIR;
	}
	return 0;
}

static int take_relative(const struct source_subvolume_spec *spec, const char *rootdir, const char *relative,
			 char **path)
{
	if (!relative) {
		error("--subvol %s: a symbolic link leads out of %s; name a directory inside", spec->text, rootdir);
		return -EINVAL;
	}
	if (!*relative) {
		error("--subvol %s: that is %s itself, which becomes the top level: name a directory inside",
		      spec->text, rootdir);
		return -EINVAL;
	}
	*path = strdup(relative);
	return *path ? 0 : -ENOMEM;
}

int subvolume_spec_resolve(const struct source_subvolume_spec *spec, const char *rootdir, const char *top,
			   char **path)
{
	int ret = check_names(spec->path);
	char *real;

	if (ret < 0) {
		error("--subvol %s: a path with '..' in it; name the directory by its path inside %s", spec->text,
		      rootdir);
		return ret;
	}
	if (!ret)
		return take_relative(spec, rootdir, "", path);
	real = real_path(spec, rootdir, top);
	if (!real) {
		ret = -errno;
		error("--subvol %s: cannot find %s in %s: %s", spec->text, spec->path, rootdir, strerror(-ret));
		return ret;
	}
	ret = check_directory(spec, rootdir, real);
	if (!ret)
		ret = take_relative(spec, rootdir, below(real, top), path);
	free(real);
	return ret;
}
