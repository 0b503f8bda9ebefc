// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Direct I/O, where it works: what alignment it wants, and a trial read, since
 * some file systems take the flag and refuse the transfer.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/device-internal.h"

/* All transfers of this program keep to this alignment, in memory and on the device. */
#define OUR_ALIGNMENT 4096

/* 0: the file system says that it cannot. */
static u32 file_alignment(int fd)
{
#ifdef STATX_DIOALIGN
	struct statx stx;

	if (!statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &stx) && (stx.stx_mask & STATX_DIOALIGN)) {
		if (stx.stx_dio_mem_align > OUR_ALIGNMENT)
			return 0;
		return stx.stx_dio_offset_align;
	}
#else
	(void)fd;
#endif
	return OUR_ALIGNMENT;
}

static u32 device_alignment(int fd)
{
	int size = 0;

	if (ioctl(fd, BLKSSZGET, &size) || size <= 0)
		return OUR_ALIGNMENT;
	return (u32)size;
}

static bool set_direct_flag(int fd, bool on)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && !fcntl(fd, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT);
}

/* Bad media is no reason to give up direct I/O: only the answer "not like this" is. */
static bool trial_read(int fd)
{
	void *buffer = NULL;
	ssize_t ret;
	int err;

	if (posix_memalign(&buffer, OUR_ALIGNMENT, OUR_ALIGNMENT))
		return false;
	ret = pread(fd, buffer, OUR_ALIGNMENT, 0);
	err = errno;
	free(buffer);
	return ret >= 0 || (err != EINVAL && err != EOPNOTSUPP);
}

int io_device_set_up_direct(struct io_device *device, enum io_direct_mode mode)
{
	u32 alignment = device->is_block ? device_alignment(device->fd) : file_alignment(device->fd);

	device->block_size = alignment ? alignment : OUR_ALIGNMENT;
	device->direct = false;
	if (mode == IO_DIRECT_NEVER)
		return 0;
	if (alignment && alignment <= OUR_ALIGNMENT && IS_ALIGNED(device->base, (u64)alignment) &&
	    set_direct_flag(device->fd, true)) {
		if (trial_read(device->fd)) {
			device->direct = true;
			return 0;
		}
		set_direct_flag(device->fd, false);
	}
	if (mode == IO_DIRECT_AUTO)
		return 0;
	return io_device_refuse(device->path, -EOPNOTSUPP,
				"cannot be accessed with direct I/O in blocks of %u bytes from byte %llu on; "
				"use --io auto",
				OUR_ALIGNMENT, (unsigned long long)device->base);
}
