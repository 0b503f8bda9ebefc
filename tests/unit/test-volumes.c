// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Profiles, chunk items, address mapping and the chunk map.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>

#include "kernel-shared/volumes.h"

#define DATA BTRFS_BLOCK_GROUP_DATA
#define METADATA BTRFS_BLOCK_GROUP_METADATA
#define SYSTEM BTRFS_BLOCK_GROUP_SYSTEM
#define START (64 * SZ_1M)

static struct btrfs_chunk_map *make_map(u64 type, u16 num_stripes, u64 length)
{
	struct btrfs_chunk_map *map = calloc(1, sizeof(*map) + num_stripes * sizeof(map->stripes[0]));
	u16 i;

	assert_non_null(map);
	map->start = START;
	map->length = length;
	map->type = type;
	map->num_stripes = num_stripes;
	map->sub_stripes = btrfs_raid_attr(type)->sub_stripes;
	map->stripe_size = length / btrfs_chunk_data_stripes(type, num_stripes);
	for (i = 0; i < num_stripes; i++) {
		map->stripes[i].devid = i + 1;
		map->stripes[i].physical = (i + 1) * SZ_1G;
		map->stripes[i].dev_uuid[0] = (u8)(i + 1);
	}
	return map;
}

static void test_profile_table(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < BTRFS_NR_RAID_TYPES; i++) {
		const struct btrfs_raid_attr *attr = &btrfs_raid_array[i];

		assert_ptr_equal(btrfs_raid_attr(attr->bg_flag | DATA), attr);
		assert_ptr_equal(btrfs_raid_by_name(attr->name), attr);
		assert_true(attr->devs_min * attr->dev_stripes >= attr->ncopies + attr->nparity);
		assert_int_equal(attr->devs_min * attr->dev_stripes % attr->ncopies, 0);
	}
	assert_ptr_equal(btrfs_raid_by_name("RAID1c3"), &btrfs_raid_array[BTRFS_RAID_RAID1C3]);
	assert_null(btrfs_raid_by_name("raid2"));
	assert_ptr_equal(btrfs_raid_attr(BTRFS_BLOCK_GROUP_RAID1 | BTRFS_BLOCK_GROUP_RAID6),
			 &btrfs_raid_array[BTRFS_RAID_RAID1]);
	assert_string_equal(btrfs_bg_type_name(DATA | METADATA | BTRFS_BLOCK_GROUP_RAID0), "Data+Metadata");
	assert_string_equal(btrfs_bg_type_name(SYSTEM), "System");
}

static void test_data_stripes(void **state)
{
	(void)state;
	assert_int_equal(btrfs_chunk_data_stripes(DATA, 1), 1);
	assert_int_equal(btrfs_chunk_data_stripes(BTRFS_BLOCK_GROUP_DUP, 2), 1);
	assert_int_equal(btrfs_chunk_data_stripes(BTRFS_BLOCK_GROUP_RAID0, 5), 5);
	assert_int_equal(btrfs_chunk_data_stripes(BTRFS_BLOCK_GROUP_RAID1C4, 4), 1);
	assert_int_equal(btrfs_chunk_data_stripes(BTRFS_BLOCK_GROUP_RAID10, 6), 3);
	assert_int_equal(btrfs_chunk_data_stripes(BTRFS_BLOCK_GROUP_RAID5, 2), 1);
	assert_int_equal(btrfs_chunk_data_stripes(BTRFS_BLOCK_GROUP_RAID6, 5), 3);
}

/* Every element of every copy has a place of its own inside the stripes, and the way back leads home. */
static void check_bijection(u64 profile, u16 num_stripes)
{
	const u64 rows = 7;
	const u32 data = btrfs_chunk_data_stripes(profile, num_stripes);
	struct btrfs_chunk_map *map = make_map(DATA | profile, num_stripes, rows * data * SZ_64K);
	u8 *used = calloc(num_stripes, rows);
	u64 element;
	int copy;

	assert_non_null(used);
	for (element = 0; element < rows * data; element++) {
		for (copy = 0; copy < btrfs_chunk_copies(map); copy++) {
			const u64 logical = START + element * SZ_64K + 4096;
			u64 contiguous;
			const struct btrfs_io_stripe io = btrfs_map_logical(map, logical, copy, &contiguous);
			const u64 offset = io.physical - map->stripes[io.index].physical;

			assert_true(io.index < num_stripes);
			assert_true(offset < map->stripe_size);
			assert_int_equal(io.devid, map->stripes[io.index].devid);
			if (data > 1)
				assert_true(contiguous == SZ_64K - 4096);
			else
				assert_true(contiguous == map->length - (logical - START));
			assert_true(btrfs_rmap_stripe(map, io.index, offset) == logical);
			assert_int_equal(used[io.index * rows + offset / SZ_64K]++, 0);
		}
	}
	free(used);
	free(map);
}

