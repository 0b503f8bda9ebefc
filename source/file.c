// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The data of one regular file of a directory tree: see source.h.
 *
 * Whatever happens to the file while it is read (it shrinks, another file or a FIFO takes its
 * name) must neither block, nor loop, nor let a byte through that was not read. What the entry said
 * about the file is compared after each open and after each read: times do not go back, so that one
 * look after a read also covers the time before it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/fsverity.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "source/dir-handle.h"
#include "source/file.h"
#include "source/path.h"

/* Up to this size nobody cares where the holes are: it is one block on most file systems. */
#define NO_HOLES_MAX	4096
#define TICK_NS		(100 * 1000 * 1000)	/* with room to spare: HZ is 100 at least */

struct source_file {
	struct source_dir *dir;
	atomic_uint refs;
	/* as the entry says; never changes */
	u64 dev;
	u64 ino;
	u64 size;
	bool allocated;		/* some block is */
	struct timespec mtime;
	struct timespec ctime;
	atomic_bool changed;
	/* under the lock */
	pthread_mutex_t lock;
	int fd;			/* -1: closed */
	bool gone;		/* its name leads to nothing, or to something else */
	/* never changes */
	char *data_path;	/* a file outside of the tree that has the data, or NULL: the one of this name has */
	size_t name_len;
	char name[];		/* NUL-terminated */
};

struct source_file *source_file_create(const struct walk_item *item)
{
	struct source_file *file = calloc(1, sizeof(*file) + item->name_len + 1);
	const char *content = item->entry ? item->entry->content : NULL;

	if (!file)
		return NULL;
	if (content)
		file->data_path = strdup(content);
	if ((content && !file->data_path) || pthread_mutex_init(&file->lock, NULL) != 0) {
		free(file->data_path);
		free(file);
		return NULL;
	}
	atomic_init(&file->refs, 1);
	atomic_init(&file->changed, false);
	file->dir = source_dir_get(item->parent);
	file->dev = item->data.st_dev;
	file->ino = item->data.st_ino;
	file->size = (u64)item->data.st_size;
	file->allocated = item->data.st_blocks != 0;
	file->mtime = item->data.st_mtim;
	file->ctime = item->data.st_ctim;
	file->fd = -1;
	file->name_len = item->name_len;
	memcpy(file->name, item->name, item->name_len);
	return file;
}

struct source_file *source_file_get(struct source_file *file)
{
	atomic_fetch_add(&file->refs, 1);
	return file;
}

void source_file_put(struct source_file *file)
{
	if (!file || atomic_fetch_sub(&file->refs, 1) != 1)
		return;
	if (file->fd >= 0)
		close(file->fd);
	source_dir_put(file->dir);
	pthread_mutex_destroy(&file->lock);
	free(file->data_path);
	free(file);
}

void source_file_close(struct source_file *file)
{
	pthread_mutex_lock(&file->lock);
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
	pthread_mutex_unlock(&file->lock);
}

u64 source_file_size(const struct source_file *file)
{
	return file->size;
}

char *source_file_path(const struct source_file *file)
{
	return source_path_format(file->dir, file->name, file->name_len, false);
}

/* ---- open and compare ---- */

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static void compare_with_entry(struct source_file *file, const struct stat *st)
{
	if ((u64)st->st_size != file->size || !same_time(&st->st_mtim, &file->mtime) ||
	    !same_time(&st->st_ctim, &file->ctime))
		atomic_store(&file->changed, true);
}

static int look_again(struct source_file *file, int fd)
{
	struct stat st;

	if (fstat(fd, &st) == 0) {
		compare_with_entry(file, &st);
		return 0;
	}
	/* The server of a network file system has forgotten it. */
	if (errno != ESTALE)
		return -errno;
	atomic_store(&file->changed, true);
	return 0;
}

/* O_NONBLOCK: a FIFO may have the name by now. O_NOATIME is refused for files of other users. */
static int open_at(int at_fd, const char *name, int follow)
{
	const int flags = O_RDONLY | follow | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	int fd = openat(at_fd, name, flags | O_NOATIME);

	if (fd < 0 && errno == EPERM)
		fd = openat(at_fd, name, flags);
	return fd < 0 ? -errno : fd;
}

static int open_in_tree(struct source_file *file)
{
	int at_fd = source_dir_pin(file->dir);
	int fd;

	if (at_fd < 0)
		return at_fd;
	fd = open_at(at_fd, file->name, O_NOFOLLOW);
	source_dir_unpin(file->dir);
	return fd;
}

static int open_data(struct source_file *file)
{
	return file->data_path ? open_at(AT_FDCWD, file->data_path, 0) : open_in_tree(file);
}

static int open_by_name(struct source_file *file)
{
	int fd = open_data(file);

	if (fd == -EMFILE) {
		source_dir_close_idle(file->dir);
		fd = open_data(file);
	}
	/* A socket, or a device without a driver, took the name. */
	return fd == -ENXIO || fd == -ENODEV ? -ESTALE : fd;
}

static int open_checked(struct source_file *file)
{
	int fd = open_by_name(file);
	struct stat st;
	int ret;

	if (fd < 0)
		return source_error_is_vanished(fd) ? -ESTALE : fd;
	if (fstat(fd, &st) < 0) {
		ret = -errno;
		goto out_close;
	}
	if (!S_ISREG(st.st_mode) || st.st_dev != file->dev || st.st_ino != file->ino) {
		ret = -ESTALE;
		goto out_close;
	}
	compare_with_entry(file, &st);
	return fd;

out_close:
	close(fd);
	return ret;
}

