// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reader/tree-walk: order, loops, skipped subtrees, removals under way.
 */
#include <errno.h>

#include "reader/tree-walk.h"
#include "tests/unit/reader-fixture.h"

/* What a walk saw: block numbers in order. */
struct trace {
	const struct btrfs_image *image;
	unsigned visited[32];
	unsigned nr;
	unsigned bad_shapes;
	unsigned bad_blocks;
	unsigned skip;	/* block number to skip, 0: none */
	int stop;	/* result of the leaf callback */
};

static unsigned number(const struct btrfs_block_ref *ref)
{
	return (unsigned)((ref->bytenr - FIXTURE_CHUNK) / FIXTURE_NODESIZE);
}

static int trace_read(void *arg, const struct btrfs_block_ref *ref, void *buf)
{
	struct trace *trace = arg;
	int ret;

	if (trace->skip && number(ref) == trace->skip)
		return BTRFS_WALK_SKIP;
	ret = btrfs_walk_read_any(trace->image, ref, buf);
	if (ret == BTRFS_WALK_SKIP)
		trace->bad_blocks++;
	return ret;
}

static int trace_block(void *arg, const struct btrfs_block_ref *ref, const void *block)
{
	struct trace *trace = arg;

	assert_int_equal(btrfs_block_header(block)->level, ref->level);
	assert_true(trace->nr < ARRAY_SIZE(trace->visited));
	trace->visited[trace->nr++] = number(ref);
	return ref->level ? 0 : trace->stop;
}

static void trace_shape(void *arg, const struct btrfs_block_ref *ref, const char *text)
{
	struct trace *trace = arg;

	(void)ref;
	assert_non_null(text);
	trace->bad_shapes++;
}

static const struct btrfs_walk_ops trace_ops = {
	.read = trace_read,
	.node = trace_block,
	.leaf = trace_block,
	.bad_shape = trace_shape,
};

static void assert_visited(const struct trace *trace, const unsigned *wanted, unsigned nr)
{
	unsigned i;

	assert_int_equal(trace->nr, nr);
	for (i = 0; i < nr; i++)
		assert_int_equal(trace->visited[i], wanted[i]);
}

/* Root 1 over nodes 2 and 3 over leaves 4, 5 and 6, 7; leaf n holds the keys 10n .. 10n + 4. */
static void build_tree(struct fixture *fx)
{
	unsigned nr;

	fixture_init(fx);
	for (nr = 4; nr <= 7; nr++)
		fixture_leaf(fx, nr, 10 * nr, 1, 5);
	for (nr = 2; nr <= 3; nr++) {
		fixture_begin(fx, nr, BTRFS_FS_TREE_OBJECTID, 1);
		fixture_ptr(fx, fixture_key(20 * nr), 2 * nr);
		fixture_ptr(fx, fixture_key(20 * nr + 10), 2 * nr + 1);
		fixture_write(fx, nr);
	}
	fixture_begin(fx, 1, BTRFS_FS_TREE_OBJECTID, 2);
	fixture_ptr(fx, fixture_key(40), 2);
	fixture_ptr(fx, fixture_key(60), 3);
	fixture_write(fx, 1);
}

static void test_parents_first_left_to_right(void **state)
{
	static const unsigned wanted[] = { 1, 2, 4, 5, 3, 6, 7 };
	const struct btrfs_tree_root root = fixture_root(1, 2);
	struct fixture fx;
	struct trace trace = { .image = &fx.image };

	(void)state;
	build_tree(&fx);
	assert_int_equal(btrfs_walk_tree(&fx.image, &root, &trace_ops, &trace), 0);
	assert_visited(&trace, wanted, ARRAY_SIZE(wanted));
	fixture_release(&fx);
}

static void test_skip_and_lost_subtrees(void **state)
{
	static const unsigned without_2[] = { 1, 3, 6, 7 };
	static const unsigned without_2_and_6[] = { 1, 3, 7 };
	const struct btrfs_tree_root root = fixture_root(1, 2);
	struct fixture fx;
	struct trace trace = { .image = &fx.image, .skip = 2 };
	struct trace again = { .image = &fx.image, .skip = 2 };

	(void)state;
	build_tree(&fx);
	assert_int_equal(btrfs_walk_tree(&fx.image, &root, &trace_ops, &trace), 0);
	assert_visited(&trace, without_2, ARRAY_SIZE(without_2));
	fixture_damage(&fx, 6, 0);
	fixture_damage(&fx, 6, 1);
	assert_int_equal(btrfs_walk_tree(&fx.image, &root, &trace_ops, &again), 0);
	assert_visited(&again, without_2_and_6, ARRAY_SIZE(without_2_and_6));
	assert_int_equal(again.bad_blocks, 1);
	fixture_release(&fx);
}

