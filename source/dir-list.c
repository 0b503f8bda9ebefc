// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads and sorts a directory: see dir-list.h. getdents64() and not readdir(): the descriptor is a
 * shared one of the handle, and a DIR would need one of its own.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/dir-list.h"

#define BATCH_SIZE	(128 * 1024)

int dir_list_init(struct dir_list *list)
{
	memset(list, 0, sizeof(*list));
	list->batch = malloc(BATCH_SIZE);
	return list->batch ? 0 : -ENOMEM;
}

void dir_list_release(struct dir_list *list)
{
	free(list->names);
	free(list->starts);
	free(list->batch);
	memset(list, 0, sizeof(*list));
}

static int reserve_name(struct dir_list *list, size_t bytes)
{
	if (list->names_size - list->names_used < bytes) {
		size_t size = MAX(list->names_size + list->names_size / 2, (size_t)SZ_64K);
		u8 *names = realloc(list->names, size);

		if (!names)
			return -ENOMEM;
		list->names = names;
		list->names_size = size;
	}
	if (list->nr == list->starts_size) {
		size_t size = MAX(list->starts_size + list->starts_size / 2, (size_t)SZ_4K);
		size_t *starts = realloc(list->starts, size * sizeof(*starts));

		if (!starts)
			return -ENOMEM;
		list->starts = starts;
		list->starts_size = size;
	}
	return 0;
}

int dir_list_add(struct dir_list *list, const char *name)
{
	size_t len = strlen(name);
	u8 *at;
	int ret;

	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return 0;
	if (len > SOURCE_NAME_MAX)
		return -ENAMETOOLONG;
	/* A file system that says so is broken, and such a name would be another file's. */
	if (!len || memchr(name, '/', len))
		return -EIO;
	ret = reserve_name(list, len + 2);
	if (ret < 0)
		return ret;
	at = list->names + list->names_used;
	at[0] = (u8)len;
	memcpy(at + 1, name, len + 1);
	list->starts[list->nr++] = list->names_used;
	list->names_used += len + 2;
	return 0;
}

static int add_batch(struct dir_list *list, size_t bytes)
{
	for (size_t pos = 0; pos < bytes;) {
		const struct dirent64 *dirent = (const void *)((const u8 *)list->batch + pos);
		int ret = dir_list_add(list, dirent->d_name);

		if (ret < 0)
			return ret;
		pos += dirent->d_reclen;
	}
	return 0;
}

static int read_names(struct dir_list *list, int fd)
{
	/* The descriptor is shared: whoever had it before may have left it at the end. */
	if (lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	for (;;) {
		ssize_t bytes = getdents64(fd, list->batch, BATCH_SIZE);
		int ret;

		if (bytes == 0)
			return 0;
		if (bytes < 0 && errno == EINTR)
			continue;
		if (bytes < 0)
			return -errno;
		ret = add_batch(list, (size_t)bytes);
		if (ret < 0)
			return ret;
	}
}

static int compare_names(const void *a, const void *b, void *arg)
{
	const u8 *names = arg;
	const u8 *left = names + *(const size_t *)a;
	const u8 *right = names + *(const size_t *)b;
	int order = memcmp(left + 1, right + 1, MIN(left[0], right[0]));

	return order ? order : (int)left[0] - (int)right[0];
}

static void drop_repeated(struct dir_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->nr; i++) {
		if (kept && compare_names(&list->starts[kept - 1], &list->starts[i], list->names) == 0)
			continue;
		list->starts[kept++] = list->starts[i];
	}
	list->nr = kept;
}

void dir_list_sort(struct dir_list *list)
{
	if (list->nr < 2)
		return;
	qsort_r(list->starts, list->nr, sizeof(*list->starts), compare_names, list->names);
	drop_repeated(list);
}

int dir_list_read(struct dir_list *list, int fd)
{
	int ret;

	dir_list_clear(list);
	ret = read_names(list, fd);
	dir_list_sort(list);
	return ret;
}