/* The descriptor, or -errno; -ESTALE: there is no such file any more, now and for ever. */
static int file_fd(struct source_file *file)
{
	int fd;

	pthread_mutex_lock(&file->lock);
	fd = file->fd;
	if (fd < 0)
		fd = file->gone ? -ESTALE : open_checked(file);
	if (fd >= 0) {
		file->fd = fd;
	} else if (fd == -ESTALE) {
		file->gone = true;
		atomic_store(&file->changed, true);
	}
	pthread_mutex_unlock(&file->lock);
	return fd;
}

/* ---- where data is ---- */

/*
 * There is no data left, but is that what the entry said? When the file has changed, its last
 * block is offered as data, so that whoever reads the file comes to know.
 */
static int end_of_data(struct source_file *file, int fd, u64 offset, u64 *start, u64 *end)
{
	if (fd >= 0) {
		int ret = look_again(file, fd);

		if (ret < 0)
			return ret;
	}
	if (!atomic_load(&file->changed))
		return 0;
	*start = MAX(offset, ALIGN_DOWN(file->size - 1, (u64)NO_HOLES_MAX));
	*end = file->size;
	return 1;
}

static int rest_is_data(const struct source_file *file, u64 offset, u64 *start, u64 *end)
{
	*start = offset;
	*end = file->size;
	return 1;
}

/* A file system that knows no holes may say EINVAL. */
static bool seek_unsupported(int err)
{
	return err == EINVAL || err == EOPNOTSUPP || err == ENOSYS || err == ESPIPE;
}

static int seek_data(struct source_file *file, int fd, u64 offset, u64 *start, u64 *end)
{
	off_t data = (off_t)offset;
	/* First the end: mostly there is data at the offset, and one call tells all. */
	off_t hole = lseek(fd, data, SEEK_HOLE);

	if (hole == data) {
		data = lseek(fd, data, SEEK_DATA);
		hole = data < 0 ? -1 : lseek(fd, data, SEEK_HOLE);
	}
	if (hole < 0 && seek_unsupported(errno))
		return rest_is_data(file, offset, start, end);
	if (hole < 0 && errno != ENXIO)
		return -errno;
	if (hole < 0 || (u64)data >= file->size)
		return end_of_data(file, fd, offset, start, end);
	*start = MAX((u64)data, offset);
	*end = MIN((u64)hole, file->size);
	/* The file may change between the calls, but the caller has to come forward. */
	if (*end <= *start)
		*end = MIN(*start + NO_HOLES_MAX, file->size);
	return 1;
}

int source_file_next_data(struct source_file *file, u64 offset, u64 *start, u64 *end)
{
	int fd;

	if (offset >= file->size)
		return 0;
	if (file->size <= NO_HOLES_MAX && file->allocated)
		return rest_is_data(file, offset, start, end);
	fd = file_fd(file);
	if (fd == -ESTALE)
		return end_of_data(file, -1, offset, start, end);
	if (fd < 0)
		return fd;
	return seek_data(file, fd, offset, start, end);
}

/* ---- reading ---- */

/* Bytes read; fewer than @len when the file ends, or is gone; or -errno. */
static ssize_t read_range(int fd, u8 *buf, u64 offset, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t got = pread(fd, buf + done, len - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == ESTALE)
			break;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

static ssize_t read_and_look(struct source_file *file, u8 *buf, u64 offset, size_t len)
{
	int fd = file_fd(file);
	ssize_t got;
	int ret;

	if (fd < 0)
		return fd == -ESTALE ? 0 : fd;
	got = read_range(fd, buf, offset, len);
	if (got < 0)
		return got;
	if ((size_t)got < len)
		atomic_store(&file->changed, true);
	ret = look_again(file, fd);
	return ret < 0 ? ret : got;
}

int source_file_read(struct source_file *file, void *buf, u64 offset, size_t len, size_t *got,
		     enum source_file_state *state)
{
	u64 left = offset < file->size ? file->size - offset : 0;
	size_t want = (size_t)MIN((u64)len, left);
	ssize_t done = want ? read_and_look(file, buf, offset, want) : 0;

	*got = done < 0 ? 0 : (size_t)done;
	memset((u8 *)buf + *got, 0, len - *got);
	if (done < 0)
		return (int)done;
	if (atomic_load(&file->changed))
		*state = SOURCE_FILE_CHANGED;
	return 0;
}

ssize_t source_file_read_verity(struct source_file *file, u64 type, void *buf, u64 offset, size_t len)
{
	struct fsverity_read_metadata_arg arg = {
		.metadata_type = type, .offset = offset, .length = len, .buf_ptr = (u64)(uintptr_t)buf,
	};
	int fd = file_fd(file);
	ssize_t got;

	if (fd < 0)
		return fd;
	got = ioctl(fd, FS_IOC_READ_VERITY_METADATA, &arg);
	return got < 0 ? -errno : got;
}

/* ---- cloning ---- */

/* Times of files have the granularity of a timer tick: a second change within it does not show. */
static bool is_fresh(const struct source_file *file)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (now.tv_sec - file->ctime.tv_sec) * 1000000000LL + now.tv_nsec - file->ctime.tv_nsec < TICK_NS;
}

int source_file_clone(struct source_file *file, u64 offset, u64 len, int fd, u64 dest)
{
	struct file_clone_range range = {
		.src_fd = -1, .src_offset = offset, .src_length = len, .dest_offset = dest,
	};
	int ret;

	if (is_fresh(file) || atomic_load(&file->changed))
		return -EBUSY;
	range.src_fd = file_fd(file);
	if (range.src_fd < 0)
		return range.src_fd == -ESTALE ? -EBUSY : (int)range.src_fd;
	ret = ioctl(fd, FICLONERANGE, &range) ? -errno : look_again(file, (int)range.src_fd);
	return !ret && atomic_load(&file->changed) ? -EBUSY : ret;
}
