/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files behind io/device-set.h share. Nothing outside io/ includes this.
 *
 * All functions that return int give 0 or -errno and have printed the message.
 */
#ifndef BO_IO_DEVICE_INTERNAL_H
#define BO_IO_DEVICE_INTERNAL_H

#include "common/message.h"
#include "io/device-set.h"

struct io_device_access {
	bool write;
	bool allow_busy;	/* reading: a warning instead of a refusal */
	u64 create_size;	/* writing: of image files that do not exist yet; 0: they have to exist */
	u64 offset;		/* bytes before the target, in what exists */
	u64 length;		/* of the target; 0: up to the end */
	enum io_direct_mode mode;
};

/* "ERROR: PATH text", with the path escaped. Returns @err, for the caller to return. */
int io_device_refuse(const char *path, int err, const char *fmt, ...) PRINTF_FORMAT(3, 4);
/* The same as a warning. */
void io_device_warn(const char *path, const char *fmt, ...) PRINTF_FORMAT(2, 3);

/* device-open.c: the one device that .path, .is_block, .dev, .ino and .rdev describe. */
int io_device_open(struct io_device *device, const struct io_device_access *access);

/* device-direct.c: sets .direct and .block_size of an open device. */
int io_device_set_up_direct(struct io_device *device, enum io_direct_mode mode);

/* device-busy.c: use that O_EXCL does not show: swap, and image files behind loop devices. */
int io_device_check_busy(const struct io_device *device, const struct io_device_access *access);

/* device-identity.c: no two of the set may be the same bytes, nor may two new files have one name. */
int io_device_check_distinct(const struct io_device *devices, unsigned nr);

/*
 * image-file.c: a new file of @size bytes without its name; sets .fd, .dev, .ino,
 * .temporary and .unnamed. Publishing is a step for all files (sync), a step that can
 * be taken back (name) and a step that makes it last (sync_folder).
 */
int io_image_create(struct io_device *device, u64 size);
int io_image_name(struct io_device *device);
int io_image_sync_folder(const struct io_device *device);
void io_image_remove(struct io_device *device);

#endif
