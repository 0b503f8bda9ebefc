// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * scrub/row-group: rows of raid5 and raid6 with all kinds of damage, and what is said of them. Also what the
 * reader computes from the same rows.
 */
#include <errno.h>

#include "scrub/row-group.h"
#include "tests/unit/reader-fixture.h"

#define SECTOR		4096u
#define MAX_DEVICES	6
#define NR_ROWS		20u		/* of the chunk: more than a group */
#define START		FIXTURE_CHUNK

struct rows {
	struct btrfs_image image;
	struct io_device io[MAX_DEVICES];
	struct btrfs_device devices[MAX_DEVICES];
	u8 fsid[1][BTRFS_FSID_SIZE];
	struct btrfs_chunk_map *map;
	struct row_group *group;
	u8 *memory;
};

static void add_chunk(struct rows *rows, unsigned nr, u64 profile)
{
	struct btrfs_chunk_map *map = calloc(1, sizeof(*map) + nr * sizeof(map->stripes[0]));
	unsigned i;

	assert_non_null(map);
	map->start = START;
	map->type = BTRFS_BLOCK_GROUP_DATA | profile;
	map->num_stripes = (u16)nr;
	map->sub_stripes = 1;
	map->stripe_size = NR_ROWS * SZ_64K;
	map->length = map->stripe_size * btrfs_chunk_data_stripes(map->type, map->num_stripes);
	for (i = 0; i < nr; i++)
		map->stripes[i] = (struct btrfs_map_stripe){ .devid = i + 1, .physical = SZ_1M + i * SZ_64K };
	assert_int_equal(btrfs_chunk_table_add(&rows->image.chunks, map), 0);
	rows->map = map;
}

/* Every sector has bytes of its own. */
static u8 content(u64 logical)
{
	return (u8)(logical / SECTOR * 37 + 11);
}

static void write_row(struct rows *rows, u64 row, u8 *memory)
{
	struct btrfs_raid56_row columns = {
		.nr_data = btrfs_raid56_data(rows->map), .nr_parity = btrfs_raid_attr(rows->map->type)->nparity,
		.len = SZ_64K,
	};
	u16 i;
	u64 at;

	for (i = 0; i < rows->map->num_stripes; i++)
		columns.columns[i] = memory + i * SZ_64K;
	for (i = 0; i < columns.nr_data; i++) {
		const u64 logical = START + row * btrfs_raid56_row_bytes(rows->map) + i * SZ_64K;

		for (at = 0; at < SZ_64K; at += SECTOR)
			memset(columns.columns[i] + at, content(logical + at), SECTOR);
	}
	btrfs_raid56_generate(&columns);
	for (i = 0; i < rows->map->num_stripes; i++) {
		const u16 stripe = btrfs_raid56_stripe(rows->map, row, i);

		assert_int_equal(pwrite(rows->io[stripe].fd, columns.columns[i], SZ_64K,
					(off_t)(rows->map->stripes[stripe].physical + row * SZ_64K)), SZ_64K);
	}
}

static void setup(struct rows *rows, unsigned nr, u64 profile)
{
	u8 *memory = btrfs_block_buffer(MAX_DEVICES * SZ_64K);
	u64 row;
	unsigned i;

	assert_non_null(memory);
	assert_int_equal(csum_init(), 0);
	memset(rows, 0, sizeof(*rows));
	memset(rows->fsid[0], 0x11, BTRFS_FSID_SIZE);
	for (i = 0; i < nr; i++) {
		rows->io[i].fd = fixture_file(FIXTURE_DEVICE_SIZE);
		rows->io[i].size = FIXTURE_DEVICE_SIZE;
		rows->devices[i].io = &rows->io[i];
		rows->devices[i].devid = i + 1u;
	}
	rows->image.devices = rows->devices;
	rows->image.nr_devices = nr;
	rows->image.fsids = rows->fsid;
	rows->image.nr_fsids = 1;
	rows->image.csum = csum_by_name("crc32c");
	rows->image.check = (struct btrfs_check_context){
		.nodesize = 4 * SECTOR, .sectorsize = SECTOR, .csum_size = 4, .generation = FIXTURE_GENERATION,
	};
	add_chunk(rows, nr, profile);
	for (row = 0; row < NR_ROWS; row++)
		write_row(rows, row, memory);
	free(memory);
}