static void test_mapping_is_a_bijection(void **state)
{
	(void)state;
	check_bijection(0, 1);
	check_bijection(BTRFS_BLOCK_GROUP_DUP, 2);
	check_bijection(BTRFS_BLOCK_GROUP_RAID0, 1);
	check_bijection(BTRFS_BLOCK_GROUP_RAID0, 2);
	check_bijection(BTRFS_BLOCK_GROUP_RAID0, 5);
	check_bijection(BTRFS_BLOCK_GROUP_RAID1, 2);
	check_bijection(BTRFS_BLOCK_GROUP_RAID1C3, 3);
	check_bijection(BTRFS_BLOCK_GROUP_RAID1C4, 4);
	check_bijection(BTRFS_BLOCK_GROUP_RAID10, 2);
	check_bijection(BTRFS_BLOCK_GROUP_RAID10, 4);
	check_bijection(BTRFS_BLOCK_GROUP_RAID10, 6);
}

/* Stripe element @element of @map must start at row @row of stripe @index. */
static void expect_place(const struct btrfs_chunk_map *map, u64 element, int copy, u16 index, u64 row)
{
	u64 contiguous;
	const struct btrfs_io_stripe io = btrfs_map_logical(map, START + element * SZ_64K, copy, &contiguous);

	assert_int_equal(io.index, index);
	assert_true(io.physical == map->stripes[index].physical + row * SZ_64K);
}

static void test_known_places(void **state)
{
	struct btrfs_chunk_map *raid10 = make_map(DATA | BTRFS_BLOCK_GROUP_RAID10, 4, 8 * SZ_64K);
	struct btrfs_chunk_map *raid5 = make_map(DATA | BTRFS_BLOCK_GROUP_RAID5, 3, 8 * SZ_64K);
	struct btrfs_chunk_map *raid6 = make_map(DATA | BTRFS_BLOCK_GROUP_RAID6, 4, 8 * SZ_64K);

	(void)state;
	expect_place(raid10, 0, 0, 0, 0);
	expect_place(raid10, 0, 1, 1, 0);
	expect_place(raid10, 1, 0, 2, 0);
	expect_place(raid10, 3, 1, 3, 1);
	/* row by row the data moves on by one stripe; parity follows the data */
	expect_place(raid5, 0, 0, 0, 0);
	expect_place(raid5, 1, 0, 1, 0);
	expect_place(raid5, 2, 0, 1, 1);
	expect_place(raid5, 3, 0, 2, 1);
	expect_place(raid5, 4, 0, 2, 2);
	expect_place(raid5, 5, 0, 0, 2);
	expect_place(raid6, 0, 0, 0, 0);
	expect_place(raid6, 3, 0, 2, 1);
	expect_place(raid6, 7, 0, 0, 3);
	free(raid10);
	free(raid5);
	free(raid6);
}

static void test_contiguous_at_the_end(void **state)
{
	struct btrfs_chunk_map *single = make_map(DATA, 1, 100 * 4096);
	struct btrfs_chunk_map *raid5 = make_map(DATA | BTRFS_BLOCK_GROUP_RAID5, 2, 2 * SZ_64K);
	u64 contiguous;

	(void)state;
	btrfs_map_logical(single, START + 99 * 4096, 0, &contiguous);
	assert_int_equal(contiguous, 4096);
	btrfs_map_logical(raid5, START + 512, 0, &contiguous);	/* parity wanders even with one data stripe */
	assert_int_equal(contiguous, SZ_64K - 512);
	free(single);
	free(raid5);
}

/* ---- chunk items ---- */

struct item {
	struct btrfs_key key;
	struct btrfs_chunk chunk;
	struct btrfs_stripe more[3];
	u32 size;
};

static struct item good_item(u64 type, u16 num_stripes)
{
	struct item item = { .key = { 256, BTRFS_CHUNK_ITEM_KEY, START } };
	struct btrfs_chunk_map *map = make_map(type, num_stripes,
					       btrfs_chunk_data_stripes(type, num_stripes) * SZ_1M);

	item.size = (u32)btrfs_chunk_item_size(num_stripes);
	btrfs_write_chunk_item(map, 4096, &item.chunk);
	free(map);
	return item;
}

static int check(const struct item *item)
{
	struct btrfs_reason reason = { "" };
	int ret = btrfs_check_chunk_item(&item->key, &item->chunk, item->size, 4096, false, &reason);

	assert_int_equal(ret != 0, reason.text[0] != 0);
	return ret;
}

