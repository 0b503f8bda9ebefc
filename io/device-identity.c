// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Are two names of a set the same bytes? By device number for block devices, by
 * inode for files, so that links and second paths do not hide it; and by what is
 * behind a loop device.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/escape.h"
#include "io/device-internal.h"
#include "io/loop-device.h"

static int refuse_pair(const struct io_device *a, const struct io_device *b, const char *relation)
{
	char *name = escape_bytes(b->path, strlen(b->path), NULL);
	int ret = io_device_refuse(a->path, -EINVAL, "%s %s; name each target once", relation,
				   name ? name : "?");

	free(name);
	return ret;
}

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool stat_folder(const char *path, struct stat *st)
{
	size_t len = (size_t)(last_component(path) - path);
	char *folder = len ? strndup(path, len) : strdup(".");
	bool found = folder && !stat(folder, st);

	free(folder);
	return found;
}

/* Neither exists yet: the same name in the same folder? */
static bool same_new_file(const struct io_device *a, const struct io_device *b)
{
	struct stat folder_a, folder_b;

	return !strcmp(last_component(a->path), last_component(b->path)) &&
	       stat_folder(a->path, &folder_a) && stat_folder(b->path, &folder_b) &&
	       folder_a.st_dev == folder_b.st_dev && folder_a.st_ino == folder_b.st_ino;
}

static bool ranges_overlap(const struct io_loop *a, const struct io_loop *b)
{
	if (a->offset <= b->offset)
		return b->offset - a->offset < a->length;
	return a->offset - b->offset < b->length;
}

/* Two loop devices may well show two parts of one file. */
static bool loops_overlap(const struct io_device *a, const struct io_device *b)
{
	struct io_loop loop_a, loop_b;

	return !io_loop_status(a->path, &loop_a) && !io_loop_status(b->path, &loop_b) &&
	       loop_a.whole && loop_b.whole && loop_a.dev == loop_b.dev && loop_a.ino == loop_b.ino &&
	       ranges_overlap(&loop_a, &loop_b);
}

static bool is_behind(const struct io_device *file, const struct io_device *device)
{
	struct io_loop loop;

	return !io_loop_status(device->path, &loop) && loop.dev == file->dev && loop.ino == file->ino;
}

static bool is_new(const struct io_device *device)
{
	return !device->is_block && !device->ino;
}

static int check_pair(const struct io_device *a, const struct io_device *b)
{
	if (is_new(a) || is_new(b)) {
		if (is_new(a) && is_new(b) && same_new_file(a, b))
			return refuse_pair(a, b, "would be the same file as");
		return 0;
	}
	if (a->is_block && b->is_block) {
		if (a->rdev == b->rdev)
			return refuse_pair(a, b, "is the same device as");
		if (loops_overlap(a, b))
			return refuse_pair(a, b, "shows the same part of a file as");
		return 0;
	}
	if (!a->is_block && !b->is_block) {
		if (a->dev == b->dev && a->ino == b->ino)
			return refuse_pair(a, b, "is the same file as");
		return 0;
	}
	if (is_behind(a->is_block ? b : a, a->is_block ? a : b))
		return a->is_block ? refuse_pair(a, b, "is a loop device over") :
				     refuse_pair(a, b, "is the file behind the loop device");
	return 0;
}

int io_device_check_distinct(const struct io_device *devices, unsigned nr)
{
	unsigned i, k;

	for (i = 1; i < nr; i++) {
		for (k = 0; k < i; k++) {
			int ret = check_pair(&devices[i], &devices[k]);

			if (ret)
				return ret;
		}
	}
	return 0;
}