static void teardown(struct rows *rows)
{
	unsigned i;

	row_group_destroy(rows->group);
	free(rows->memory);
	for (i = 0; i < MAX_DEVICES && rows->io[i].size; i++)
		close(rows->io[i].fd);
	btrfs_chunk_table_release(&rows->image.chunks);
}

static u64 logical_at(const struct rows *rows, u64 row, u16 column, u32 sector)
{
	return START + row * btrfs_raid56_row_bytes(rows->map) + column * SZ_64K + sector * SECTOR;
}

static void mark(struct rows *rows, u64 logical, u64 nr, enum row_use use)
{
	u8 bytes[SECTOR], *sums = malloc(nr * 4);
	u64 i;

	assert_non_null(sums);
	for (i = 0; i < nr; i++) {
		memset(bytes, content(logical + i * SECTOR), SECTOR);
		rows->image.csum->digest(bytes, SECTOR, sums + i * 4);
	}
	if (!rows->group) {
		rows->group = row_group_create(&rows->image, rows->map,
					       (logical - START) / btrfs_raid56_row_bytes(rows->map));
		assert_non_null(rows->group);
		rows->group->check_parity = true;
	}
	assert_true(logical < row_group_end(rows->group));
	row_group_mark(rows->group, logical, nr, use, use == ROW_SUMMED ? sums : NULL);
	free(sums);
}

/* As the queue does it, but all at once. */
static void verify(struct rows *rows)
{
	struct scrub run = { .image = &rows->image };
	struct row_group *group = rows->group;
	unsigned i, nr;

	rows->memory = btrfs_block_buffer((size_t)QUEUE_ITEM_BUFFERS * QUEUE_BUFFER_BYTES);
	assert_non_null(rows->memory);
	memset(rows->memory, 0xa5, (size_t)QUEUE_ITEM_BUFFERS * QUEUE_BUFFER_BYTES);
	assert_in_range(group->item.nr_buffers, 1, QUEUE_ITEM_BUFFERS);
	for (i = 0; i < group->item.nr_buffers; i++)
		group->item.buffers[i] = rows->memory + (size_t)i * QUEUE_BUFFER_BYTES;
	nr = group->item.ops->prepare(&group->item, &run);
	for (i = 0; i < nr; i++) {
		struct io_request *request = &group->item.requests[i];
		ssize_t got = pread(request->fd, request->iov->iov_base, request->iov->iov_len, (off_t)request->offset);

		request->result = got == (ssize_t)request->iov->iov_len ? 0 : -EIO;
	}
	row_group_verify(&group->item.job, 0);
	assert_int_equal(group->error, 0);
}

static void flip(const struct rows *rows, u64 row, u16 column, u32 sector)
{
	const u16 stripe = btrfs_raid56_stripe(rows->map, row, column);
	const off_t at = (off_t)(rows->map->stripes[stripe].physical + row * SZ_64K + sector * SECTOR + 99);
	u8 byte;

	assert_int_equal(pread(rows->io[stripe].fd, &byte, 1, at), 1);
	byte ^= (u8)(1 << column);	/* differently, or two of them could cancel each other out */
	assert_int_equal(pwrite(rows->io[stripe].fd, &byte, 1, at), 1);
}

/* ---- expectations ---- */

static const struct row_fault *find_fault(const struct rows *rows, u64 row, u16 column, u32 sector)
{
	const u16 stripe = btrfs_raid56_stripe(rows->map, row, column);
	const u64 physical = rows->map->stripes[stripe].physical + row * SZ_64K + sector * SECTOR;
	u32 i;

	for (i = 0; i < rows->group->nr_faults; i++) {
		const struct row_fault *fault = &rows->group->faults[i];

		if (fault->stripe == stripe && physical >= fault->run.physical &&
		    physical < fault->run.physical + (u64)fault->run.nr_sectors * SECTOR)
			return fault;
	}
	fail_msg("no fault in row %llu, column %u, sector %u", (unsigned long long)row, column, sector);
	return NULL;
}

