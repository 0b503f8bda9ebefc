// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reader/csum-lookup: which sectors have checksums.
 */
#include <errno.h>

#include "reader/csum-lookup.h"
#include "tests/unit/reader-fixture.h"

#define SECTOR	((u64)4096)
#define BASE	((u64)1 << 30)

/* An item for @nr sectors from number @sector on; each sum is the sector's number. */
static void add_csums(struct fixture *fx, u64 sector, u32 nr)
{
	const struct btrfs_key key = {
		.objectid = BTRFS_EXTENT_CSUM_OBJECTID,
		.type = BTRFS_EXTENT_CSUM_KEY,
		.offset = BASE + sector * SECTOR,
	};
	u8 *sums = fixture_item(fx, key, nr * 4);
	u32 i;

	for (i = 0; i < nr; i++) {
		const __le32 sum = cpu_to_le32((u32)sector + i);

		memcpy(sums + i * 4, &sum, sizeof(sum));
	}
}

static struct btrfs_key csum_key(u64 sector)
{
	return (struct btrfs_key){
		.objectid = BTRFS_EXTENT_CSUM_OBJECTID,
		.type = BTRFS_EXTENT_CSUM_KEY,
		.offset = BASE + sector * SECTOR,
	};
}

/* Leaf 2: sectors 0-9, 20-29; leaf 3: 28-39 (overlaps), 100-104. */
static void build_tree(struct fixture *fx, struct btrfs_tree_root *root)
{
	fixture_init(fx);
	fixture_begin(fx, 2, BTRFS_CSUM_TREE_OBJECTID, 0);
	add_csums(fx, 0, 10);
	add_csums(fx, 20, 10);
	fixture_write(fx, 2);
	fixture_begin(fx, 3, BTRFS_CSUM_TREE_OBJECTID, 0);
	add_csums(fx, 28, 12);
	add_csums(fx, 100, 5);
	fixture_write(fx, 3);
	fixture_begin(fx, 1, BTRFS_CSUM_TREE_OBJECTID, 1);
	fixture_ptr(fx, csum_key(0), 2);
	fixture_ptr(fx, csum_key(28), 3);
	fixture_write(fx, 1);
	*root = fixture_root(1, 1);
	root->objectid = BTRFS_CSUM_TREE_OBJECTID;
}

static bool exists(struct btrfs_csum_lookup *lookup, u64 sector, u64 nr)
{
	bool found = false;

	assert_int_equal(btrfs_csum_exists(lookup, BASE + sector * SECTOR, nr * SECTOR, &found), 0);
	return found;
}

static void test_exists(void **state)
{
	struct btrfs_csum_lookup lookup;
	struct btrfs_tree_root root;
	struct fixture fx;
	bool found;

	(void)state;
	build_tree(&fx, &root);
	assert_int_equal(btrfs_csum_lookup_init(&lookup, &fx.image, &root), 0);
	assert_true(exists(&lookup, 0, 1));
	assert_true(exists(&lookup, 9, 1));	/* an item that begins before the range */
	assert_false(exists(&lookup, 10, 10));
	assert_true(exists(&lookup, 10, 11));
	assert_true(exists(&lookup, 30, 5));	/* begins in the leaf before its first key's neighbour */
	assert_false(exists(&lookup, 40, 60));
	assert_true(exists(&lookup, 104, 1));
	assert_false(exists(&lookup, 105, 1000));
	assert_false(exists(&lookup, 5, 0));
	/* one byte inside a sector that has a sum; a range that ends at the top of the address space */
	assert_int_equal(btrfs_csum_exists(&lookup, BASE + 9 * SECTOR + 100, 1, &found), 0);
	assert_true(found);
	assert_int_equal(btrfs_csum_exists(&lookup, BASE + 105 * SECTOR, (u64)-1, &found), 0);
	assert_false(found);
	assert_int_equal(btrfs_csum_exists(&lookup, 0, BASE, &found), 0);
	assert_false(found);
	btrfs_csum_lookup_release(&lookup);
	fixture_release(&fx);
}

/* The search ends at the first item: the damage right behind it is not even met. */
static void test_exists_stops_at_the_first(void **state)
{
	struct btrfs_csum_lookup lookup;
	struct btrfs_tree_root root;
	struct fixture fx;
	bool found;

	(void)state;
	build_tree(&fx, &root);
	fixture_damage(&fx, 3, 0);
	fixture_damage(&fx, 3, 1);
	assert_int_equal(btrfs_csum_lookup_init(&lookup, &fx.image, &root), 0);
	assert_true(exists(&lookup, 0, 1000));
	assert_int_equal(lookup.cursor.skipped_blocks, 0);
	/* where the answer would have been in the lost leaf there is no answer */
	assert_int_equal(btrfs_csum_exists(&lookup, BASE + 100 * SECTOR, SECTOR, &found), -EUCLEAN);
	btrfs_csum_lookup_release(&lookup);
	fixture_release(&fx);
}

