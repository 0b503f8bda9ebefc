/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tiny filesystem for tests of reader/: two devices in unlinked temporary files, one metadata
 * chunk that is RAID1 (two copies), and tree blocks written by hand.
 */
#ifndef BO_TESTS_READER_FIXTURE_H
#define BO_TESTS_READER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "reader/block.h"
#include "reader/roots.h"

#define FIXTURE_NODESIZE	4096
#define FIXTURE_DEVICE_SIZE	((u64)4 << 20)
/* Logical and physical addresses of the chunk differ, so that mixing them up shows. */
#define FIXTURE_CHUNK		((u64)16 << 20)
#define FIXTURE_CHUNK_SIZE	((u64)2 << 20)
#define FIXTURE_PHYSICAL_1	((u64)1 << 20)
#define FIXTURE_PHYSICAL_2	((u64)2 << 20)
#define FIXTURE_GENERATION	7

struct fixture {
	struct btrfs_image image;
	struct io_device io[2];
	struct btrfs_device devices[2];
	u8 fsid[1][BTRFS_FSID_SIZE];
	u8 block[FIXTURE_NODESIZE] __attribute__((aligned(4096)));
};

static inline int fixture_file(u64 size)
{
	char path[] = "/tmp/reader-test-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	return fd;
}

static inline struct btrfs_chunk_map *fixture_chunk(u64 start, u64 length, u64 type)
{
	struct btrfs_chunk_map *map = calloc(1, sizeof(*map) + 2 * sizeof(map->stripes[0]));

	assert_non_null(map);
	map->start = start;
	map->length = length;
	map->type = type;
	map->num_stripes = 2;
	map->sub_stripes = 1;
	map->stripe_size = length / btrfs_chunk_data_stripes(type, 2);
	map->stripes[0] = (struct btrfs_map_stripe){ .devid = 1, .physical = FIXTURE_PHYSICAL_1 };
	map->stripes[1] = (struct btrfs_map_stripe){ .devid = 2, .physical = FIXTURE_PHYSICAL_2 };
	return map;
}

static inline void fixture_init_type(struct fixture *fx, u64 chunk_type)
{
	struct btrfs_chunk_map *map;
	int i;

	assert_int_equal(csum_init(), 0);
	memset(fx, 0, sizeof(*fx));
	memset(fx->fsid[0], 0x11, BTRFS_FSID_SIZE);
	for (i = 0; i < 2; i++) {
		fx->io[i].fd = fixture_file(FIXTURE_DEVICE_SIZE);
		fx->io[i].size = FIXTURE_DEVICE_SIZE;
		fx->devices[i].io = &fx->io[i];
		fx->devices[i].devid = (u64)i + 1;
	}
	fx->image.devices = fx->devices;
	fx->image.nr_devices = 2;
	fx->image.fsids = fx->fsid;
	fx->image.nr_fsids = 1;
	fx->image.csum = csum_by_name("crc32c");
	fx->image.super.generation = cpu_to_le64(FIXTURE_GENERATION);
	fx->image.check = (struct btrfs_check_context){
		.nodesize = FIXTURE_NODESIZE,
		.sectorsize = 4096,
		.csum_size = 4,
		.generation = FIXTURE_GENERATION,
	};
	map = fixture_chunk(FIXTURE_CHUNK, FIXTURE_CHUNK_SIZE, chunk_type);
	assert_int_equal(btrfs_chunk_table_add(&fx->image.chunks, map), 0);
}

static inline void fixture_init(struct fixture *fx)
{
	fixture_init_type(fx, BTRFS_BLOCK_GROUP_METADATA | BTRFS_BLOCK_GROUP_RAID1);
}

static inline void fixture_release(struct fixture *fx)
{
	btrfs_chunk_table_release(&fx->image.chunks);
	close(fx->io[0].fd);
	close(fx->io[1].fd);
}

/* Address of block number @nr of the chunk. */
static inline u64 fixture_bytenr(unsigned nr)
{
	return FIXTURE_CHUNK + (u64)nr * FIXTURE_NODESIZE;
}

