// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keys, names and capacities of the on-disk format.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>

#include "kernel-shared/ctree.h"

static void test_key_order(void **state)
{
	static const struct btrfs_key ascending[] = {
		{ 0, 0, 0 }, { 0, 0, 1 }, { 0, 0, UINT64_MAX }, { 0, 1, 0 }, { 0, 255, 5 },
		{ 1, 0, 0 }, { 256, 12, 256 }, { UINT64_MAX, 0, 0 }, { UINT64_MAX, 255, UINT64_MAX },
	};
	size_t i;
	size_t j;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(ascending); i++) {
		for (j = 0; j < ARRAY_SIZE(ascending); j++) {
			const int order = btrfs_comp_cpu_keys(&ascending[i], &ascending[j]);

			assert_int_equal(order, (i > j) - (i < j));
		}
	}
}

static void test_disk_key(void **state)
{
	static const u8 bytes[17] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17 };
	struct btrfs_disk_key disk;
	struct btrfs_key key;

	(void)state;
	memcpy(&disk, bytes, sizeof(disk));
	key = btrfs_disk_key_to_cpu(&disk);
	assert_true(key.objectid == 0x0807060504030201ULL);
	assert_int_equal(key.type, 9);
	assert_true(key.offset == 0x11100f0e0d0c0b0aULL);
	disk = btrfs_cpu_key_to_disk(&key);
	assert_memory_equal(&disk, bytes, sizeof(bytes));
}

static void test_format_key(void **state)
{
	static const struct {
		struct btrfs_key key;
		const char *text;
	} cases[] = {
		{ { 256, 1, 0 }, "(256 INODE_ITEM 0)" },
		{ { 5, 132, 0 }, "(FS_TREE ROOT_ITEM 0)" },
		{ { 6, 84, 2378154706 }, "(ROOT_TREE_DIR DIR_ITEM 2378154706)" },
		{ { 1, 216, 1 }, "(DEV_ITEMS DEV_ITEM 1)" },
		{ { 256, 228, 22020096 }, "(FIRST_CHUNK_TREE CHUNK_ITEM 22020096)" },
		{ { 1, 204, 1048576 }, "(1 DEV_EXTENT 1048576)" },
		{ { 0, 249, 1 }, "(DEV_STATS PERSISTENT_ITEM 1)" },
		{ { -10ULL, 128, 13631488 }, "(EXTENT_CSUM EXTENT_CSUM 13631488)" },
		{ { -8ULL, 132, 5 }, "(TREE_RELOC ROOT_ITEM 5)" },
		{ { -5ULL, 48, 257 }, "(ORPHAN ORPHAN_ITEM 257)" },
		{ { -11ULL, 0, 13631488 }, "(FREE_SPACE UNTYPED 13631488)" },
		{ { 0, 242, (1ULL << 48) | 100 }, "(0 QGROUP_INFO 1/100)" },
		{ { 256, 246, (1ULL << 48) | 100 }, "(0/256 QGROUP_RELATION 1/100)" },
		{ { 0x1234, 251, 0xabcd }, "(0x0000000000001234 UUID_KEY_SUBVOL 0x000000000000abcd)" },
		{ { UINT64_MAX, 199, UINT64_MAX },
		  "(18446744073709551615 FREE_SPACE_EXTENT 18446744073709551615)" },
		{ { 7777, 99, 1 }, "(7777 UNKNOWN.99 1)" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(btrfs_format_key(&cases[i].key).text, cases[i].text);
}

static void test_tree_names(void **state)
{
	u64 id = 0;

	(void)state;
	assert_string_equal(btrfs_tree_name(2), "EXTENT_TREE");
	assert_string_equal(btrfs_tree_name(-9ULL), "DATA_RELOC_TREE");
	assert_null(btrfs_tree_name(256));
	assert_null(btrfs_tree_name(0));
	assert_int_equal(btrfs_tree_by_name("EXTENT_TREE", &id), 0);
	assert_int_equal(id, 2);
	assert_int_equal(btrfs_tree_by_name("free_space", &id), 0);
	assert_int_equal(id, 10);
	assert_int_equal(btrfs_tree_by_name("tree_log", &id), 0);
	assert_true(id == -6ULL);
	assert_int_equal(btrfs_tree_by_name("", &id), -ENOENT);
	assert_int_equal(btrfs_tree_by_name("ext", &id), -ENOENT);
	assert_int_equal(btrfs_tree_by_name("extent_tree_", &id), -ENOENT);
	assert_int_equal(btrfs_tree_by_name("tree", &id), -ENOENT);
	assert_string_equal(btrfs_key_type_name(108), "EXTENT_DATA");
	assert_null(btrfs_key_type_name(99));
}

static void test_fstrees(void **state)
{
	(void)state;
	assert_true(btrfs_is_fstree(5));
	assert_true(btrfs_is_fstree(256));
	assert_true(btrfs_is_fstree(BTRFS_LAST_FREE_OBJECTID));
	assert_true(btrfs_is_fstree(BTRFS_DATA_RELOC_TREE_OBJECTID));
	assert_false(btrfs_is_fstree(0));
	assert_false(btrfs_is_fstree(7));
	assert_false(btrfs_is_fstree(255));
	assert_false(btrfs_is_fstree(BTRFS_TREE_LOG_OBJECTID));
	assert_false(btrfs_is_fstree(BTRFS_TREE_RELOC_OBJECTID));
}

/* The numbers that mkfs.btrfs(8) and the kernel's limits follow from. */
static void test_capacity(void **state)
{
	(void)state;
	assert_int_equal(btrfs_leaf_data_size(16384), 16283);
	assert_int_equal(btrfs_max_item_size(16384), 16258);
	assert_int_equal(btrfs_max_nr_ptrs(16384), 493);
	assert_int_equal(btrfs_max_nr_ptrs(4096), 121);
	assert_int_equal(btrfs_max_nr_items(4096), 159);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_key_order),
		cmocka_unit_test(test_disk_key),
		cmocka_unit_test(test_format_key),
		cmocka_unit_test(test_tree_names),
		cmocka_unit_test(test_fstrees),
		cmocka_unit_test(test_capacity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
