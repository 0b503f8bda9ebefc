// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Asks the loop driver, and where that is not allowed, sysfs: see loop-device.h.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/loop.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "io/loop-device.h"

static bool is_partition(int fd)
{
	char path[64];
	struct stat st;

	if (fstat(fd, &st))
		return false;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/partition", major(st.st_rdev), minor(st.st_rdev));
	return !access(path, F_OK);
}

int io_loop_status(const char *node, struct io_loop *loop)
{
	struct loop_info64 info;
	int ret = 0;
	int fd = open(node, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (ioctl(fd, LOOP_GET_STATUS64, &info)) {
		ret = -errno;
	} else {
		loop->dev = (dev_t)info.lo_device;
		loop->ino = (ino_t)info.lo_inode;
		loop->offset = info.lo_offset;
		loop->length = info.lo_sizelimit ? info.lo_sizelimit : UINT64_MAX;
		loop->whole = !is_partition(fd);
	}
	close(fd);
	return ret;
}

/* The first line of /sys/block/@name/@attribute. */
static bool read_attribute(const char *name, const char *attribute, char *text, size_t size)
{
	char path[256];
	bool found;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/block/%s/%s", name, attribute);
	file = fopen(path, "re");
	if (!file)
		return false;
	found = fgets(text, (int)size, file);
	fclose(file);
	if (found)
		text[strcspn(text, "\n")] = 0;
	return found;
}

static bool overlap(const struct io_loop *a, const struct io_loop *b)
{
	return a->offset < b->offset ? b->offset - a->offset < a->length : a->offset - b->offset < b->length;
}

/*
 * The driver knows the inode whatever became of the name. A user who may not open
 * the device gets the name only, which may be stale, or end in " (deleted)".
 */
static bool shows_any(const char *name, const struct io_loop *bytes)
{
	char node[64];
	char backing[PATH_MAX];
	struct io_loop loop;
	struct stat st;

	if (!read_attribute(name, "loop/backing_file", backing, sizeof(backing)))
		return false;
	snprintf(node, sizeof(node), "/dev/%.40s", name);
	if (!io_loop_status(node, &loop))
		return loop.dev == bytes->dev && loop.ino == bytes->ino && overlap(&loop, bytes);
	return !stat(backing, &st) && st.st_dev == bytes->dev && st.st_ino == bytes->ino;
}

static bool writable_and_held(const char *name)
{
	char node[64];
	char text[8];
	bool held;
	int fd;

	if (read_attribute(name, "ro", text, sizeof(text)) && !strcmp(text, "1"))
		return false;
	snprintf(node, sizeof(node), "/dev/%.40s", name);
	fd = open(node, O_RDONLY | O_EXCL | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	held = fd < 0 && errno == EBUSY;
	if (fd >= 0)
		close(fd);
	return held;
}

bool io_loop_find(const struct io_loop *bytes, enum io_loop_use use, struct io_loop_name *result)
{
	DIR *dir = opendir("/sys/block");
	struct dirent *entry;
	bool found = false;

	if (!dir)
		return false;
	while (!found && (entry = readdir(dir))) {
		const char *name = entry->d_name;

		if (strncmp(name, "loop", 4) || strlen(name) >= sizeof(result->text))
			continue;
		found = shows_any(name, bytes) && (use == IO_LOOP_ATTACHED || writable_and_held(name));
		if (found)
			snprintf(result->text, sizeof(result->text), "%.31s", name);
	}
	closedir(dir);
	return found;
}