static void test_callback_error_ends_the_walk(void **state)
{
	const struct btrfs_tree_root root = fixture_root(1, 2);
	struct fixture fx;
	struct trace trace = { .image = &fx.image, .stop = -EINTR };

	(void)state;
	build_tree(&fx);
	assert_int_equal(btrfs_walk_tree(&fx.image, &root, &trace_ops, &trace), -EINTR);
	assert_int_equal(trace.nr, 3);
	fixture_release(&fx);
}

/* A node that names itself as its child: its level gives it away. */
static void test_self_pointer(void **state)
{
	const struct btrfs_tree_root root = fixture_root(1, 1);
	struct fixture fx;
	struct trace trace = { .image = &fx.image };

	(void)state;
	fixture_init(&fx);
	fixture_begin(&fx, 1, BTRFS_FS_TREE_OBJECTID, 1);
	fixture_ptr(&fx, fixture_key(1), 1);
	fixture_write(&fx, 1);
	assert_int_equal(btrfs_walk_tree(&fx.image, &root, &trace_ops, &trace), 0);
	assert_int_equal(trace.nr, 1);
	assert_int_equal(trace.bad_shapes, 1);
	fixture_release(&fx);
}

/* Two pointers to one leaf whose blocks a careless reader takes: the set of seen blocks stops the second. */
static int read_anything(void *arg, const struct btrfs_block_ref *ref, void *buf)
{
	struct btrfs_block_ref loose = { .bytenr = ref->bytenr, .level = -1 };
	struct trace *trace = arg;

	return btrfs_walk_read_any(trace->image, &loose, buf);
}

static void test_child_named_twice(void **state)
{
	static const struct btrfs_walk_ops ops = {
		.read = read_anything,
		.leaf = trace_block,
		.bad_shape = trace_shape,
	};
	const struct btrfs_tree_root root = fixture_root(1, 1);
	struct fixture fx;
	struct trace trace = { .image = &fx.image };

	(void)state;
	fixture_init(&fx);
	fixture_leaf(&fx, 2, 1, 1, 1);
	fixture_begin(&fx, 1, BTRFS_FS_TREE_OBJECTID, 1);
	fixture_ptr(&fx, fixture_key(1), 2);
	fixture_ptr(&fx, fixture_key(2), 2);
	fixture_write(&fx, 1);
	assert_int_equal(btrfs_walk_tree(&fx.image, &root, &ops, &trace), 0);
	assert_int_equal(trace.nr, 1);
	assert_int_equal(trace.bad_shapes, 1);
	fixture_release(&fx);
}

/* Removal reached leaf 5: leaf 4 is free and may hold anything; nothing else is left out. */
static void test_removal_under_way(void **state)
{
	static const unsigned at_level_1[] = { 1, 2, 5, 3, 6, 7 };
	static const unsigned at_level_2[] = { 1, 3, 6, 7 };
	struct btrfs_tree_root root = fixture_root(1, 2);
	struct fixture fx;
	struct trace trace = { .image = &fx.image };
	struct trace again = { .image = &fx.image };

	(void)state;
	build_tree(&fx);
	fixture_damage(&fx, 4, 0);
	fixture_damage(&fx, 4, 1);
	root.refs = 0;
	root.drop_progress = fixture_key(50);
	root.drop_level = 1;
	assert_int_equal(btrfs_walk_tree(&fx.image, &root, &trace_ops, &trace), 0);
	assert_visited(&trace, at_level_1, ARRAY_SIZE(at_level_1));
	assert_int_equal(trace.bad_blocks, 0);

	root.drop_progress = fixture_key(60);
	root.drop_level = 2;
	assert_int_equal(btrfs_walk_tree(&fx.image, &root, &trace_ops, &again), 0);
	assert_visited(&again, at_level_2, ARRAY_SIZE(at_level_2));
	fixture_release(&fx);
}

static void test_removal_not_begun(void **state)
{
	struct btrfs_tree_root root = fixture_root(1, 2);
	struct fixture fx;
	struct trace trace = { .image = &fx.image };
	struct trace again = { .image = &fx.image };

	(void)state;
	build_tree(&fx);
	root.refs = 0;
	assert_int_equal(btrfs_walk_tree(&fx.image, &root, &trace_ops, &trace), 0);
	assert_int_equal(trace.nr, 7);
	root.drop_progress = fixture_key(60);
	root.drop_level = 200;
	assert_int_equal(btrfs_walk_tree(&fx.image, &root, &trace_ops, &again), 0);
	assert_int_equal(again.nr, 7);
	fixture_release(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parents_first_left_to_right),
		cmocka_unit_test(test_skip_and_lost_subtrees),
		cmocka_unit_test(test_callback_error_ends_the_walk),
		cmocka_unit_test(test_self_pointer),
		cmocka_unit_test(test_child_named_twice),
		cmocka_unit_test(test_removal_under_way),
		cmocka_unit_test(test_removal_not_begun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
