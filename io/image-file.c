// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A new image file: made without a name in the folder where it will stand, so that
 * nothing is left of it when the program is killed (under a temporary name where the
 * file system knows no files without one); given its name when it is complete, and
 * never in the place of a file that appeared there meanwhile.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/units.h"
#include "io/device-internal.h"

#define NR_RANDOM	6
#define NAME_TRIES	100
#define TEMPORARY_EXTRA	12	/* two dots, a random part, ".tmp" */

static size_t folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

/* "FOLDER/.NAME.XXXXXX.tmp"; a long NAME is cut. NULL without memory or random numbers. */
static char *temporary_name(const char *path)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
	size_t folder = folder_length(path);
	u8 random[NR_RANDOM];
	char text[NR_RANDOM + 1] = "";
	char *name;
	unsigned i;

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return NULL;
	for (i = 0; i < NR_RANDOM; i++)
		text[i] = letters[random[i] % 32];
	if (asprintf(&name, "%.*s.%.*s.%s.tmp", (int)folder, path, NAME_MAX - TEMPORARY_EXTRA, path + folder,
		     text) < 0)
		return NULL;
	return name;
}

/* A file without a name is reached through its descriptor. */
static int open_unnamed(struct io_device *device)
{
	const size_t len = folder_length(device->path);
	char *folder = len ? strndup(device->path, len) : strdup(".");
	int fd = folder ? open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0666) : -1;

	free(folder);
	if (fd < 0)
		return -1;
	if (asprintf(&device->temporary, "/proc/self/fd/%d", fd) < 0)
		device->temporary = NULL;
	if (!device->temporary || access(device->temporary, F_OK)) {
		free(device->temporary);
		device->temporary = NULL;
		close(fd);
		return -1;
	}
	device->unnamed = true;
	return fd;
}

static int open_temporary(struct io_device *device)
{
	int err = EEXIST;
	unsigned tries;

	device->fd = open_unnamed(device);
	if (device->fd >= 0)
		return 0;
	for (tries = 0; tries < NAME_TRIES && err == EEXIST; tries++) {
		device->temporary = temporary_name(device->path);
		if (!device->temporary)
			return io_device_refuse(device->path, -ENOMEM, "cannot be created: %s",
						strerror(ENOMEM));
		device->fd = open(device->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
				  0666);
		if (device->fd >= 0)
			return 0;
		err = errno;
		free(device->temporary);
		device->temporary = NULL;
	}
	return io_device_refuse(device->path, -err, "cannot be created: %s", strerror(err));
}

int io_image_create(struct io_device *device, u64 size)
{
	struct stat st;
	int ret;

	ret = open_temporary(device);
	if (ret)
		return ret;
	/* Nobody else knows the name: this cannot fail but where there are no locks. */
	flock(device->fd, LOCK_EX | LOCK_NB);
	if (size > INT64_MAX || ftruncate(device->fd, (off_t)size)) {
		int err = size > INT64_MAX ? EFBIG : errno;

		ret = io_device_refuse(device->path, -err, "cannot be given a size of %s: %s",
				       format_size(size).text, strerror(err));
	} else if (fstat(device->fd, &st)) {
		ret = io_device_refuse(device->path, -errno, "cannot be examined: %s", strerror(errno));
	}
	if (ret) {
		io_image_remove(device);
		close(device->fd);
		device->fd = -1;
		return ret;
	}
	device->size = size;
	device->dev = st.st_dev;
	device->ino = st.st_ino;
	return 0;
}

/* Not every file system can refuse to replace; a second link can never replace either. */
static int rename_new(const char *from, const char *to)
{
	struct stat st;

	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
		return -errno;
	if (!link(from, to)) {
		unlink(from);
		return 0;
	}
	if (errno == EEXIST)
		return -EEXIST;
	if (!lstat(to, &st))
		return -EEXIST;
	return rename(from, to) ? -errno : 0;
}

static int link_new(const char *from, const char *to)
{
	return linkat(AT_FDCWD, from, AT_FDCWD, to, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

int io_image_name(struct io_device *device)
{
	int ret = device->unnamed ? link_new(device->temporary, device->path)
				  : rename_new(device->temporary, device->path);

	if (ret == -EEXIST)
		return io_device_refuse(device->path, ret,
					"appeared while the image was made; it was left alone");
	if (ret)
		return io_device_refuse(device->path, ret, "cannot be given its name: %s", strerror(-ret));
	return 0;
}

int io_image_sync_folder(const struct io_device *device)
{
	size_t len = folder_length(device->path);
	char *folder = len ? strndup(device->path, len) : strdup(".");
	int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	int ret = 0;

	/* A folder that may be written but not read cannot be synced on its own. */
	if (fd >= 0 && fsync(fd) && errno != EINVAL)
		ret = io_device_refuse(device->path, -errno,
				       "is written, but its folder cannot be synced: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	free(folder);
	return ret;
}

void io_image_remove(struct io_device *device)
{
	if (!device->temporary)
		return;
	if (!device->unnamed)
		unlink(device->temporary);
	free(device->temporary);
	device->temporary = NULL;
}
