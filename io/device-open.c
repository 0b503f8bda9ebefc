// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opens one existing target: exclusively, locked, without ever blocking, and as
 * the very thing that was looked at before.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/units.h"
#include "io/device-internal.h"

#define LOCK_TRIES	50
#define FILE_LOCK_TRIES	20
#define LOCK_PAUSE_NS	(100 * 1000 * 1000)

static bool is_read_only_medium(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int read_only = 0;
	bool yes;

	if (fd < 0)
		return false;
	yes = !ioctl(fd, BLKROGET, &read_only) && read_only;
	close(fd);
	return yes;
}

/* Returns a file descriptor or -errno, after the message. */
static int open_node(const struct io_device *device, const struct io_device_access *access)
{
	/* O_NONBLOCK for the case that a FIFO took the place of what was looked at. */
	int flags = (access->write ? O_RDWR : O_RDONLY) | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	int fd = open(device->path, device->is_block ? flags | O_EXCL : flags);
	int err = errno;

	if (fd >= 0)
		return fd;
	if (err == EBUSY && device->is_block && access->allow_busy && !access->write) {
		fd = open(device->path, flags);
		err = errno;
		if (fd >= 0) {
			io_device_warn(device->path, "is in use: it may change while it is read");
			return fd;
		}
	}
	if (err == EBUSY)
		return io_device_refuse(device->path, -EBUSY,
					"is in use (mounted or held by another program); unmount it first");
	if (access->write && device->is_block && is_read_only_medium(device->path))
		return io_device_refuse(device->path, -EROFS, "is read-only");
	return io_device_refuse(device->path, -err, "cannot be opened for %s: %s",
				access->write ? "writing" : "reading", strerror(err));
}

static int verify_identity(const struct io_device *device)
{
	struct stat st;

	if (fstat(device->fd, &st))
		return io_device_refuse(device->path, -errno, "cannot be examined: %s", strerror(errno));
	if (device->is_block ? S_ISBLK(st.st_mode) && st.st_rdev == device->rdev :
	    S_ISREG(st.st_mode) && st.st_dev == device->dev && st.st_ino == device->ino)
		return 0;
	return io_device_refuse(device->path, -EBUSY, "was replaced while it was opened");
}

/* io_uring takes O_NONBLOCK as a wish to fail instead of waiting for the disk. */
static int clear_nonblock(const struct io_device *device)
{
	int flags = fcntl(device->fd, F_GETFL);

	if (flags < 0 || fcntl(device->fd, F_SETFL, flags & ~O_NONBLOCK))
		return io_device_refuse(device->path, -errno, "cannot be opened: %s", strerror(errno));
	return 0;
}

/*
 * Worth waiting for: udev locks a block device for the moment in which it looks at it, and the
 * requests of a killed run keep a file (and its lock) for the moment that they still take.
 */
static int try_lock(int fd, int operation, bool is_block)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };
	unsigned tries = is_block ? LOCK_TRIES : FILE_LOCK_TRIES;

	while (flock(fd, operation | LOCK_NB)) {
		if (errno != EINTR && errno != EWOULDBLOCK)
			return -errno;
		if (errno == EWOULDBLOCK && !--tries)
			return -EWOULDBLOCK;
		if (errno == EWOULDBLOCK)
			nanosleep(&pause, NULL);
	}
	return 0;
}

static int lock(const struct io_device *device, const struct io_device_access *access)
{
	/* Everything but "somebody has it" means that this file system has no locks. */
	if (try_lock(device->fd, access->write ? LOCK_EX : LOCK_SH, device->is_block) != -EWOULDBLOCK)
		return 0;
	if (access->allow_busy && !access->write) {
		io_device_warn(device->path, "is locked by another program: it may change while it is read");
		return 0;
	}
	return io_device_refuse(device->path, -EBUSY, "is locked by another program; wait for that to end");
}

/* The part of a file or device that is the target. */
static int cut_out(struct io_device *device, const struct io_device_access *access)
{
	if (!access->offset && !access->length)
		return 0;
	if (access->offset > device->size || access->length > device->size - access->offset)
		return io_device_refuse(device->path, -ENOSPC,
					"has %llu bytes (%s): %llu bytes from byte %llu on are not all in it",
					(unsigned long long)device->size, format_size(device->size).text,
					(unsigned long long)access->length, (unsigned long long)access->offset);
	device->base = access->offset;
	device->size = access->length ? access->length : device->size - access->offset;
	return 0;
}

static int measure(struct io_device *device)
{
	struct stat st;
	int read_only = 0;

	if (!device->is_block) {
		if (fstat(device->fd, &st))
			return io_device_refuse(device->path, -errno, "cannot be examined: %s",
						strerror(errno));
		device->size = (u64)st.st_size;
		return 0;
	}
	if (ioctl(device->fd, BLKGETSIZE64, &device->size))
		return io_device_refuse(device->path, -errno, "does not tell its size: %s", strerror(errno));
	if (!device->read_only && !ioctl(device->fd, BLKROGET, &read_only) && read_only)
		return io_device_refuse(device->path, -EROFS, "is read-only");
	return 0;
}

int io_device_open(struct io_device *device, const struct io_device_access *access)
{
	int ret;

	ret = io_device_check_busy(device, access);
	if (ret)
		return ret;
	ret = open_node(device, access);
	if (ret < 0)
		return ret;
	device->fd = ret;
	device->read_only = !access->write;
	ret = verify_identity(device);
	if (!ret)
		ret = clear_nonblock(device);
	if (!ret)
		ret = lock(device, access);
	if (!ret)
		ret = measure(device);
	if (!ret)
		ret = cut_out(device, access);
	if (!ret)
		ret = io_device_set_up_direct(device, access->mode);
	if (ret) {
		close(device->fd);
		device->fd = -1;
	}
	return ret;
}