static void expect(const struct rows *rows, u64 row, u16 column, u32 sector, u8 fate_and_correctable)
{
	const struct row_fault *fault = find_fault(rows, row, column, sector);
	const u16 nr_data = btrfs_raid56_data(rows->map);

	assert_int_equal(fault->fate, fate_and_correctable & ~ROW_REBUILT);
	assert_int_equal(fault->column, column);
	if (fault->fate & ROW_LOST)
		assert_int_equal(fault->run.correctable, (fate_and_correctable & ROW_REBUILT) != 0);
	if (column < nr_data)
		assert_int_equal(fault->run.logical + (sector * SECTOR - fault->run.physical % SZ_64K),
				 logical_at(rows, row, column, sector));
}

static const struct {
	u64 profile;
	unsigned nr;
} layouts[] = {
	{ BTRFS_BLOCK_GROUP_RAID5, 2 }, { BTRFS_BLOCK_GROUP_RAID5, 3 }, { BTRFS_BLOCK_GROUP_RAID5, 6 },
	{ BTRFS_BLOCK_GROUP_RAID6, 3 }, { BTRFS_BLOCK_GROUP_RAID6, 4 }, { BTRFS_BLOCK_GROUP_RAID6, 6 },
};

static void each_layout(void (*test)(struct rows *rows))
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct rows rows;

		setup(&rows, layouts[i].nr, layouts[i].profile);
		test(&rows);
		teardown(&rows);
	}
}

/* ---- tests ---- */

/* All of both groups is used, nothing is wrong; and only what is used is read. */
static void clean(struct rows *rows)
{
	const u64 row = btrfs_raid56_row_bytes(rows->map);

	mark(rows, START + 3 * row + SECTOR, (12 * row - 2 * SECTOR) / SECTOR, ROW_SUMMED);
	assert_int_equal(rows->group->from, 3);
	assert_int_equal(rows->group->to, 15);
	verify(rows);
	assert_int_equal(rows->group->nr_faults, 0);
	assert_int_equal(rows->group->item.requests[0].iov->iov_len, 12 * SZ_64K);
}

static void test_clean(void **state)
{
	(void)state;
	each_layout(clean);
}

/* The second group of the chunk, where rows are counted from 16 on. */
static void later_group(struct rows *rows)
{
	mark(rows, logical_at(rows, 17, 0, 3), 4, ROW_SUMMED);
	flip(rows, 17, 0, 4);
	verify(rows);
	assert_int_equal(rows->group->first_row, 16);
	assert_int_equal(rows->group->nr_faults, 1);
	expect(rows, 17, 0, 4, ROW_BAD | ROW_REBUILT);
}

static void test_later_group(void **state)
{
	(void)state;
	each_layout(later_group);
}

/* Damage that may be there at once: each in slices of its own. */
static void single_faults(struct rows *rows)
{
	const u16 p = btrfs_raid56_data(rows->map);
	const bool raid6 = rows->map->num_stripes - p == 2;
	u64 row;

	mark(rows, START, 16 * btrfs_raid56_row_bytes(rows->map) / SECTOR, ROW_SUMMED);
	for (row = 0; row < 8; row++) {
		flip(rows, row, (u16)(row % p), 1);
		flip(rows, row, (u16)(row % p), 2);
		flip(rows, row, p, 5);
		if (raid6) {
			flip(rows, row, (u16)(p + 1), 9);
			flip(rows, row, p, 15);
			flip(rows, row, (u16)(p + 1), 15);
		}
	}
	verify(rows);
	for (row = 0; row < 8; row++) {
		expect(rows, row, (u16)(row % p), 1, ROW_BAD | ROW_REBUILT);
		assert_int_equal(find_fault(rows, row, (u16)(row % p), 2)->run.nr_sectors, 2);
		expect(rows, row, p, 5, ROW_PARITY);
		if (!raid6)
			continue;
		expect(rows, row, (u16)(p + 1), 9, ROW_PARITY);
		expect(rows, row, p, 15, ROW_PARITY);
		expect(rows, row, (u16)(p + 1), 15, ROW_PARITY);
	}
	assert_int_equal(rows->group->nr_faults, 8 * (raid6 ? 5 : 2));
}