static void test_item_round_trip(void **state)
{
	struct item item = good_item(METADATA | BTRFS_BLOCK_GROUP_RAID10, 4);
	struct btrfs_chunk_map *expected = make_map(METADATA | BTRFS_BLOCK_GROUP_RAID10, 4, 2 * SZ_1M);
	struct btrfs_chunk_map *map;

	(void)state;
	assert_int_equal(check(&item), 0);
	map = btrfs_parse_chunk_item(&item.key, &item.chunk);
	assert_non_null(map);
	assert_memory_equal(map, expected, sizeof(*map) + 4 * sizeof(map->stripes[0]));
	assert_true(map->stripe_size == SZ_1M);
	free(map);
	free(expected);
}

#define BAD_ITEM(type, num_stripes, field, value) do {		\
	struct item item_ = good_item((type), (num_stripes));	\
	assert_int_equal(check(&item_), 0);			\
	item_.field = (value);					\
	assert_int_equal(check(&item_), -EUCLEAN);		\
} while (0)

static void test_bad_items(void **state)
{
	const u64 wrap = (UINT64_MAX & ~(u64)4095) - SZ_64K + 1;

	(void)state;
	BAD_ITEM(DATA, 1, key.objectid, 257);
	BAD_ITEM(DATA, 1, key.type, BTRFS_DEV_ITEM_KEY);
	BAD_ITEM(DATA, 1, key.offset, START + 1);
	BAD_ITEM(DATA, 1, key.offset, UINT64_MAX & ~(u64)4095);
	BAD_ITEM(DATA, 1, size, 0);
	BAD_ITEM(DATA, 1, size, 79);
	BAD_ITEM(DATA, 1, size, 112);
	BAD_ITEM(DATA, 1, chunk.num_stripes, 0);
	BAD_ITEM(DATA, 1, chunk.num_stripes, UINT16_MAX);
	BAD_ITEM(DATA, 1, chunk.length, 0);
	BAD_ITEM(DATA, 1, chunk.length, cpu_to_le64(4097));
	BAD_ITEM(DATA, 1, chunk.length, cpu_to_le64(1ULL << 48));
	BAD_ITEM(DATA, 1, chunk.length, cpu_to_le64(1ULL << 63));
	BAD_ITEM(DATA, 1, chunk.stripe_len, 0);
	BAD_ITEM(DATA, 1, chunk.stripe_len, cpu_to_le64(131072));
	BAD_ITEM(DATA, 1, chunk.sector_size, cpu_to_le32(512));
	BAD_ITEM(DATA, 1, chunk.stripe.offset, cpu_to_le64(SZ_1M + 512));
	BAD_ITEM(DATA, 1, chunk.stripe.offset, cpu_to_le64(wrap));
	BAD_ITEM(DATA | BTRFS_BLOCK_GROUP_RAID0, 2, chunk.length, cpu_to_le64(SZ_1M + SZ_64K));
}

static void test_bad_types(void **state)
{
	(void)state;
	BAD_ITEM(DATA, 1, chunk.type, 0);
	BAD_ITEM(DATA, 1, chunk.type, cpu_to_le64(SYSTEM | METADATA));
	BAD_ITEM(DATA, 1, chunk.type, cpu_to_le64(DATA | METADATA));
	BAD_ITEM(DATA, 1, chunk.type, cpu_to_le64(DATA | 1ULL << 40));
	BAD_ITEM(DATA, 1, chunk.type, cpu_to_le64(DATA | BTRFS_BLOCK_GROUP_DUP));
	BAD_ITEM(DATA, 1, chunk.type, cpu_to_le64(DATA | BTRFS_BLOCK_GROUP_RAID5));
	BAD_ITEM(DATA | BTRFS_BLOCK_GROUP_RAID1, 2, chunk.type, cpu_to_le64(DATA));
	BAD_ITEM(DATA | BTRFS_BLOCK_GROUP_RAID1, 2, chunk.type,
		 cpu_to_le64(DATA | BTRFS_BLOCK_GROUP_RAID1 | BTRFS_BLOCK_GROUP_RAID0));
	BAD_ITEM(DATA | BTRFS_BLOCK_GROUP_RAID1, 2, chunk.type, cpu_to_le64(DATA | BTRFS_BLOCK_GROUP_RAID6));
	BAD_ITEM(DATA | BTRFS_BLOCK_GROUP_RAID1C3, 3, chunk.type,
		 cpu_to_le64(DATA | BTRFS_BLOCK_GROUP_RAID10));
	BAD_ITEM(DATA | BTRFS_BLOCK_GROUP_RAID10, 4, chunk.sub_stripes, cpu_to_le16(1));
}

static void test_mixed(void **state)
{
	struct item item = good_item(DATA | METADATA, 1);
	struct btrfs_reason reason;

	(void)state;
	assert_int_equal(check(&item), -EUCLEAN);
	assert_int_equal(btrfs_check_chunk_item(&item.key, &item.chunk, item.size, 4096, true, &reason), 0);
}

/* ---- the chunk map ---- */