/* Marks every sector that is given out, and checks that its sum is its own. */
static int mark_run(void *arg, const struct btrfs_csum_run *run)
{
	u8 *marks = arg;
	u32 i;

	for (i = 0; i < run->nr_sectors; i++) {
		const u64 sector = (run->logical - BASE) / SECTOR + i;

		assert_int_equal(get_unaligned_le32(run->sums + (size_t)i * 4), sector);
		assert_true(sector < 128);
		marks[sector]++;
	}
	return 0;
}

static void test_collect(void **state)
{
	struct btrfs_csum_lookup lookup;
	struct btrfs_tree_root root;
	struct fixture fx;
	u8 marks[128] = { 0 };
	unsigned i;

	(void)state;
	build_tree(&fx, &root);
	assert_int_equal(btrfs_csum_lookup_init(&lookup, &fx.image, &root), 0);
	assert_int_equal(btrfs_csum_collect(&lookup, BASE + 5 * SECTOR, 97 * SECTOR, mark_run, marks), 0);
	for (i = 0; i < 128; i++) {
		const bool wanted = (i >= 5 && i <= 9) || (i >= 20 && i <= 39) || (i >= 100 && i <= 101);

		assert_int_equal(marks[i], wanted);	/* sectors of both overlapping items once */
	}
	btrfs_csum_lookup_release(&lookup);
	fixture_release(&fx);
}

/* A range taken in two steps gives the same as in one: an item is cut at the first end. */
static void test_next_continues(void **state)
{
	struct btrfs_csum_lookup lookup;
	struct btrfs_csum_run run;
	struct btrfs_tree_root root;
	struct fixture fx;

	(void)state;
	build_tree(&fx, &root);
	assert_int_equal(btrfs_csum_lookup_init(&lookup, &fx.image, &root), 0);
	assert_int_equal(btrfs_csum_seek(&lookup, BASE + 22 * SECTOR), 0);
	assert_int_equal(btrfs_csum_next(&lookup, BASE + 25 * SECTOR, &run), 0);
	assert_int_equal(run.logical, BASE + 22 * SECTOR);
	assert_int_equal(run.nr_sectors, 3);
	assert_int_equal(btrfs_csum_next(&lookup, BASE + 25 * SECTOR, &run), 1);
	assert_int_equal(btrfs_csum_next(&lookup, BASE + 1000 * SECTOR, &run), 0);
	assert_int_equal(run.logical, BASE + 25 * SECTOR);
	assert_int_equal(run.nr_sectors, 5);
	assert_int_equal(get_unaligned_le32(run.sums), 25);
	btrfs_csum_lookup_release(&lookup);
	fixture_release(&fx);
}

static void test_malformed_items_are_passed_over(void **state)
{
	const struct btrfs_key unaligned = {
		.objectid = BTRFS_EXTENT_CSUM_OBJECTID,
		.type = BTRFS_EXTENT_CSUM_KEY,
		.offset = BASE + 100,
	};
	const struct btrfs_key huge = {
		.objectid = BTRFS_EXTENT_CSUM_OBJECTID,
		.type = BTRFS_EXTENT_CSUM_KEY,
		.offset = (u64)-4096,
	};
	struct btrfs_tree_root root = fixture_root(1, 0);
	struct btrfs_csum_lookup lookup;
	struct fixture fx;
	bool found;

	(void)state;
	fixture_init(&fx);
	fixture_begin(&fx, 1, BTRFS_CSUM_TREE_OBJECTID, 0);
	fixture_item(&fx, csum_key(0), 3);
	fixture_item(&fx, unaligned, 40);
	add_csums(&fx, 50, 1);
	fixture_item(&fx, huge, 400);
	fixture_write(&fx, 1);
	root.objectid = BTRFS_CSUM_TREE_OBJECTID;
	assert_int_equal(btrfs_csum_lookup_init(&lookup, &fx.image, &root), 0);
	assert_false(exists(&lookup, 0, 50));
	assert_true(exists(&lookup, 0, 51));
	assert_int_equal(btrfs_csum_exists(&lookup, BASE + 51 * SECTOR, (u64)-1, &found), 0);
	assert_false(found);
	btrfs_csum_lookup_release(&lookup);
	fixture_release(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exists),
		cmocka_unit_test(test_exists_stops_at_the_first),
		cmocka_unit_test(test_collect),
		cmocka_unit_test(test_next_continues),
		cmocka_unit_test(test_malformed_items_are_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