static void test_single_faults(void **state)
{
	(void)state;
	each_layout(single_faults);
}

/* As much as parity can stand, and one more. */
static void double_faults(struct rows *rows)
{
	const u16 p = btrfs_raid56_data(rows->map);
	const bool raid6 = rows->map->num_stripes - p == 2;
	const u8 two = raid6 ? ROW_BAD | ROW_REBUILT : ROW_BAD;

	mark(rows, START, 16 * btrfs_raid56_row_bytes(rows->map) / SECTOR, ROW_SUMMED);
	flip(rows, 1, 0, 3);		/* data and P */
	flip(rows, 1, p, 3);
	if (raid6) {
		flip(rows, 2, 0, 4);	/* data and Q */
		flip(rows, 2, (u16)(p + 1), 4);
		flip(rows, 3, 0, 5);	/* data, P and Q */
		flip(rows, 3, p, 5);
		flip(rows, 3, (u16)(p + 1), 5);
	}
	if (p > 1) {
		flip(rows, 4, 0, 6);	/* data and data */
		flip(rows, 4, (u16)(p - 1), 6);
		flip(rows, 5, 0, 7);	/* in different slices */
		flip(rows, 5, (u16)(p - 1), 8);
	}
	verify(rows);
	expect(rows, 1, 0, 3, two);
	if (raid6) {
		expect(rows, 1, p, 3, ROW_PARITY);
		expect(rows, 2, 0, 4, ROW_BAD | ROW_REBUILT);
		expect(rows, 2, (u16)(p + 1), 4, ROW_PARITY);
		expect(rows, 3, 0, 5, ROW_BAD);
	}
	if (p > 1) {
		expect(rows, 4, 0, 6, two);
		expect(rows, 4, (u16)(p - 1), 6, two);
		expect(rows, 5, 0, 7, ROW_BAD | ROW_REBUILT);
		expect(rows, 5, (u16)(p - 1), 8, ROW_BAD | ROW_REBUILT);
	}
	assert_int_equal(rows->group->nr_faults, (raid6 ? 5 : 1) + (p > 1 ? 4 : 0));
}

static void test_double_faults(void **state)
{
	(void)state;
	each_layout(double_faults);
}

/* What nobody uses may hold anything; so may parity of what was perhaps never written. */
static void unused(struct rows *rows)
{
	const u16 p = btrfs_raid56_data(rows->map);

	mark(rows, logical_at(rows, 2, 0, 0), 8, ROW_SUMMED);
	mark(rows, logical_at(rows, 4, 0, 0), 8, ROW_UNSUMMED);
	flip(rows, 2, p, 8);		/* behind the eight */
	flip(rows, 3, p, 0);		/* a row without any */
	flip(rows, 4, p, 8);
	verify(rows);
	assert_int_equal(rows->group->nr_faults, 0);
	row_group_destroy(rows->group);
	rows->group = NULL;
	free(rows->memory);
	mark(rows, logical_at(rows, 4, 0, 0), 8, ROW_UNSUMMED);
	flip(rows, 4, p, 3);
	verify(rows);
	assert_int_equal(rows->group->nr_faults, 1);
	expect(rows, 4, p, 3, ROW_DOUBTFUL);
}

static void test_unused(void **state)
{
	(void)state;
	each_layout(unused);
}

/* Beside data that is known to be good lies data without a checksum. */
static void unverifiable(struct rows *rows)
{
	const u16 p = btrfs_raid56_data(rows->map);
	const bool raid6 = rows->map->num_stripes - p == 2;

	if (p < 2)
		return;
	mark(rows, logical_at(rows, 1, 0, 0), 16, ROW_SUMMED);
	mark(rows, logical_at(rows, 1, 1, 0), 16, ROW_UNSUMMED);
	flip(rows, 1, 1, 2);		/* the data */
	flip(rows, 1, p, 4);		/* P: raid6 can tell by Q */
	flip(rows, 1, 0, 6);		/* what has a checksum */
	verify(rows);
	expect(rows, 1, p, 2, ROW_UNVERIFIABLE);
	expect(rows, 1, p, 4, raid6 ? ROW_PARITY : ROW_UNVERIFIABLE);
	expect(rows, 1, 0, 6, ROW_BAD | ROW_REBUILT);
	if (raid6)
		expect(rows, 1, (u16)(p + 1), 2, ROW_UNVERIFIABLE);
	assert_int_equal(rows->group->nr_faults, raid6 ? 4 : 3);
}