/* An empty block in fx->block; fill it, then fixture_write(). */
static inline void fixture_begin(struct fixture *fx, unsigned nr, u64 owner, u8 level)
{
	struct btrfs_header *header = (struct btrfs_header *)fx->block;

	memset(fx->block, 0, sizeof(fx->block));
	header->bytenr = cpu_to_le64(fixture_bytenr(nr));
	header->flags = cpu_to_le64(BTRFS_HEADER_FLAG_WRITTEN);
	header->generation = cpu_to_le64(FIXTURE_GENERATION);
	header->owner = cpu_to_le64(owner);
	header->level = level;
	memcpy(header->fsid, fx->fsid[0], BTRFS_FSID_SIZE);
}

/* Appends an item and returns its zeroed payload. */
static inline void *fixture_item(struct fixture *fx, struct btrfs_key key, u32 size)
{
	struct btrfs_header *header = (struct btrfs_header *)fx->block;
	struct btrfs_item *items = (struct btrfs_item *)(header + 1);
	const u32 slot = le32_to_cpu(header->nritems);
	const u32 end = slot ? le32_to_cpu(items[slot - 1].offset) : btrfs_leaf_data_size(FIXTURE_NODESIZE);

	items[slot].key = btrfs_cpu_key_to_disk(&key);
	items[slot].offset = cpu_to_le32(end - size);
	items[slot].size = cpu_to_le32(size);
	header->nritems = cpu_to_le32(slot + 1);
	return fx->block + sizeof(*header) + end - size;
}

/* Appends a pointer to block number @child. */
static inline void fixture_ptr(struct fixture *fx, struct btrfs_key key, unsigned child)
{
	struct btrfs_header *header = (struct btrfs_header *)fx->block;
	struct btrfs_key_ptr *ptrs = (struct btrfs_key_ptr *)(header + 1);
	const u32 slot = le32_to_cpu(header->nritems);

	ptrs[slot].key = btrfs_cpu_key_to_disk(&key);
	ptrs[slot].blockptr = cpu_to_le64(fixture_bytenr(child));
	ptrs[slot].generation = cpu_to_le64(FIXTURE_GENERATION);
	header->nritems = cpu_to_le32(slot + 1);
}

/* Signs the block and writes both copies to block number @nr. */
static inline void fixture_write(struct fixture *fx, unsigned nr)
{
	const off_t offset = (off_t)nr * FIXTURE_NODESIZE;

	btrfs_sign_tree_block(fx->image.csum, fx->block, FIXTURE_NODESIZE);
	assert_int_equal(pwrite(fx->io[0].fd, fx->block, FIXTURE_NODESIZE, FIXTURE_PHYSICAL_1 + offset),
			 FIXTURE_NODESIZE);
	assert_int_equal(pwrite(fx->io[1].fd, fx->block, FIXTURE_NODESIZE, FIXTURE_PHYSICAL_2 + offset),
			 FIXTURE_NODESIZE);
}

/* Overwrites one byte in the middle of copy 0 or 1 of block number @nr. */
static inline void fixture_damage(struct fixture *fx, unsigned nr, int copy)
{
	const u64 base = copy ? FIXTURE_PHYSICAL_2 : FIXTURE_PHYSICAL_1;
	const u8 byte = 0xA5;

	assert_int_equal(pwrite(fx->io[copy].fd, &byte, 1, (off_t)(base + nr * FIXTURE_NODESIZE + 2000)), 1);
}

/* The key that tests use: an orphan item has no payload. */
static inline struct btrfs_key fixture_key(u64 number)
{
	return (struct btrfs_key){
		.objectid = BTRFS_ORPHAN_OBJECTID,
		.type = BTRFS_ORPHAN_ITEM_KEY,
		.offset = number,
	};
}

/* A leaf of @nr_items items with the numbers first, first + step, ... */
static inline void fixture_leaf(struct fixture *fx, unsigned nr, u64 first, u64 step, unsigned nr_items)
{
	unsigned i;

	fixture_begin(fx, nr, BTRFS_FS_TREE_OBJECTID, 0);
	for (i = 0; i < nr_items; i++)
		fixture_item(fx, fixture_key(first + i * step), 0);
	fixture_write(fx, nr);
}

static inline struct btrfs_tree_root fixture_root(unsigned nr, u8 level)
{
	return (struct btrfs_tree_root){
		.objectid = BTRFS_FS_TREE_OBJECTID,
		.bytenr = fixture_bytenr(nr),
		.generation = FIXTURE_GENERATION,
		.level = level,
		.refs = 1,
	};
}

#endif
