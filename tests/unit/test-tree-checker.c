// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Item tables, nodes, and which items are looked at.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>

#include "kernel-shared/tree-checker.h"
#include "tests/unit/leaf-builder.h"

#define OWNER 256	/* some subvolume */

/* Three items of a type that is not looked at. */
static void three_items(struct leaf_builder *leaf)
{
	leaf_init(leaf, OWNER);
	leaf_add(leaf, 1, BTRFS_STRING_ITEM_KEY, 0, 10);
	leaf_add(leaf, 1, BTRFS_STRING_ITEM_KEY, 1, 0);
	leaf_add(leaf, 2, BTRFS_STRING_ITEM_KEY, 0, 20);
}

static void expect_bad_table(struct leaf_builder *leaf, int slot)
{
	assert_int_equal(leaf_check_items(leaf), -EUCLEAN);
	assert_int_equal(leaf->reports, 1);
	assert_int_equal(leaf->slot, slot);
	assert_int_equal(leaf_check(leaf), -EUCLEAN);
}

static void test_good_table(void **state)
{
	static struct leaf_builder leaf;

	(void)state;
	three_items(&leaf);
	assert_int_equal(leaf_check(&leaf), 0);
	assert_int_equal(leaf.reports, 0);
	/* payload up to the item headers: the leaf is full */
	leaf_init(&leaf, OWNER);
	leaf_add(&leaf, 1, BTRFS_STRING_ITEM_KEY, 0, btrfs_max_item_size(TEST_NODESIZE));
	assert_int_equal(leaf_check(&leaf), 0);
}

static void test_empty(void **state)
{
	static struct leaf_builder leaf;

	(void)state;
	leaf_init(&leaf, BTRFS_CSUM_TREE_OBJECTID);
	assert_int_equal(leaf_check(&leaf), 0);
	leaf_init(&leaf, BTRFS_ROOT_TREE_OBJECTID);
	expect_bad_table(&leaf, -1);
}

static void test_header(void **state)
{
	static struct leaf_builder leaf;
	struct btrfs_header *header = (struct btrfs_header *)leaf.block;

	(void)state;
	three_items(&leaf);
	header->level = 1;
	expect_bad_table(&leaf, -1);
	three_items(&leaf);
	header->nritems = cpu_to_le32(btrfs_max_nr_items(TEST_NODESIZE) + 1);
	expect_bad_table(&leaf, -1);
	header->nritems = cpu_to_le32(UINT32_MAX);
	expect_bad_table(&leaf, -1);
}

static void test_payload_places(void **state)
{
	static struct leaf_builder leaf;
	const u32 full = btrfs_leaf_data_size(TEST_NODESIZE);

	(void)state;
	three_items(&leaf);
	leaf_item(&leaf, 0)->size = cpu_to_le32(11);	/* beyond the leaf */
	expect_bad_table(&leaf, 0);
	three_items(&leaf);
	leaf_item(&leaf, 1)->offset = cpu_to_le32(full - 11);	/* a gap */
	expect_bad_table(&leaf, 1);
	three_items(&leaf);
	leaf_item(&leaf, 2)->size = cpu_to_le32(21);	/* over its neighbour */
	expect_bad_table(&leaf, 2);
	three_items(&leaf);
	leaf_item(&leaf, 2)->size = cpu_to_le32(UINT32_MAX);
	expect_bad_table(&leaf, 2);
	three_items(&leaf);
	leaf_item(&leaf, 2)->offset = cpu_to_le32(UINT32_MAX - 99);	/* wraps to the right end */
	leaf_item(&leaf, 2)->size = cpu_to_le32(full - 10 + 100);
	expect_bad_table(&leaf, 2);
	three_items(&leaf);
	leaf_item(&leaf, 2)->offset = cpu_to_le32(3 * 25 - 1);	/* over the item headers */
	leaf_item(&leaf, 2)->size = cpu_to_le32(full - 10 - (3 * 25 - 1));
	expect_bad_table(&leaf, 2);
	leaf_item(&leaf, 2)->offset = cpu_to_le32(3 * 25);
	leaf_item(&leaf, 2)->size = cpu_to_le32(full - 10 - 3 * 25);
	assert_int_equal(leaf_check(&leaf), 0);
}

static void test_key_order(void **state)
{
	static struct leaf_builder leaf;

	(void)state;
	three_items(&leaf);
	leaf_item(&leaf, 1)->key.offset = 0;	/* equal to the one before */
	expect_bad_table(&leaf, 1);
	three_items(&leaf);
	leaf_item(&leaf, 2)->key.objectid = 0;
	expect_bad_table(&leaf, 2);
	assert_string_equal(leaf.text, "key does not follow (ROOT_TREE STRING_ITEM 1)");
}