static void test_unverifiable(void **state)
{
	(void)state;
	each_layout(unverifiable);
}

/* raid6: what has no checksum is wrong, and something with one as well: only P and Q together give it back. */
static void test_wrong_without_anybody_knowing(void **state)
{
	struct rows rows;

	(void)state;
	setup(&rows, 5, BTRFS_BLOCK_GROUP_RAID6);
	mark(&rows, logical_at(&rows, 1, 0, 0), 16, ROW_SUMMED);
	mark(&rows, logical_at(&rows, 1, 1, 0), 16, ROW_UNSUMMED);
	mark(&rows, logical_at(&rows, 1, 2, 0), 16, ROW_SUMMED);
	flip(&rows, 1, 0, 2);
	flip(&rows, 1, 1, 2);
	verify(&rows);
	assert_int_equal(rows.group->nr_faults, 1);
	expect(&rows, 1, 0, 2, ROW_BAD | ROW_REBUILT);
	teardown(&rows);
}

/* ---- devices ---- */

static void missing(struct rows *rows)
{
	const u16 p = btrfs_raid56_data(rows->map);
	const bool raid6 = rows->map->num_stripes - p == 2;
	const u16 gone = btrfs_raid56_stripe(rows->map, 3, 0);
	u64 row;

	rows->devices[gone].devid = 99;
	mark(rows, START, 8 * btrfs_raid56_row_bytes(rows->map) / SECTOR, ROW_SUMMED);
	flip(rows, 3, p, 7);
	verify(rows);
	/* P is wrong beside what is missing: raid6 has Q */
	expect(rows, 3, 0, 7, raid6 ? ROW_MISSING | ROW_REBUILT : ROW_MISSING);
	if (raid6)
		expect(rows, 3, p, 7, ROW_PARITY);
	for (row = 0; row < 8; row++) {
		const u16 column = btrfs_raid56_column(rows->map, row, gone);

		if (column < p)
			expect(rows, row, column, 0, ROW_MISSING | ROW_REBUILT);
	}
}

static void test_missing(void **state)
{
	(void)state;
	each_layout(missing);
}

/* The device ends within the chunk: what is before its end is read all the same. */
static void short_device(struct rows *rows)
{
	const u16 p = btrfs_raid56_data(rows->map);
	const u16 stripe = btrfs_raid56_stripe(rows->map, 5, 0);

	rows->io[stripe].size = rows->map->stripes[stripe].physical + 5 * SZ_64K + 4 * SECTOR;
	mark(rows, logical_at(rows, 5, 0, 0), 16, ROW_SUMMED);
	mark(rows, logical_at(rows, 4, 0, 0), 16 * (u64)p, ROW_SUMMED);
	verify(rows);
	assert_int_equal(rows->group->nr_faults, 1);
	expect(rows, 5, 0, 4, ROW_UNREADABLE | ROW_REBUILT);
	assert_int_equal(rows->group->faults[0].run.nr_sectors, 12);
	assert_int_equal(rows->group->faults[0].run.error, -ENODATA);
	assert_false(rows->group->stripes[stripe].read_again);
}

static void test_short_device(void **state)
{
	(void)state;
	each_layout(short_device);
}

/* ---- trees ---- */

