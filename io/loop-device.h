/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which file is behind a loop device, and which loop devices are before a file.
 * The kernel locks neither against the other.
 *
 * Facts from loop(4) and the kernel's Documentation/ABI/testing/sysfs-block-loop.
 */
#ifndef BO_IO_LOOP_DEVICE_H
#define BO_IO_LOOP_DEVICE_H

#include <sys/types.h>

#include "common/types.h"

struct io_loop {
	dev_t dev;	/* of the backing file */
	ino_t ino;
	u64 offset;	/* bytes of it that the device shows */
	u64 length;	/* UINT64_MAX: to the end */
	bool whole;	/* the loop device itself, not a partition of one */
};

/* 0, or -errno when @node is no loop device, has no file, or may not be opened. No message. */
int io_loop_status(const char *node, struct io_loop *loop);

enum io_loop_use {
	IO_LOOP_ATTACHED,	/* in any way */
	IO_LOOP_WRITABLE_HELD,	/* read-write, and somebody (a mounted file system) holds the device */
};

struct io_loop_name {
	char text[32];
};

/*
 * Does a loop device in such use show any of these bytes (->dev to ->length) of a file? *@name is then the first one's,
 * as "loop0".
 */
bool io_loop_find(const struct io_loop *bytes, enum io_loop_use use, struct io_loop_name *name);

#endif
