// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reader/tree-search: the cursor across leaves, around holes in the tree.
 */
#include <errno.h>
#include <pthread.h>

#include "reader/tree-search.h"
#include "tests/unit/reader-fixture.h"

enum { LEAVES = 6, ITEMS = 10 };

/* Root 1 over the leaves 2 .. 7; leaf number 2 + i holds the even keys 100i .. 100i + 18. */
static void build_tree(struct fixture *fx)
{
	unsigned i;

	fixture_init(fx);
	for (i = 0; i < LEAVES; i++)
		fixture_leaf(fx, 2 + i, 100 * i, 2, ITEMS);
	fixture_begin(fx, 1, BTRFS_FS_TREE_OBJECTID, 1);
	for (i = 0; i < LEAVES; i++)
		fixture_ptr(fx, fixture_key(100 * i), 2 + i);
	fixture_write(fx, 1);
}

static void assert_seek(struct btrfs_cursor *cursor, u64 number, u64 wanted)
{
	const struct btrfs_key key = fixture_key(number);

	assert_int_equal(btrfs_cursor_seek(cursor, &key), 0);
	assert_int_equal(cursor->key.offset, wanted);
}

static void assert_floor(struct btrfs_cursor *cursor, u64 number, u64 wanted)
{
	const struct btrfs_key key = fixture_key(number);

	assert_int_equal(btrfs_cursor_seek_floor(cursor, &key), 0);
	assert_int_equal(cursor->key.offset, wanted);
}

static void test_seek(void **state)
{
	const struct btrfs_tree_root root = fixture_root(1, 1);
	const struct btrfs_key behind = fixture_key(519);
	const struct btrfs_key before = { 0 };
	struct btrfs_cursor cursor;
	struct fixture fx;

	(void)state;
	build_tree(&fx);
	assert_int_equal(btrfs_cursor_init(&cursor, &fx.image, &root), 0);
	assert_seek(&cursor, 4, 4);
	assert_seek(&cursor, 5, 6);
	assert_seek(&cursor, 19, 100);	/* from the end of one leaf to the next */
	assert_seek(&cursor, 0, 0);
	assert_int_equal(btrfs_cursor_seek(&cursor, &behind), 1);
	assert_floor(&cursor, 99, 18);
	assert_floor(&cursor, 100, 100);
	assert_floor(&cursor, 9999, 518);
	assert_int_equal(btrfs_cursor_seek_floor(&cursor, &before), 0);
	assert_int_equal(cursor.key.offset, 0);
	assert_int_equal(cursor.skipped_blocks, 0);
	btrfs_cursor_release(&cursor);
	fixture_release(&fx);
}

static unsigned count_items(struct btrfs_cursor *cursor)
{
	const struct btrfs_key start = { 0 };
	struct btrfs_key last = { 0 };
	unsigned nr = 0;
	int ret;

	for (ret = btrfs_cursor_seek(cursor, &start); !ret; ret = btrfs_cursor_next(cursor)) {
		assert_true(btrfs_comp_cpu_keys(&last, &cursor->key) < 0);
		last = cursor->key;
		nr++;
	}
	assert_int_equal(ret, 1);
	return nr;
}

static void test_all_items_in_order(void **state)
{
	const struct btrfs_tree_root root = fixture_root(1, 1);
	struct btrfs_cursor cursor;
	struct fixture fx;

	(void)state;
	build_tree(&fx);
	assert_int_equal(btrfs_cursor_init(&cursor, &fx.image, &root), 0);
	assert_int_equal(count_items(&cursor), LEAVES * ITEMS);
	assert_int_equal(cursor.skipped_blocks, 0);
	btrfs_cursor_release(&cursor);
	fixture_release(&fx);
}

static void test_lost_leaf_is_stepped_over(void **state)
{
	const struct btrfs_tree_root root = fixture_root(1, 1);
	struct btrfs_cursor cursor;
	struct fixture fx;

	(void)state;
	build_tree(&fx);
	fixture_damage(&fx, 4, 0);
	assert_int_equal(btrfs_cursor_init(&cursor, &fx.image, &root), 0);
	assert_int_equal(count_items(&cursor), LEAVES * ITEMS);	/* the second copy serves */
	fixture_damage(&fx, 4, 1);
	btrfs_cursor_release(&cursor);

	assert_int_equal(btrfs_cursor_init(&cursor, &fx.image, &root), 0);
	assert_int_equal(count_items(&cursor), (LEAVES - 1) * ITEMS);
	assert_int_equal(cursor.skipped_blocks, 1);
	assert_seek(&cursor, 204, 300);
	assert_floor(&cursor, 204, 300);	/* what lies before cannot be known */
	assert_int_equal(cursor.skipped_blocks, 3);
	btrfs_cursor_release(&cursor);
	fixture_release(&fx);
}

static void test_lost_and_empty_roots(void **state)
{
	const struct btrfs_tree_root lost = fixture_root(20, 0);
	struct btrfs_tree_root empty = fixture_root(21, 0);
	const struct btrfs_key start = { 0 };
	struct btrfs_cursor cursor;
	struct fixture fx;

	(void)state;
	fixture_init(&fx);
	assert_int_equal(btrfs_cursor_init(&cursor, &fx.image, &lost), 0);
	assert_int_equal(btrfs_cursor_seek(&cursor, &start), 1);
	assert_int_equal(cursor.skipped_blocks, 1);
	btrfs_cursor_release(&cursor);

	empty.objectid = BTRFS_CSUM_TREE_OBJECTID;
	fixture_begin(&fx, 21, BTRFS_CSUM_TREE_OBJECTID, 0);
	fixture_write(&fx, 21);
	assert_int_equal(btrfs_cursor_init(&cursor, &fx.image, &empty), 0);
	assert_int_equal(btrfs_cursor_seek(&cursor, &start), 1);
	assert_int_equal(cursor.skipped_blocks, 0);
	btrfs_cursor_release(&cursor);
	fixture_release(&fx);
}

static void *count_in_thread(void *arg)
{
	const struct btrfs_tree_root root = fixture_root(1, 1);
	const struct btrfs_image *image = arg;
	struct btrfs_cursor cursor;
	uintptr_t nr;

	if (btrfs_cursor_init(&cursor, image, &root))
		return NULL;
	nr = count_items(&cursor);
	btrfs_cursor_release(&cursor);
	return (void *)nr;
}

static void test_cursors_in_several_threads(void **state)
{
	pthread_t threads[4];
	struct fixture fx;
	size_t i;

	(void)state;
	build_tree(&fx);
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, count_in_thread, &fx.image), 0);
	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		void *nr;

		assert_int_equal(pthread_join(threads[i], &nr), 0);
		assert_int_equal((uintptr_t)nr, LEAVES * ITEMS);
	}
	fixture_release(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seek),
		cmocka_unit_test(test_all_items_in_order),
		cmocka_unit_test(test_lost_leaf_is_stepped_over),
		cmocka_unit_test(test_lost_and_empty_roots),
		cmocka_unit_test(test_cursors_in_several_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
