/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Space on the devices, handed out as chunks.
 *
 * Chunks are allocated front to back and get ascending logical addresses, without gaps between
 * them. No stripe covers the place of a superblock copy: the devices are cut into regions between
 * the copies. Belongs to one thread.
 *
 * Two policies. Where there is plenty of room, chunks are as long as the kernel's and each stripe goes where the
 * most room is. Fitted, chunks are as long as their content and follow each other without room in between, so
 * that the filesystem ends as early as it can; where devices are equal, the layout does not depend on their size.
 */
#ifndef BO_MKFS_CHUNK_ALLOC_H
#define BO_MKFS_CHUNK_ALLOC_H

#include "kernel-shared/volumes.h"

/* The first chunk's logical address; 0 would read as a hole in file extents. */
#define CHUNK_FIRST_LOGICAL	((u64)16 << 20)
#define CHUNK_NR_REGIONS	3
/* Room for so many tree blocks lets the kernel write to a small filesystem: measured, Linux 6.18. */
#define CHUNK_WRITABLE_NODES	640

struct device_space {
	u64 devid;
	u64 total_bytes;
	u64 bytes_used;		/* of all stripes */
	u8 uuid[BTRFS_UUID_SIZE];
	struct {
		u64 start;	/* first free byte */
		u64 end;
	} regions[CHUNK_NR_REGIONS];
};

struct chunk_allocator {
	struct device_space *devices;
	unsigned nr_devices;
	u64 total_bytes;
	u64 next_logical;
	u32 nodesize;		/* a chunk's item must fit in a leaf; 0: not looked at */
	bool fitted;		/* the policy */
	bool inexact;		/* fewer bytes of data may come than is expected */
	struct btrfs_chunk_table chunks;	/* owns the maps; in logical order */
};

/* @sizes: total bytes of each device, multiples of 64 KiB or not; devids start at 1. */
int chunk_allocator_init(struct chunk_allocator *alloc, const u64 *sizes, unsigned nr,
			 const u8 (*uuids)[BTRFS_UUID_SIZE]);
void chunk_allocator_release(struct chunk_allocator *alloc);

/*
 * A new chunk of @type (BTRFS_BLOCK_GROUP_* type and profile), at most @want bytes long (rounded up to
 * whole stripe elements), shorter when the devices have no more. Returns 0 with *map
 * (owned by the table), -ENOSPC, or -ENOMEM.
 */
int chunk_allocate(struct chunk_allocator *alloc, u64 type, u64 want, struct btrfs_chunk_map **map);

/*
 * Cuts the newest chunk to @length bytes (rounded up to whole stripe elements of all stripes) and
 * gives the rest back. @length > 0.
 */
void chunk_trim_last(struct chunk_allocator *alloc, u64 length);

/*
 * The newest chunk never was: nothing is written to it. Its space is free again.
 */
void chunk_drop_last(struct chunk_allocator *alloc);

/*
 * How long a chunk of @type should be, when @total bytes of this type are expected and @left of them have no place
 * yet (0: more came than was expected). Under the policy.
 */
u64 chunk_length(const struct chunk_allocator *alloc, u64 type, u64 total, u64 left);

/* Where the last stripe on device number @nr ends, in bytes from its start; 0: it has none. */
u64 chunk_device_end(const struct chunk_allocator *alloc, unsigned nr);

/* The devices get other sizes, none of them before the end of its last stripe. */
void chunk_resize_devices(struct chunk_allocator *alloc, const u64 *sizes);

/* Largest chunk of this type that the kernel would make here. */
u64 chunk_default_length(const struct chunk_allocator *alloc, u64 type);

/* Logical bytes that chunks of @type could still get, if nothing else took space. */
u64 chunk_space_left(const struct chunk_allocator *alloc, u64 type);

#endif
