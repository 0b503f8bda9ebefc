// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * scrub/seen-blocks: a block that was verified must be what later references expect.
 */
#include "scrub/seen-blocks.h"
#include "tests/unit/reader-fixture.h"

static struct btrfs_block_ref reference(struct fixture *fx, unsigned nr)
{
	struct btrfs_block_ref ref = {
		.tree = BTRFS_FS_TREE_OBJECTID,
		.bytenr = fixture_bytenr(nr),
		.generation = FIXTURE_GENERATION,
		.has_first_key = true,
		.first_key = fixture_key(5),
	};

	fixture_leaf(fx, nr, 5, 1, 3);
	return ref;
}

static void test_expectations(void **state)
{
	struct seen_blocks seen = { 0 };
	struct fixture fx;
	struct btrfs_block_ref ref, other;

	(void)state;
	fixture_init(&fx);
	ref = reference(&fx, 1);
	assert_int_equal(seen_blocks_find(&seen, &ref), SEEN_NEVER);
	assert_int_equal(seen_blocks_add(&seen, &ref, fx.block), 0);
	assert_int_equal(seen_blocks_find(&seen, &ref), SEEN_GOOD);
	other = ref;
	other.tree = 300;		/* a snapshot shares it */
	assert_int_equal(seen_blocks_find(&seen, &other), SEEN_GOOD);
	other.tree = BTRFS_EXTENT_TREE_OBJECTID;
	assert_int_equal(seen_blocks_find(&seen, &other), SEEN_OTHER);
	other.tree = BTRFS_TREE_RELOC_OBJECTID;
	assert_int_equal(seen_blocks_find(&seen, &other), SEEN_GOOD);
	other = ref;
	other.generation++;
	assert_int_equal(seen_blocks_find(&seen, &other), SEEN_OTHER);
	other = ref;
	other.level = 1;
	assert_int_equal(seen_blocks_find(&seen, &other), SEEN_OTHER);
	other = ref;
	other.first_key.offset++;
	assert_int_equal(seen_blocks_find(&seen, &other), SEEN_OTHER);
	other.has_first_key = false;	/* a root: it knows no key */
	assert_int_equal(seen_blocks_find(&seen, &other), SEEN_GOOD);
	seen_blocks_release(&seen);
	fixture_release(&fx);
}

static void test_bad_then_good(void **state)
{
	struct seen_blocks seen = { 0 };
	struct fixture fx;
	struct btrfs_block_ref ref;

	(void)state;
	fixture_init(&fx);
	ref = reference(&fx, 2);
	assert_int_equal(seen_blocks_add(&seen, &ref, NULL), 0);
	assert_int_equal(seen_blocks_find(&seen, &ref), SEEN_BAD);
	assert_true(seen_blocks_has(&seen, ref.bytenr));
	assert_int_equal(seen_blocks_add(&seen, &ref, fx.block), 0);
	assert_int_equal(seen_blocks_find(&seen, &ref), SEEN_GOOD);
	assert_int_equal(seen.nr, 1);
	seen_blocks_release(&seen);
	fixture_release(&fx);
}

static void test_many(void **state)
{
	struct seen_blocks seen = { 0 };
	struct fixture fx;
	struct btrfs_block_ref ref;
	u64 i;

	(void)state;
	fixture_init(&fx);
	ref = reference(&fx, 3);
	for (i = 0; i < 100000; i++) {
		ref.bytenr = i * 16384;
		assert_int_equal(seen_blocks_add(&seen, &ref, i % 3 ? fx.block : NULL), 0);
	}
	assert_int_equal(seen.nr, 100000);
	for (i = 0; i < 100000; i++) {
		ref.bytenr = i * 16384;
		assert_int_equal(seen_blocks_find(&seen, &ref), i % 3 ? SEEN_GOOD : SEEN_BAD);
		assert_false(seen_blocks_has(&seen, ref.bytenr + 4096));
	}
	seen_blocks_release(&seen);
	fixture_release(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expectations),
		cmocka_unit_test(test_bad_then_good),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
