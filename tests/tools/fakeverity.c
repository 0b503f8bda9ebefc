// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A library to preload that plays a kernel with fs-verity: a file NAME for which there are $FAKEVERITY/NAME.desc
 * and NAME.tree has it, and these are what "fsverity digest --out-descriptor --out-merkle-tree" made of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/fsverity.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A descriptor of the metadata of file @fd, or -1. */
static int open_metadata(int fd, const char *suffix)
{
	const char *dir = getenv("FAKEVERITY"), *name;
	char link[64], path[PATH_MAX], metadata[2 * PATH_MAX];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	if (!dir || len <= 0)
		return -1;
	path[len] = '\0';
	name = strrchr(path, '/');
	snprintf(metadata, sizeof(metadata), "%s/%s%s", dir, name ? name + 1 : path, suffix);
	return open(metadata, O_RDONLY | O_CLOEXEC);
}

static int read_metadata(int fd, const struct fsverity_read_metadata_arg *arg)
{
	ssize_t got;

	errno = ENODATA;
	fd = arg->metadata_type == FS_VERITY_METADATA_TYPE_SIGNATURE ? -1 :
	     open_metadata(fd, arg->metadata_type == FS_VERITY_METADATA_TYPE_DESCRIPTOR ? ".desc" : ".tree");
	if (fd < 0)
		return -1;
	got = pread(fd, (void *)(uintptr_t)arg->buf_ptr, arg->length, (off_t)arg->offset);
	close(fd);
	return (int)got;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;
	int ret, metadata;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (request == FS_IOC_READ_VERITY_METADATA)
		return read_metadata(fd, arg);
	ret = (int)syscall(SYS_ioctl, fd, request, arg);
	if (request != FS_IOC_GETFLAGS || ret < 0)
		return ret;
	metadata = open_metadata(fd, ".desc");
	if (metadata >= 0) {
		close(metadata);
		*(int *)arg |= FS_VERITY_FL;
	}
	return ret;
}
