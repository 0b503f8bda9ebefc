/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The targets of one run: block devices and image files, opened once, in the
 * order of the command line. Knows sizes, exclusive use and direct I/O; does
 * not know what is stored on them.
 *
 * Used by one thread; the file descriptors may be read from any thread.
 */
#ifndef BO_IO_DEVICE_SET_H
#define BO_IO_DEVICE_SET_H

#include <sys/types.h>

#include "common/types.h"

enum io_direct_mode {
	IO_DIRECT_AUTO,		/* O_DIRECT where the file system allows it */
	IO_DIRECT_ALWAYS,	/* refuse without it */
	IO_DIRECT_NEVER,
};

struct io_device {
	char *path;		/* as the user wrote it: for messages */
	int fd;			/* for data: O_DIRECT when .direct */
	u64 base;		/* where it begins in the file or device, bytes: every offset counts from there */
	u64 size;		/* bytes, measured; from .base on */
	u32 block_size;		/* alignment that direct I/O asks for; 512 or 4096 mostly */
	bool is_block;
	bool direct;		/* only where .block_size <= 4096 */
	bool read_only;		/* opened for reading only: writes fail */
	dev_t dev;		/* of the file that holds it (regular files) */
	ino_t ino;
	dev_t rdev;		/* block devices */
	char *temporary;	/* where a new image file can be opened until io_device_set_publish(), or NULL */
	bool unnamed;		/* it is in no folder until then: closed, it is gone */
};

struct io_device_set {
	struct io_device *devices;
	unsigned nr;
};

/*
 * Open existing devices or files for reading (never for writing). Refuses, with a
 * message that names the path: anything but regular files and block devices
 * (without blocking on a FIFO), the same file or device twice, and, unless
 * @allow_busy (then a warning), a block device that is in exclusive use (mounted), an
 * image file under a writable loop device that is in exclusive use, or a target that
 * another run is writing.
 * Returns 0 or -errno, after the message; then nothing stays open.
 */
int io_device_set_open_read(struct io_device_set *set, char *const *paths, unsigned nr,
			    enum io_direct_mode mode, bool allow_busy);

/*
 * Open for reading once more what this process has open for writing, new image files without a name included:
 * for what is to be read back. What the page cache holds of it is dropped first, as far as it is on
 * stable storage. Needs /proc. Returns 0 or -errno after a message.
 */
int io_device_set_reopen(struct io_device_set *set, const struct io_device_set *held, enum io_direct_mode mode);

struct io_write_options {
	enum io_direct_mode direct;
	/* > 0: a path that does not exist becomes a new image file of that size; 0: it is an error */
	u64 create_size;
	/* only these bytes of what exists are the target; a @length of 0: up to the end */
	u64 offset;
	u64 length;
};

/*
 * Open targets for writing. New image files are made without a name, or under a temporary one, in the same folder.
 * Exclusive until close (O_EXCL and a lock on block
 * devices, a lock on files); refuses as above and also swap, read-only media, and files
 * attached to a loop device that shows bytes of the target. Writes nothing but the size of new files.
 */
int io_device_set_open_write(struct io_device_set *set, char *const *paths, unsigned nr,
			     const struct io_write_options *options);

/* Another size for an image file that is the target from its start to its end. 0 or -errno, no message. */
int io_device_resize(struct io_device *device, u64 size);

/* fdatasync() of all devices. First error wins, after a message that names the device. */
int io_device_set_flush(struct io_device_set *set);

/*
 * Everything is on stable storage and new image files get their final names, all or
 * none; a file that appeared under such a name stays, and is an error (-EEXIST). So
 * is a target that was deleted meanwhile. 0 or -errno after a message.
 */
int io_device_set_publish(struct io_device_set *set);

/* Closes; files that were never published are removed. */
void io_device_set_close(struct io_device_set *set);

/* pread/pwrite of the whole range, buffered or direct as the device is; @buf aligned to 4096,
 * @len and @offset to .block_size.
 * Returns 0, -errno, or -EIO for a short transfer. No message. */
int io_device_pread(const struct io_device *device, void *buf, size_t len, u64 offset);
int io_device_pwrite(const struct io_device *device, const void *buf, size_t len, u64 offset);

#endif
