// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Uses of a target that an exclusive open does not show. An image file under a
 * mounted loop device can be opened and locked by anyone: the loop driver takes
 * no lock on it. Swap files are refused by the kernel only at the first write.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/device-internal.h"
#include "io/loop-device.h"

/* /proc/swaps writes blanks in a name as three octal digits, see proc_swaps(5). In place. */
static void unescape_octal(char *text)
{
	char *out = text;

	while (*text) {
		if (text[0] == '\\' && strspn(text + 1, "01234567") >= 3) {
			*out++ = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 | (text[3] - '0'));
			text += 4;
		} else {
			*out++ = *text++;
		}
	}
	*out = 0;
}

static bool is_same(const struct io_device *device, const struct stat *st)
{
	if (device->is_block)
		return S_ISBLK(st->st_mode) && st->st_rdev == device->rdev;
	return S_ISREG(st->st_mode) && st->st_dev == device->dev && st->st_ino == device->ino;
}

static bool is_swap(const struct io_device *device)
{
	FILE *file = fopen("/proc/swaps", "re");
	char *line = NULL;
	size_t size = 0;
	bool found = false;

	if (!file)
		return false;
	while (!found && getline(&line, &size, file) >= 0) {
		struct stat st;

		line[strcspn(line, " \t\n")] = 0;
		unescape_octal(line);
		found = line[0] == '/' && !stat(line, &st) && is_same(device, &st);
	}
	free(line);
	fclose(file);
	return found;
}

static int check_write(const struct io_device *device, const struct io_device_access *access)
{
	const struct io_loop bytes = {
		.dev = device->dev,
		.ino = device->ino,
		.offset = access->offset,
		.length = access->length ? access->length : UINT64_MAX,
	};
	struct io_loop_name loop;

	if (is_swap(device))
		return io_device_refuse(device->path, -EBUSY, "is in use as swap; run swapoff on it first");
	if (!device->is_block && io_loop_find(&bytes, IO_LOOP_ATTACHED, &loop))
		return io_device_refuse(device->path, -EBUSY,
					"is attached to /dev/%s; name that device, or detach it first",
					loop.text);
	return 0;
}

static int check_read(const struct io_device *device, bool allow_busy)
{
	const struct io_loop bytes = { .dev = device->dev, .ino = device->ino, .length = UINT64_MAX };
	struct io_loop_name loop;

	if (device->is_block || !io_loop_find(&bytes, IO_LOOP_WRITABLE_HELD, &loop))
		return 0;
	if (allow_busy) {
		io_device_warn(device->path, "is in use through /dev/%s: it may change while it is read",
			       loop.text);
		return 0;
	}
	return io_device_refuse(device->path, -EBUSY,
				"is in use through /dev/%s (mounted or held by another program); "
				"unmount it first", loop.text);
}

int io_device_check_busy(const struct io_device *device, const struct io_device_access *access)
{
	return access->write ? check_write(device, access) : check_read(device, access->allow_busy);
}