static int add(struct btrfs_chunk_table *table, u64 start, u64 length)
{
	struct btrfs_chunk_map *map = make_map(DATA, 1, length);
	int ret;

	map->start = start;
	ret = btrfs_chunk_table_add(table, map);
	if (ret)
		free(map);
	return ret;
}

static void test_table(void **state)
{
	struct btrfs_chunk_table table = { 0 };
	unsigned i;

	(void)state;
	assert_null(btrfs_find_chunk(&table, 0));
	for (i = 0; i < 50; i++)	/* every number below 50 once, not in order */
		assert_int_equal(add(&table, 100 + (i * 7 % 50) * 20, 10), 0);
	assert_int_equal(table.nr, 50);
	for (i = 0; i < 50; i++) {
		const u64 start = 100 + i * 20;

		assert_true(table.maps[i]->start == start);
		assert_ptr_equal(btrfs_find_chunk(&table, start), table.maps[i]);
		assert_ptr_equal(btrfs_find_chunk(&table, start + 9), table.maps[i]);
		assert_null(btrfs_find_chunk(&table, start + 10));
		assert_null(btrfs_find_chunk(&table, start - 1));
	}
	assert_null(btrfs_find_chunk(&table, UINT64_MAX));
	btrfs_chunk_table_release(&table);
	assert_int_equal(table.nr, 0);
}

static void test_table_overlap(void **state)
{
	struct btrfs_chunk_table table = { 0 };

	(void)state;
	assert_int_equal(add(&table, 100, 100), 0);
	assert_int_equal(add(&table, 100, 1), -EEXIST);
	assert_int_equal(add(&table, 199, 1), -EEXIST);
	assert_int_equal(add(&table, 99, 2), -EEXIST);
	assert_int_equal(add(&table, 50, 1000), -EEXIST);
	assert_int_equal(add(&table, 0, UINT64_MAX), -EEXIST);
	assert_int_equal(add(&table, 99, 1), 0);
	assert_int_equal(add(&table, 200, 1), 0);
	assert_int_equal(table.nr, 3);
	btrfs_chunk_table_release(&table);
}

static struct btrfs_super_block sys_super(u64 type, unsigned nr)
{
	struct btrfs_super_block super = { .sectorsize = cpu_to_le32(4096) };
	u8 *pos = super.sys_chunk_array;
	unsigned i;

	for (i = 0; i < nr; i++) {
		struct item item = good_item(type, 1);
		struct btrfs_disk_key key;

		item.key.offset = START + i * SZ_1M;
		key = btrfs_cpu_key_to_disk(&item.key);
		memcpy(pos, &key, sizeof(key));
		memcpy(pos + sizeof(key), &item.chunk, item.size);
		pos += sizeof(key) + item.size;
	}
	super.sys_chunk_array_size = cpu_to_le32((u32)(pos - super.sys_chunk_array));
	return super;
}

static int read_array(const struct btrfs_super_block *super, size_t nr)
{
	struct btrfs_chunk_table table = { 0 };
	struct btrfs_reason reason = { "" };
	int ret = btrfs_read_sys_array(super, &table, &reason);

	if (!ret)
		assert_int_equal(table.nr, nr);
	else
		assert_true(reason.text[0]);
	btrfs_chunk_table_release(&table);
	return ret;
}

static void test_sys_array(void **state)
{
	struct btrfs_super_block super = sys_super(SYSTEM, 3);
	const u32 full = le32_to_cpu(super.sys_chunk_array_size);
	u32 size;

	(void)state;
	assert_int_equal(read_array(&super, 3), 0);
	for (size = 0; size < full; size++) {	/* cut anywhere but between two chunks */
		super.sys_chunk_array_size = cpu_to_le32(size);
		if (size && size % 97 == 0)
			assert_int_equal(read_array(&super, size / 97), 0);
		else
			assert_int_equal(read_array(&super, 0), -EUCLEAN);
	}
	super.sys_chunk_array_size = cpu_to_le32(UINT32_MAX);
	assert_int_equal(read_array(&super, 0), -EUCLEAN);
	super = sys_super(DATA, 1);
	assert_int_equal(read_array(&super, 0), -EUCLEAN);
	super = sys_super(SYSTEM, 2);	/* twice the same chunk */
	memcpy(super.sys_chunk_array + 97, super.sys_chunk_array, 97);
	assert_int_equal(read_array(&super, 0), -EUCLEAN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_profile_table),
		cmocka_unit_test(test_data_stripes),
		cmocka_unit_test(test_mapping_is_a_bijection),
		cmocka_unit_test(test_known_places),
		cmocka_unit_test(test_contiguous_at_the_end),
		cmocka_unit_test(test_item_round_trip),
		cmocka_unit_test(test_bad_items),
		cmocka_unit_test(test_bad_types),
		cmocka_unit_test(test_mixed),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_table_overlap),
		cmocka_unit_test(test_sys_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
