// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Handles of directories and the small cache of their descriptors: see dir-handle.h.
 *
 * The lock of a tree is held while descriptors are opened (mostly one, since the parent is mostly
 * open), but never while a directory is read or a file is opened.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source/dir-handle.h"

bool source_error_is_vanished(int ret)
{
	return ret == -ENOENT || ret == -ESTALE || ret == -ENOTDIR || ret == -ELOOP;
}

/* ---- idle list, under the lock ---- */

static void idle_remove(struct source_dir *dir)
{
	struct dir_tree *tree = dir->tree;

	if (dir->idle_prev)
		dir->idle_prev->idle_next = dir->idle_next;
	else
		tree->idle_first = dir->idle_next;
	if (dir->idle_next)
		dir->idle_next->idle_prev = dir->idle_prev;
	else
		tree->idle_last = dir->idle_prev;
	dir->idle = false;
	tree->nr_idle--;
}

static void idle_add(struct source_dir *dir)
{
	struct dir_tree *tree = dir->tree;

	dir->idle_prev = NULL;
	dir->idle_next = tree->idle_first;
	if (tree->idle_first)
		tree->idle_first->idle_prev = dir;
	else
		tree->idle_last = dir;
	tree->idle_first = dir;
	dir->idle = true;
	tree->nr_idle++;
}

static void trim_idle(struct dir_tree *tree, unsigned max)
{
	while (tree->nr_idle > max) {
		struct source_dir *dir = tree->idle_last;

		idle_remove(dir);
		close(dir->fd);
		dir->fd = -1;
	}
}

static void pin_open(struct source_dir *dir)
{
	if (dir->idle)
		idle_remove(dir);
	dir->pins++;
}

static void unpin_open(struct source_dir *dir)
{
	assert(dir->pins > 0);
	if (--dir->pins)
		return;
	idle_add(dir);
	trim_idle(dir->tree, dir->tree->max_idle);
}

/* ---- descriptors ---- */

/* O_NOATIME is refused for directories of other users; then their access time moves. */
static int open_directory(int at_fd, const char *name, int flags)
{
	int fd;

	flags |= O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	fd = openat(at_fd, name, flags | O_NOATIME);
	if (fd < 0 && errno == EPERM)
		fd = openat(at_fd, name, flags);
	return fd < 0 ? -errno : fd;
}

static int open_child(struct source_dir *parent, struct source_dir *child)
{
	struct stat st;
	int fd = open_directory(parent->fd, child->name, O_NOFOLLOW);

	if (fd == -EMFILE && child->tree->nr_idle) {
		trim_idle(child->tree, 0);
		fd = open_directory(parent->fd, child->name, O_NOFOLLOW);
	}
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0) {
		int ret = -errno;

		close(fd);
		return ret;
	}
	if (st.st_dev != child->dev || st.st_ino != child->ino) {
		close(fd);
		return -ESTALE;
	}
	child->fd = fd;
	return 0;
}

static int pin_locked(struct source_dir *dir)
{
	struct source_dir *at = dir;

	while (at->fd < 0) {
		at->parent->towards = at;
		at = at->parent;
	}
	pin_open(at);
	while (at != dir) {
		struct source_dir *child = at->towards;
		int ret = open_child(at, child);

		if (ret == 0)
			pin_open(child);
		unpin_open(at);
		if (ret < 0)
			return ret;
		at = child;
	}
	return dir->fd;
}

int source_dir_pin(struct source_dir *dir)
{
	int fd;

	pthread_mutex_lock(&dir->tree->lock);
	fd = pin_locked(dir);
	pthread_mutex_unlock(&dir->tree->lock);
	return fd;
}

void source_dir_unpin(struct source_dir *dir)
{
	pthread_mutex_lock(&dir->tree->lock);
	unpin_open(dir);
	pthread_mutex_unlock(&dir->tree->lock);
}

void source_dir_close_idle(struct source_dir *dir)
{
	pthread_mutex_lock(&dir->tree->lock);
	trim_idle(dir->tree, 0);
	pthread_mutex_unlock(&dir->tree->lock);
}

/* ---- handles ---- */

static struct source_dir *new_handle(struct dir_tree *tree, const char *name, size_t name_len)
{
	struct source_dir *dir = calloc(1, sizeof(*dir) + name_len + 1);

	if (!dir)
		return NULL;
	atomic_init(&dir->refs, 1);
	dir->tree = tree;
	dir->fd = -1;
	dir->name_len = name_len;
	memcpy(dir->name, name, name_len);
	return dir;
}

struct source_dir *source_dir_create(struct source_dir *parent, const char *name, size_t name_len, u64 dev,
				     u64 ino)
{
	struct source_dir *dir = new_handle(parent->tree, name, name_len);

	if (!dir)
		return NULL;
	dir->parent = source_dir_get(parent);
	dir->dev = dev;
	dir->ino = ino;
	return dir;
}

static void destroy_tree(struct dir_tree *tree)
{
	pthread_mutex_destroy(&tree->lock);
	free(tree->top);
	free(tree);
}

static int create_tree(struct dir_tree **out, const char *path, unsigned max_idle)
{
	struct dir_tree *tree = calloc(1, sizeof(*tree));
	int ret;

	if (!tree)
		return -ENOMEM;
	tree->max_idle = max_idle;
	tree->top = strdup(path);
	ret = tree->top ? -pthread_mutex_init(&tree->lock, NULL) : -ENOMEM;
	if (ret < 0) {
		free(tree->top);
		free(tree);
		return ret;
	}
	*out = tree;
	return 0;
}

int source_dir_open_top(struct source_dir **top, const char *path, unsigned max_idle)
{
	struct source_dir *dir;
	struct dir_tree *tree;
	struct stat st;
	int ret = create_tree(&tree, path, max_idle);

	if (ret < 0)
		return ret;
	dir = new_handle(tree, "", 0);
	if (!dir) {
		ret = -ENOMEM;
		goto out_tree;
	}
	dir->fd = open_directory(AT_FDCWD, path, 0);
	if (dir->fd < 0) {
		ret = dir->fd;
		goto out_dir;
	}
	if (fstat(dir->fd, &st) < 0) {
		ret = -errno;
		goto out_fd;
	}
	dir->dev = st.st_dev;
	dir->ino = st.st_ino;
	dir->pins = 1;
	*top = dir;
	return 0;

out_fd:
	close(dir->fd);
out_dir:
	free(dir);
out_tree:
	destroy_tree(tree);
	return ret;
}

struct source_dir *source_dir_get(struct source_dir *dir)
{
	atomic_fetch_add(&dir->refs, 1);
	return dir;
}

static void destroy_handle(struct source_dir *dir)
{
	struct dir_tree *tree = dir->tree;

	pthread_mutex_lock(&tree->lock);
	assert(dir->pins == (dir->parent ? 0 : 1));
	if (dir->idle)
		idle_remove(dir);
	if (dir->fd >= 0)
		close(dir->fd);
	pthread_mutex_unlock(&tree->lock);
	if (!dir->parent)
		destroy_tree(tree);
	free(dir);
}

void source_dir_put(struct source_dir *dir)
{
	while (dir && atomic_fetch_sub(&dir->refs, 1) == 1) {
		struct source_dir *parent = dir->parent;

		destroy_handle(dir);
		dir = parent;
	}
}

void source_dir_set_cookie(struct source_dir *dir, struct source_cookie cookie)
{
	dir->cookie = cookie;
}

struct source_cookie source_dir_cookie(const struct source_dir *dir)
{
	return dir->cookie;
}
