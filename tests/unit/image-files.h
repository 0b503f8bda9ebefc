/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Targets for tests of mkfs/: unlinked temporary files as a device set, a chunk allocator over them,
 * and the other way round: what is on the files at a logical address.
 */
#ifndef BO_TESTS_IMAGE_FILES_H
#define BO_TESTS_IMAGE_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/device-set.h"
#include "mkfs/chunk-alloc.h"

#define IMAGE_MAX_FILES 8

struct image_files {
	struct io_device devices[IMAGE_MAX_FILES];
	struct io_device_set set;
	u8 uuids[IMAGE_MAX_FILES][BTRFS_UUID_SIZE];
	struct chunk_allocator alloc;
};

static inline void image_files_init(struct image_files *images, unsigned nr, u64 size)
{
	u64 sizes[IMAGE_MAX_FILES];
	unsigned i;

	memset(images, 0, sizeof(*images));
	images->set.devices = images->devices;
	images->set.nr = nr;
	for (i = 0; i < nr; i++) {
		char path[] = "/tmp/test-image-XXXXXX";

		images->devices[i].path = (char *)"an image file";
		images->devices[i].fd = mkstemp(path);
		assert_true(images->devices[i].fd >= 0);
		unlink(path);
		assert_int_equal(ftruncate(images->devices[i].fd, (off_t)size), 0);
		images->devices[i].size = size;
		images->devices[i].block_size = 512;
		memset(images->uuids[i], 0x40 + (int)i, BTRFS_UUID_SIZE);
		sizes[i] = size;
	}
	assert_int_equal(chunk_allocator_init(&images->alloc, sizes, nr,
					      (const u8 (*)[BTRFS_UUID_SIZE])images->uuids), 0);
}

static inline void image_files_release(struct image_files *images)
{
	unsigned i;

	for (i = 0; i < images->set.nr; i++)
		close(images->devices[i].fd);
	chunk_allocator_release(&images->alloc);
}

/* [@logical, +@len) of one copy. */
static inline void image_files_read(const struct image_files *images, u64 logical, u64 len, int copy, u8 *to)
{
	const struct btrfs_chunk_map *map = btrfs_find_chunk(&images->alloc.chunks, logical);

	assert_non_null(map);
	while (len) {
		u64 piece;
		const struct btrfs_io_stripe place = btrfs_map_logical(map, logical, copy, &piece);

		piece = MIN(piece, len);
		assert_int_equal(pread(images->devices[place.devid - 1].fd, to, piece, (off_t)place.physical),
				 (long)piece);
		to += piece;
		logical += piece;
		len -= piece;
	}
}

/* Every byte a function of its logical address (its low bits and which 4 KiB it lies in). */
static inline u8 image_byte(u64 logical)
{
	return (u8)(((logical >> 12) * 0x9e3779b97f4a7c15ULL >> 56) ^ (logical * 7));
}

static inline void image_fill(u8 *data, u64 logical, u64 len)
{
	u64 i;

	for (i = 0; i < len; i++)
		data[i] = image_byte(logical + i);
}

#endif
