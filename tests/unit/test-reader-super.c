// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reader/super and reader/features: which superblock copy counts, what the bits allow.
 */
#include "reader/features.h"
#include "reader/super.h"
#include "tests/unit/reader-fixture.h"

#define DEVICE_SIZE	((u64)65 << 20)	/* room for two copies */

/* A device in a file without a name, and the superblock that goes there. */
struct super_fixture {
	struct io_device io;
	struct btrfs_super_block super __attribute__((aligned(4096)));
	struct btrfs_super_copies copies;
};

static void add_system_chunk(struct btrfs_super_block *super)
{
	struct btrfs_chunk_map *map = fixture_chunk(1 << 20, 4 << 20, BTRFS_BLOCK_GROUP_SYSTEM);
	const struct btrfs_key key = {
		.objectid = BTRFS_FIRST_CHUNK_TREE_OBJECTID,
		.type = BTRFS_CHUNK_ITEM_KEY,
		.offset = 1 << 20,
	};
	const struct btrfs_disk_key disk_key = btrfs_cpu_key_to_disk(&key);

	map->num_stripes = 1;
	memcpy(super->sys_chunk_array, &disk_key, sizeof(disk_key));
	btrfs_write_chunk_item(map, 4096, super->sys_chunk_array + sizeof(disk_key));
	free(map);
	super->sys_chunk_array_size = cpu_to_le32((u32)(sizeof(disk_key) + btrfs_chunk_item_size(1)));
}

static void setup(struct super_fixture *fx)
{
	struct btrfs_super_block *super = &fx->super;

	assert_int_equal(csum_init(), 0);
	memset(fx, 0, sizeof(*fx));
	fx->io.fd = fixture_file(DEVICE_SIZE);
	fx->io.size = DEVICE_SIZE;
	super->magic = cpu_to_le64(BTRFS_MAGIC);
	super->generation = cpu_to_le64(5);
	super->root = cpu_to_le64(2 << 20);
	super->chunk_root = cpu_to_le64(1 << 20);
	super->total_bytes = cpu_to_le64(DEVICE_SIZE);
	super->bytes_used = cpu_to_le64(1 << 20);
	super->num_devices = cpu_to_le64(1);
	super->sectorsize = cpu_to_le32(4096);
	super->nodesize = cpu_to_le32(16384);
	super->stripesize = cpu_to_le32(4096);
	add_system_chunk(super);
}

static void put(struct super_fixture *fx, int mirror, u64 generation)
{
	fx->super.generation = cpu_to_le64(generation);
	btrfs_sign_super(csum_by_name("crc32c"), &fx->super, mirror);
	assert_int_equal(pwrite(fx->io.fd, &fx->super, sizeof(fx->super), (off_t)btrfs_sb_offset(mirror)),
			 BTRFS_SUPER_INFO_SIZE);
}

static void read_all(struct super_fixture *fx)
{
	assert_int_equal(btrfs_read_super_copies(&fx->io, &fx->copies), 0);
}

static void test_both_good(void **state)
{
	struct super_fixture fx;

	(void)state;
	setup(&fx);
	put(&fx, 0, 5);
	put(&fx, 1, 5);
	read_all(&fx);
	assert_int_equal(fx.copies.chosen, 0);
	assert_false(fx.copies.copy[0].bad);
	assert_false(fx.copies.copy[1].bad);
	assert_int_equal(fx.copies.copy[2].status, BTRFS_SUPER_ABSENT);
	assert_false(fx.copies.copy[2].bad);
	close(fx.io.fd);
}

/* The primary wins also against a newer copy; a copy of another generation is an error. */
static void test_generations_differ(void **state)
{
	struct super_fixture fx;

	(void)state;
	setup(&fx);
	put(&fx, 0, 5);
	put(&fx, 1, 6);
	read_all(&fx);
	assert_int_equal(fx.copies.chosen, 0);
	assert_true(fx.copies.copy[1].bad);
	assert_non_null(strstr(fx.copies.copy[1].reason.text, "generation 6"));
	close(fx.io.fd);
}