static void ignore(void *arg, int slot, const struct btrfs_key *key, const char *text)
{
	(void)arg;
	(void)slot;
	(void)key;
	(void)text;
}

static void test_unknown_types(void **state)
{
	static struct leaf_builder leaf;
	u64 unknown = 5;

	(void)state;
	leaf_init(&leaf, OWNER);
	leaf_add(&leaf, 1, 99, 0, 7);
	leaf_add(&leaf, 1, BTRFS_QGROUP_RELATION_KEY, 0, 7);	/* known, and bad */
	leaf_add(&leaf, 1, BTRFS_STRING_ITEM_KEY, 0, 7);
	leaf_add(&leaf, 1, 255, 0, 0);
	assert_int_equal(btrfs_check_leaf(&leaf.ctx, leaf.block, ignore, NULL, &unknown), 1);
	assert_int_equal(unknown, 7);
	assert_int_equal(leaf_check(&leaf), 1);
	assert_int_equal(leaf.slot, 1);
	assert_int_equal(btrfs_check_item(&leaf.ctx, leaf.block, 0, ignore, NULL), 0);
	assert_int_equal(btrfs_check_item(&leaf.ctx, leaf.block, 1, ignore, NULL), -EUCLEAN);
}

/* No item, of whatever type, may be read beyond its end: the sanitizers watch. */
static void test_short_items(void **state)
{
	static struct leaf_builder leaf;
	unsigned type;
	u32 size;

	(void)state;
	for (type = 0; type < 256; type++) {
		for (size = 0; size < 64; size++) {
			leaf_init(&leaf, OWNER);
			memset(leaf_add(&leaf, 256, (u8)type, 0, size), 0xff, size);
			assert_true(leaf_check(&leaf) <= 1);
		}
	}
}

/* ---- nodes ---- */

static struct btrfs_key_ptr *node_ptrs(struct leaf_builder *leaf)
{
	return (struct btrfs_key_ptr *)(leaf->block + sizeof(struct btrfs_header));
}

static void make_node(struct leaf_builder *leaf, u32 nr)
{
	struct btrfs_header *header = (struct btrfs_header *)leaf->block;
	struct btrfs_key_ptr *ptrs = node_ptrs(leaf);
	struct btrfs_key key = { 256, BTRFS_EXTENT_DATA_KEY, 0 };
	u32 i;

	leaf_init(leaf, OWNER);
	header->level = 1;
	header->nritems = cpu_to_le32(nr);
	for (i = 0; i < nr; i++) {
		key.offset = i;
		ptrs[i].key = btrfs_cpu_key_to_disk(&key);
		ptrs[i].blockptr = cpu_to_le64(SZ_1M + i * SZ_16K);
	}
}

static void expect_bad_node(struct leaf_builder *leaf, int slot)
{
	assert_int_equal(leaf_check_node(leaf), -EUCLEAN);
	assert_int_equal(leaf->reports, 1);
	assert_int_equal(leaf->slot, slot);
}

static void test_nodes(void **state)
{
	static struct leaf_builder leaf;
	struct btrfs_header *header = (struct btrfs_header *)leaf.block;
	struct btrfs_key_ptr *ptrs = node_ptrs(&leaf);
	const u32 max = btrfs_max_nr_ptrs(TEST_NODESIZE);

	(void)state;
	make_node(&leaf, max);
	assert_int_equal(leaf_check_node(&leaf), 0);
	ptrs[max - 1].blockptr = 0;	/* the last pointer counts too */
	expect_bad_node(&leaf, (int)max - 1);
	ptrs[max - 1].blockptr = cpu_to_le64(SZ_1M + 512);
	expect_bad_node(&leaf, (int)max - 1);
	make_node(&leaf, 3);
	ptrs[1].key = ptrs[0].key;
	expect_bad_node(&leaf, 1);
	make_node(&leaf, 3);
	header->level = 0;
	expect_bad_node(&leaf, -1);
	header->level = 8;
	expect_bad_node(&leaf, -1);
	make_node(&leaf, 0);
	expect_bad_node(&leaf, -1);
	header->nritems = cpu_to_le32(max + 1);
	expect_bad_node(&leaf, -1);
}

static void test_all_bad_pointers(void **state)
{
	static struct leaf_builder leaf;
	struct btrfs_key_ptr *ptrs = node_ptrs(&leaf);

	(void)state;
	make_node(&leaf, 5);
	ptrs[0].blockptr = 0;
	ptrs[2].blockptr = cpu_to_le64(1);
	assert_int_equal(leaf_check_node(&leaf), -EUCLEAN);
	assert_int_equal(leaf.reports, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_table),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_header),
		cmocka_unit_test(test_payload_places),
		cmocka_unit_test(test_key_order),
		cmocka_unit_test(test_unknown_types),
		cmocka_unit_test(test_short_items),
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_all_bad_pointers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