static void write_block(struct rows *rows, u64 bytenr)
{
	struct btrfs_header *header = btrfs_block_buffer(rows->image.check.nodesize);
	u8 *sectors = (u8 *)header, *memory = btrfs_block_buffer(MAX_DEVICES * SZ_64K);
	struct btrfs_raid56_row columns = {
		.nr_data = btrfs_raid56_data(rows->map), .nr_parity = btrfs_raid_attr(rows->map->type)->nparity,
		.len = SZ_64K,
	};
	const u64 offset = bytenr - START, row = offset / btrfs_raid56_row_bytes(rows->map);
	const u16 column = (u16)(offset / SZ_64K % columns.nr_data);
	struct btrfs_item *item;
	u16 i;

	assert_non_null(header);
	assert_non_null(memory);
	memset(header, 0, rows->image.check.nodesize);
	header->bytenr = cpu_to_le64(bytenr);
	header->flags = cpu_to_le64(BTRFS_HEADER_FLAG_WRITTEN);
	header->generation = cpu_to_le64(FIXTURE_GENERATION);
	header->owner = cpu_to_le64(BTRFS_FS_TREE_OBJECTID);
	memcpy(header->fsid, rows->fsid[0], BTRFS_FSID_SIZE);
	/* one item without a payload: an empty leaf is good as a root only */
	header->nritems = cpu_to_le32(1);
	item = (struct btrfs_item *)(header + 1);
	item->key.objectid = cpu_to_le64(BTRFS_ORPHAN_OBJECTID);
	item->key.type = BTRFS_ORPHAN_ITEM_KEY;
	item->offset = cpu_to_le32(btrfs_leaf_data_size(rows->image.check.nodesize));
	btrfs_sign_tree_block(rows->image.csum, header, rows->image.check.nodesize);
	for (i = 0; i < rows->map->num_stripes; i++) {
		const u16 stripe = btrfs_raid56_stripe(rows->map, row, i);
		const off_t at = (off_t)(rows->map->stripes[stripe].physical + row * SZ_64K);

		columns.columns[i] = memory + i * SZ_64K;
		assert_int_equal(pread(rows->io[stripe].fd, columns.columns[i], SZ_64K, at), SZ_64K);
	}
	memcpy(columns.columns[column] + offset % SZ_64K, sectors, rows->image.check.nodesize);
	btrfs_raid56_generate(&columns);
	for (i = 0; i < rows->map->num_stripes; i++) {
		const u16 stripe = btrfs_raid56_stripe(rows->map, row, i);

		assert_int_equal(pwrite(rows->io[stripe].fd, columns.columns[i], SZ_64K,
					(off_t)(rows->map->stripes[stripe].physical + row * SZ_64K)), SZ_64K);
	}
	free(memory);
	free(header);
}

/* A bad block is a matter of the tree walk; bad parity of a good one is found here. */
static void trees(struct rows *rows)
{
	const u16 p = btrfs_raid56_data(rows->map);

	write_block(rows, logical_at(rows, 2, 0, 4));
	write_block(rows, logical_at(rows, 2, 0, 8));
	mark(rows, logical_at(rows, 2, 0, 4), 4, ROW_TREE_START);
	mark(rows, logical_at(rows, 2, 0, 8), 4, ROW_TREE_START);
	flip(rows, 2, p, 6);
	flip(rows, 2, 0, 9);
	verify(rows);
	assert_int_equal(rows->group->nr_faults, 1);
	expect(rows, 2, p, 6, ROW_PARITY);
}

static void test_trees(void **state)
{
	(void)state;
	each_layout(trees);
}

/* ---- the reader ---- */