static void test_primary_is_bad(void **state)
{
	struct super_fixture fx;

	(void)state;
	setup(&fx);
	put(&fx, 1, 5);
	read_all(&fx);
	assert_int_equal(fx.copies.chosen, 1);
	assert_true(fx.copies.copy[0].bad);
	assert_int_equal(fx.copies.copy[0].fault, BTRFS_SUPER_NO_MAGIC);
	assert_false(fx.copies.unfinished);
	close(fx.io.fd);
}

/* An mkfs that began here hides older copies, else they would describe what it overwrote. */
static void test_unfinished_mkfs(void **state)
{
	struct super_fixture fx;

	(void)state;
	setup(&fx);
	put(&fx, 1, 5);
	fx.super.magic = cpu_to_le64(BTRFS_MAGIC_TEMPORARY);
	put(&fx, 0, 1);
	read_all(&fx);
	assert_int_equal(fx.copies.chosen, -1);
	assert_true(fx.copies.unfinished);
	assert_true(fx.copies.copy[1].bad);
	close(fx.io.fd);
}

static void test_bad_system_chunk(void **state)
{
	struct super_fixture fx;

	(void)state;
	setup(&fx);
	fx.super.sys_chunk_array_size = cpu_to_le32(98);
	put(&fx, 0, 5);
	read_all(&fx);
	assert_int_equal(fx.copies.chosen, -1);
	assert_int_equal(fx.copies.copy[0].fault, BTRFS_SUPER_BAD_FIELD);
	close(fx.io.fd);
}

static void test_feature_bits(void **state)
{
	struct btrfs_super_block super = { .incompat_flags = cpu_to_le64(0x361) };
	struct btrfs_feature_verdict verdict;

	(void)state;
	btrfs_check_features(&super, &verdict);
	assert_true(verdict.readable);
	assert_true(verdict.repairable);
	super.compat_ro_flags = cpu_to_le64(1ULL << 50);
	btrfs_check_features(&super, &verdict);
	assert_true(verdict.readable);
	assert_false(verdict.repairable);
	assert_non_null(strstr(verdict.reason, "bit 50"));
	super.incompat_flags = cpu_to_le64(1ULL << 13);
	btrfs_check_features(&super, &verdict);
	assert_false(verdict.readable);
	assert_non_null(strstr(verdict.reason, "extent-tree-v2 (bit 13)"));
	super.incompat_flags = cpu_to_le64(1ULL << 60);
	btrfs_check_features(&super, &verdict);
	assert_false(verdict.readable);
	assert_non_null(strstr(verdict.reason, "bit 60"));
}

static void test_flag_bits(void **state)
{
	struct btrfs_super_block super = { .flags = cpu_to_le64(BTRFS_SUPER_FLAG_METADUMP_V2) };
	struct btrfs_feature_verdict verdict;

	(void)state;
	btrfs_check_features(&super, &verdict);
	assert_true(verdict.readable);
	assert_true(verdict.metadump);
	assert_false(verdict.repairable);
	super.flags = cpu_to_le64(BTRFS_SUPER_FLAG_CHANGING_BG_TREE);
	btrfs_check_features(&super, &verdict);
	assert_false(verdict.readable);
	assert_non_null(strstr(verdict.reason, "CHANGING_BG_TREE (bit 38)"));
	super.flags = cpu_to_le64(BTRFS_SUPER_FLAG_SEEDING);
	btrfs_check_features(&super, &verdict);
	assert_true(verdict.readable);
	assert_false(verdict.repairable);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_good),
		cmocka_unit_test(test_generations_differ),
		cmocka_unit_test(test_primary_is_bad),
		cmocka_unit_test(test_unfinished_mkfs),
		cmocka_unit_test(test_bad_system_chunk),
		cmocka_unit_test(test_feature_bits),
		cmocka_unit_test(test_flag_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
