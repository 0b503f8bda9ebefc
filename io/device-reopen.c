// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading back what is still open for writing: see io_device_set_reopen().
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "io/device-internal.h"

static void drop_cache(const struct io_device *device)
{
	if (device->is_block)
		ioctl(device->fd, BLKFLSBUF);
	else
		posix_fadvise(device->fd, 0, 0, POSIX_FADV_DONTNEED);
}

static int reopen(struct io_device *device, const struct io_device *held, enum io_direct_mode mode)
{
	char node[64];

	*device = *held;
	device->fd = -1;
	device->temporary = NULL;
	device->unnamed = false;
	device->read_only = true;
	device->path = strdup(held->path);
	if (!device->path) {
		error("out of memory");
		return -ENOMEM;
	}
	drop_cache(held);
	snprintf(node, sizeof(node), "/proc/self/fd/%d", held->fd);
	device->fd = open(node, O_RDONLY | O_CLOEXEC);
	if (device->fd < 0)
		return io_device_refuse(device->path, -errno, "cannot be opened for reading back (as %s): %s",
					node, strerror(errno));
	return io_device_set_up_direct(device, mode);
}

int io_device_set_reopen(struct io_device_set *set, const struct io_device_set *held, enum io_direct_mode mode)
{
	unsigned i;
	int ret = 0;

	set->nr = 0;
	set->devices = calloc(MAX(held->nr, 1), sizeof(*set->devices));
	if (!set->devices) {
		error("out of memory for %u devices", held->nr);
		return -ENOMEM;
	}
	for (i = 0; !ret && i < held->nr; i++) {
		set->nr++;
		ret = reopen(&set->devices[i], &held->devices[i], mode);
	}
	if (ret)
		io_device_set_close(set);
	return ret;
}
