// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The set as a whole: looks at every path before it opens the first one, and
 * opens all or none. See device-set.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/checked.h"
#include "io/device-internal.h"

static const char *type_name(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return "a directory";
	case S_IFIFO:
		return "a FIFO";
	case S_IFSOCK:
		return "a socket";
	case S_IFCHR:
		return "a character device";
	default:
		return "a special file";
	}
}

/* A path that does not exist stays with inode 0, when it may become a new file. */
static int look_at(struct io_device *device, const struct io_device_access *access)
{
	const char *path = device->path;
	struct stat st;

	if (stat(path, &st)) {
		int err = errno;

		if (err == ENOENT && access->write && (access->offset || access->length))
			return io_device_refuse(path, -err, "does not exist; a part of it cannot be the target");
		if (err == ENOENT && access->write && !access->create_size)
			return io_device_refuse(path, -err, "does not exist; give a size (-b), or a tree to fit it to "
						"(--rootdir), to make a new image file");
		if (err != ENOENT || !access->create_size)
			return io_device_refuse(path, -err, "cannot be opened: %s", strerror(err));
		if (!lstat(path, &st))
			return io_device_refuse(path, -err, "is a symbolic link that leads nowhere");
		if (!path[0] || path[strlen(path) - 1] == '/')
			return io_device_refuse(path, -err, "is not the name of a file");
		return 0;
	}
	if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
		return io_device_refuse(path, -EINVAL, "is %s, not a block device or an image file",
					type_name(st.st_mode));
	device->is_block = S_ISBLK(st.st_mode);
	device->dev = st.st_dev;
	device->ino = st.st_ino;
	device->rdev = device->is_block ? st.st_rdev : 0;
	return 0;
}

static int look_at_all(struct io_device_set *set, char *const *paths, const struct io_device_access *access)
{
	unsigned i;

	for (i = 0; i < set->nr; i++)
		set->devices[i].fd = -1;
	for (i = 0; i < set->nr; i++) {
		int ret;

		set->devices[i].path = strdup(paths[i]);
		if (!set->devices[i].path)
			return io_device_refuse(paths[i], -ENOMEM, "cannot be opened: %s", strerror(ENOMEM));
		ret = look_at(&set->devices[i], access);
		if (ret)
			return ret;
	}
	return io_device_check_distinct(set->devices, set->nr);
}

static int open_one(struct io_device *device, const struct io_device_access *access)
{
	int ret;

	if (device->is_block || device->ino)
		return io_device_open(device, access);
	ret = io_image_create(device, access->create_size);
	return ret ? ret : io_device_set_up_direct(device, access->mode);
}

static int open_all(struct io_device_set *set, const struct io_device_access *access)
{
	u64 sum = 0;
	unsigned i;

	for (i = 0; i < set->nr; i++) {
		int ret = open_one(&set->devices[i], access);

		if (ret)
			return ret;
		if (check_add_overflow(sum, set->devices[i].size, &sum))
			return io_device_refuse(set->devices[i].path, -EFBIG,
						"takes the sum of all sizes to 16 EiB; use smaller targets");
	}
	return 0;
}

static int open_set(struct io_device_set *set, char *const *paths, unsigned nr,
		    const struct io_device_access *access)
{
	int ret;

	set->nr = nr;
	set->devices = calloc(MAX(nr, 1), sizeof(*set->devices));
	if (!set->devices) {
		set->nr = 0;
		error("out of memory for %u devices", nr);
		return -ENOMEM;
	}
	ret = look_at_all(set, paths, access);
	if (!ret)
		ret = open_all(set, access);
	if (ret)
		io_device_set_close(set);
	return ret;
}

int io_device_set_open_read(struct io_device_set *set, char *const *paths, unsigned nr,
			    enum io_direct_mode mode, bool allow_busy)
{
	const struct io_device_access access = { .mode = mode, .allow_busy = allow_busy };

	return open_set(set, paths, nr, &access);
}

int io_device_set_open_write(struct io_device_set *set, char *const *paths, unsigned nr,
			     const struct io_write_options *options)
{
	const struct io_device_access access = {
		.write = true,
		.mode = options->direct,
		.create_size = options->create_size,
		.offset = options->offset,
		.length = options->length,
	};

	return open_set(set, paths, nr, &access);
}

int io_device_resize(struct io_device *device, u64 size)
{
	if (size > INT64_MAX)
		return -EFBIG;
	if (ftruncate(device->fd, (off_t)size))
		return -errno;
	device->size = size;
	return 0;
}

void io_device_set_close(struct io_device_set *set)
{
	unsigned i;

	for (i = 0; i < set->nr; i++) {
		struct io_device *device = &set->devices[i];

		io_image_remove(device);
		if (device->fd >= 0)
			close(device->fd);
		free(device->path);
	}
	free(set->devices);
	set->devices = NULL;
	set->nr = 0;
}

int io_device_pread(const struct io_device *device, void *buf, size_t len, u64 offset)
{
	while (len) {
		ssize_t ret = pread(device->fd, buf, len, (off_t)(device->base + offset));

		if (ret < 0 && errno == EINTR)
			continue;
		if (ret <= 0)
			return ret < 0 ? -errno : -EIO;
		buf = (u8 *)buf + ret;
		len -= (size_t)ret;
		offset += (u64)ret;
	}
	return 0;
}

int io_device_pwrite(const struct io_device *device, const void *buf, size_t len, u64 offset)
{
	while (len) {
		ssize_t ret = pwrite(device->fd, buf, len, (off_t)(device->base + offset));

		if (ret < 0 && errno == EINTR)
			continue;
		if (ret <= 0)
			return ret < 0 ? -errno : -EIO;
		buf = (const u8 *)buf + ret;
		len -= (size_t)ret;
		offset += (u64)ret;
	}
	return 0;
}
