// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The end of a run: everything on stable storage, and new images under their
 * names, all or none of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/device-internal.h"

int io_device_set_flush(struct io_device_set *set)
{
	int first = 0;
	unsigned i;

	for (i = 0; i < set->nr; i++) {
		const struct io_device *device = &set->devices[i];

		if (fdatasync(device->fd)) {
			int ret = io_device_refuse(device->path, -errno, "cannot be flushed: %s",
						   strerror(errno));

			first = first ? first : ret;
		}
	}
	return first;
}

static int sync_image(const struct io_device *device)
{
	struct stat st;

	if (fsync(device->fd))
		return io_device_refuse(device->path, -errno, "cannot be flushed: %s", strerror(errno));
	if (!device->is_block && !device->unnamed && !fstat(device->fd, &st) && !st.st_nlink)
		return io_device_refuse(device->path, -ENOENT, "was deleted while it was written");
	return 0;
}

/* Keeps .temporary, so that it is known which names are new. */
static int name_images(struct io_device_set *set)
{
	unsigned i;
	int ret = 0;

	for (i = 0; i < set->nr; i++) {
		if (!set->devices[i].temporary)
			continue;
		ret = io_image_name(&set->devices[i]);
		if (ret)
			break;
	}
	if (!ret)
		return 0;
	/* One image of several is of no use: the names given a moment ago go again. */
	while (i--)
		if (set->devices[i].temporary)
			unlink(set->devices[i].path);
	return ret;
}

int io_device_set_publish(struct io_device_set *set)
{
	unsigned i;
	int ret;

	for (i = 0; i < set->nr; i++) {
		ret = sync_image(&set->devices[i]);
		if (ret)
			return ret;
	}
	ret = name_images(set);
	if (ret)
		return ret;
	for (i = 0; i < set->nr; i++) {
		struct io_device *device = &set->devices[i];
		int err = device->temporary ? io_image_sync_folder(device) : 0;

		ret = ret ? ret : err;
		free(device->temporary);
		device->temporary = NULL;
	}
	return ret;
}