/* The block can be had without the device that holds it; without two devices, with raid6. */
static void reader(struct rows *rows)
{
	const u64 bytenr = logical_at(rows, 6, 0, 8);
	const u16 p = btrfs_raid56_data(rows->map);
	const bool raid6 = rows->map->num_stripes - p == 2;
	const struct btrfs_block_ref ref = {
		.tree = BTRFS_FS_TREE_OBJECTID, .bytenr = bytenr, .generation = FIXTURE_GENERATION, .slot = -1,
	};
	u8 *buf = btrfs_block_buffer(rows->image.check.nodesize);
	struct btrfs_copy_result result;
	const int ways = btrfs_nr_ways(&rows->image, bytenr, rows->image.check.nodesize);

	assert_non_null(buf);
	write_block(rows, bytenr);
	assert_int_equal(btrfs_nr_copies(&rows->image, bytenr, rows->image.check.nodesize), 1);
	assert_int_equal(ways, raid6 ? 1 + p + 1 : 2);
	assert_int_equal(btrfs_read_copy(&rows->image, bytenr, SECTOR, ways, buf, NULL), -EINVAL);
	rows->devices[btrfs_raid56_stripe(rows->map, 6, 0)].devid = 99;
	assert_int_equal(btrfs_read_block_copy(&rows->image, &ref, 0, buf, &result), BTRFS_COPY_MISSING);
	assert_int_equal(btrfs_read_block_copy(&rows->image, &ref, 1, buf, &result), BTRFS_COPY_GOOD);
	flip(rows, 6, p, 9);
	if (!raid6) {
		/* the first copy's failure is the one that is told */
		assert_int_equal(btrfs_read_block(&rows->image, &ref, buf, &result), -EUCLEAN);
		assert_int_equal(result.status, BTRFS_COPY_MISSING);
	} else {
		assert_int_equal(btrfs_read_block_copy(&rows->image, &ref, 1, buf, &result), BTRFS_COPY_BAD);
		assert_int_equal(btrfs_read_block_copy(&rows->image, &ref, 2, buf, &result), BTRFS_COPY_GOOD);
		rows->devices[btrfs_raid56_stripe(rows->map, 6, (u16)(p + 1))].devid = 98;
		assert_int_equal(btrfs_read_block_copy(&rows->image, &ref, 2, buf, &result), BTRFS_COPY_MISSING);
		assert_int_equal(btrfs_read_block_copy(&rows->image, &ref, 1, buf, &result), BTRFS_COPY_BAD);
	}
	free(buf);
}

static void test_reader(void **state)
{
	(void)state;
	each_layout(reader);
}

/* raid6, and both of two data columns are bad: each is computed without the other. */
static void test_reader_two_data(void **state)
{
	struct btrfs_block_ref ref = { .generation = FIXTURE_GENERATION, .slot = -1 };
	struct rows rows;
	u8 *buf;

	(void)state;
	setup(&rows, 5, BTRFS_BLOCK_GROUP_RAID6);
	buf = btrfs_block_buffer(rows.image.check.nodesize);
	assert_non_null(buf);
	ref.bytenr = logical_at(&rows, 3, 1, 4);
	write_block(&rows, ref.bytenr);
	flip(&rows, 3, 1, 5);
	flip(&rows, 3, 2, 5);
	assert_int_equal(btrfs_read_block(&rows.image, &ref, buf, NULL), 0);
	flip(&rows, 3, 0, 5);
	assert_int_equal(btrfs_read_block(&rows.image, &ref, buf, NULL), -EUCLEAN);
	free(buf);
	teardown(&rows);
}

/* More stripes than can be told apart by Q: read, but not computed. */
static void test_too_many_stripes(void **state)
{
	struct rows rows;

	(void)state;
	setup(&rows, 3, BTRFS_BLOCK_GROUP_RAID6);
	btrfs_chunk_table_release(&rows.image.chunks);
	add_chunk(&rows, 256, BTRFS_BLOCK_GROUP_RAID6);
	assert_int_equal(btrfs_nr_ways(&rows.image, START, SECTOR), 1);
	btrfs_chunk_table_release(&rows.image.chunks);
	add_chunk(&rows, 255, BTRFS_BLOCK_GROUP_RAID6);
	assert_int_equal(btrfs_nr_ways(&rows.image, START, SECTOR), 255);
	mark(&rows, START, 4, ROW_UNSUMMED);
	assert_int_equal(rows.group->nr_rows, 1);
	assert_int_equal(rows.group->item.nr_buffers, 16);
	verify(&rows);
	assert_int_equal(rows.group->nr_faults, 0);	/* all but three devices are missing: nothing can be said */
	teardown(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_later_group),
		cmocka_unit_test(test_single_faults),
		cmocka_unit_test(test_double_faults),
		cmocka_unit_test(test_unused),
		cmocka_unit_test(test_unverifiable),
		cmocka_unit_test(test_wrong_without_anybody_knowing),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_short_device),
		cmocka_unit_test(test_trees),
		cmocka_unit_test(test_reader),
		cmocka_unit_test(test_reader_two_data),
		cmocka_unit_test(test_too_many_stripes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
