/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Space on the devices, handed out as chunks.
 *
 * Chunks are allocated front to back and get ascending logical addresses, without gaps between
 * them. No stripe covers the place of a superblock copy: the devices are cut into regions between
 * the copies. Belongs to one thread.
 */
#ifndef BO_MKFS_CHUNK_ALLOC_H
#define BO_MKFS_CHUNK_ALLOC_H

#include "kernel-shared/volumes.h"

/* The first chunk's logical address; 0 would read as a hole in file extents. */
#define CHUNK_FIRST_LOGICAL	((u64)16 << 20)
#define CHUNK_NR_REGIONS	3

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

/* Largest chunk of this type that the kernel would make here. */
u64 chunk_default_length(const struct chunk_allocator *alloc, u64 type);

/* Logical bytes that chunks of @type could still get, if nothing else took space. */
u64 chunk_space_left(const struct chunk_allocator *alloc, u64 type);

#endif
