// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The geometry of packed trees against a packer that moves real slots about.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>

#include "mkfs/geometry.h"

static const u32 nodesizes[] = { 4096, 8192, 16384, 32768, 65536 };

/* Payloads of every length, some of them the longest that fits. */
static u32 item_size(u32 nodesize, u32 kind, u64 nr)
{
	u64 x = (nr + 1) * 0x9e3779b97f4a7c15ULL;
	const u32 max = btrfs_max_item_size(nodesize);

	switch (kind) {
	case 0:
		return 0;
	case 1:
		return (u32)(x >> 40) % 300;
	case 2:
		return (u32)(x >> 40) % (max + 1);
	case 3:
		return max;
	case 4:
		return (max - 25) / 2;	/* two fit exactly or but for one byte */
	default:
		return (max - 25) / 2 + 1;
	}
}

/* Two cursors in one block, as in a leaf: headers from the front, payloads from the end. */
static u64 pack_leaves(u32 nodesize, u32 kind, u64 nr_items)
{
	u64 leaves = 1, i;
	u32 front = 101, back = nodesize;

	for (i = 0; i < nr_items; i++) {
		u32 size = item_size(nodesize, kind, i);

		if (back - front < size + 25) {
			leaves++;
			front = 101;
			back = nodesize;
		}
		front += 25;
		back -= size;
		assert_true(front <= back);
	}
	return leaves;
}

static u64 pack_nodes(u32 nodesize, u64 children)
{
	u64 nodes = 1, i;
	u32 front = 101;

	for (i = 0; i < children; i++) {
		if (nodesize - front < 33) {
			nodes++;
			front = 101;
		}
		front += 33;
	}
	return nodes;
}

static void check(u32 nodesize, u32 kind, u64 nr_items)
{
	struct tree_geometry geometry;
	u64 blocks, total = 0, i;
	int level = 0;

	geometry_init(&geometry, nodesize);
	for (i = 0; i < nr_items; i++)
		geometry_add(&geometry, item_size(nodesize, kind, i));
	assert_int_equal(geometry_finish(&geometry), 0);
	for (blocks = pack_leaves(nodesize, kind, nr_items);; blocks = pack_nodes(nodesize, blocks)) {
		assert_int_equal(geometry.blocks[level], blocks);
		assert_int_equal(geometry_level_start(&geometry, level), total);
		total += blocks;
		level++;
		if (blocks == 1)
			break;
	}
	assert_int_equal(geometry.height, level);
	assert_int_equal(geometry_total(&geometry), total);
	for (; level < BTRFS_MAX_LEVEL; level++)
		assert_int_equal(geometry.blocks[level], 0);
}

static void test_against_packer(void **state)
{
	const u64 counts[] = { 0, 1, 2, 3, 50, 1000, 20000 };
	size_t n, c;
	u32 kind;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(nodesizes); n++) {
		for (kind = 0; kind < 6; kind++) {
			for (c = 0; c < ARRAY_SIZE(counts); c++)
				check(nodesizes[n], kind, counts[c]);
		}
	}
}

/* The number of items that fill one leaf, one node of leaves: the next one opens another. */
static void test_exact_capacity(void **state)
{
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(nodesizes); n++) {
		const u32 nodesize = nodesizes[n];
		const u32 items = btrfs_max_nr_items(nodesize), ptrs = btrfs_max_nr_ptrs(nodesize);
		struct tree_geometry geometry;
		u32 i;

		check(nodesize, 0, items);
		check(nodesize, 0, items + 1);
		check(nodesize, 3, ptrs);
		check(nodesize, 3, ptrs + 1);
		geometry_init(&geometry, nodesize);
		for (i = 0; i < ptrs; i++)
			geometry_add(&geometry, btrfs_max_item_size(nodesize));
		assert_int_equal(geometry_finish(&geometry), 0);
		assert_int_equal(geometry.height, 2);
		assert_int_equal(geometry.blocks[1], 1);
		geometry_add(&geometry, 0);
		assert_int_equal(geometry_finish(&geometry), 0);
		assert_int_equal(geometry.height, 3);
		assert_int_equal(geometry.blocks[0], ptrs + 1);
		assert_int_equal(geometry.blocks[1], 2);
	}
}

static void test_empty_tree(void **state)
{
	struct tree_geometry geometry;

	(void)state;
	geometry_init(&geometry, 16384);
	assert_int_equal(geometry_finish(&geometry), 0);
	assert_int_equal(geometry.height, 1);
	assert_int_equal(geometry_total(&geometry), 1);
}

/* Leaves as if they had been added: 121 pointers fit a node of 4096 bytes. */
static void test_height_limit(void **state)
{
	struct tree_geometry geometry;
	u64 most = 1;
	int level;

	(void)state;
	for (level = 1; level < BTRFS_MAX_LEVEL; level++)
		most *= btrfs_max_nr_ptrs(4096);
	geometry_init(&geometry, 4096);
	geometry.blocks[0] = most;
	assert_int_equal(geometry_finish(&geometry), 0);
	assert_int_equal(geometry.height, BTRFS_MAX_LEVEL);
	assert_int_equal(geometry.blocks[BTRFS_MAX_LEVEL - 1], 1);
	geometry_init(&geometry, 4096);
	geometry.blocks[0] = most + 1;
	assert_int_equal(geometry_finish(&geometry), -EFBIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_packer),
		cmocka_unit_test(test_exact_capacity),
		cmocka_unit_test(test_empty_tree),
		cmocka_unit_test(test_height_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
