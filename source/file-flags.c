// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include "source/file-flags.h"

/* O_NOATIME is refused for files of other users. */
int file_flags_open(int at_fd, const char *name)
{
	const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	int fd = openat(at_fd, name, flags | O_NOATIME);

	if (fd < 0 && errno == EPERM)
		fd = openat(at_fd, name, flags);
	return fd < 0 ? -errno : fd;
}

struct file_flags file_flags_read(int fd)
{
	struct file_flags flags = { 0 };
	struct fsxattr fsx;
	int value = 0;

	if (ioctl(fd, FS_IOC_GETFLAGS, &value) < 0)
		return flags;
	flags.flags = (u32)value;
	if (ioctl(fd, FS_IOC_FSGETXATTR, &fsx) == 0)
		flags.project = fsx.fsx_projid;
	return flags;
}
