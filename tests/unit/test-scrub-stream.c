// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * scrub/data-stream: checksums and extents, merged into ranges.
 */
#include "scrub/data-stream.h"
#include "tests/unit/reader-fixture.h"

#define SECTOR	((u64)4096)
#define BASE	((u64)1 << 30)

struct expected {
	u64 start, end;		/* sectors */
	bool allocated;
	bool sums;
	bool begins;
};

/* Checksums of sectors 0-9, 20-29, 28-35; extents 4-12, 20-24, 24-40, and one that is not data. */
static void build(struct fixture *fx, struct btrfs_tree_root *sums, struct btrfs_tree_root *extents)
{
	static const struct { u64 start, nr; } runs[] = { { 0, 10 }, { 20, 10 }, { 28, 8 } };
	static const struct { u64 start, nr, flags; } items[] = {
		{ 4, 8, BTRFS_EXTENT_FLAG_DATA },
		{ 14, 4, BTRFS_EXTENT_FLAG_TREE_BLOCK },
		{ 20, 4, BTRFS_EXTENT_FLAG_DATA },
		{ 24, 16, BTRFS_EXTENT_FLAG_DATA },
	};
	size_t i;

	fixture_init(fx);
	fixture_begin(fx, 1, BTRFS_CSUM_TREE_OBJECTID, 0);
	for (i = 0; i < ARRAY_SIZE(runs); i++) {
		const struct btrfs_key key = {
			.objectid = BTRFS_EXTENT_CSUM_OBJECTID,
			.type = BTRFS_EXTENT_CSUM_KEY,
			.offset = BASE + runs[i].start * SECTOR,
		};
		u8 *out = fixture_item(fx, key, (u32)runs[i].nr * 4);
		u64 s;

		for (s = 0; s < runs[i].nr; s++)
			out[s * 4] = (u8)(runs[i].start + s);
	}
	fixture_write(fx, 1);
	fixture_begin(fx, 2, BTRFS_EXTENT_TREE_OBJECTID, 0);
	for (i = 0; i < ARRAY_SIZE(items); i++) {
		const struct btrfs_key key = {
			.objectid = BASE + items[i].start * SECTOR,
			.type = BTRFS_EXTENT_ITEM_KEY,
			.offset = items[i].nr * SECTOR,
		};
		struct btrfs_extent_item *item = fixture_item(fx, key, sizeof(*item));

		item->flags = cpu_to_le64(items[i].flags);
	}
	fixture_write(fx, 2);
	*sums = fixture_root(1, 0);
	sums->objectid = BTRFS_CSUM_TREE_OBJECTID;
	*extents = fixture_root(2, 0);
	extents->objectid = BTRFS_EXTENT_TREE_OBJECTID;
}

static void expect_ranges(struct data_stream *stream, const struct expected *expected, size_t nr)
{
	struct data_range range;
	size_t i;

	for (i = 0; i < nr; i++) {
		assert_int_equal(data_stream_next(stream, &range), 0);
		assert_int_equal(range.start, BASE + expected[i].start * SECTOR);
		assert_int_equal(range.end, BASE + expected[i].end * SECTOR);
		assert_int_equal(range.allocated, expected[i].allocated);
		assert_int_equal(range.extent_begins, expected[i].begins);
		assert_int_equal(range.sums != NULL, expected[i].sums);
		if (range.sums)
			assert_int_equal(range.sums[0], expected[i].start);
	}
	assert_int_equal(data_stream_next(stream, &range), 1);
}

static void test_both(void **state)
{
	static const struct expected all[] = {
		{ 0, 4, false, true, false },
		{ 4, 10, true, true, true },
		{ 10, 12, true, false, false },
		{ 20, 24, true, true, true },
		{ 24, 30, true, true, true },
		{ 30, 36, true, true, false },
		{ 36, 40, true, false, false },
	};
	static const struct expected part[] = {
		{ 8, 10, false, true, false },
		{ 20, 22, true, true, true },
	};
	struct btrfs_tree_root sums, extents;
	struct data_stream stream;
	struct fixture fx;

	(void)state;
	build(&fx, &sums, &extents);
	assert_int_equal(data_stream_init(&stream, &fx.image, &sums, &extents), 0);
	assert_int_equal(data_stream_seek(&stream, BASE, BASE + 100 * SECTOR), 0);
	expect_ranges(&stream, all, ARRAY_SIZE(all));
	/* cut at both ends: a chunk. Extents do not cross its start, so the one at 4 is not seen. */
	assert_int_equal(data_stream_seek(&stream, BASE + 8 * SECTOR, BASE + 22 * SECTOR), 0);
	expect_ranges(&stream, part, ARRAY_SIZE(part));
	assert_int_equal(data_stream_seek(&stream, BASE + 50 * SECTOR, BASE + 60 * SECTOR), 0);
	expect_ranges(&stream, NULL, 0);
	assert_false(data_stream_lost_extents(&stream));
	data_stream_release(&stream);
	fixture_release(&fx);
}

/* Tree blocks where they are asked for, and as what they are. */
static void test_trees(void **state)
{
	struct btrfs_tree_root sums, extents;
	struct data_stream stream;
	struct data_range range;
	struct fixture fx;
	unsigned nr_trees = 0;

	(void)state;
	build(&fx, &sums, &extents);
	assert_int_equal(data_stream_init(&stream, &fx.image, &sums, &extents), 0);
	stream.trees = true;
	assert_int_equal(data_stream_seek(&stream, BASE, BASE + 100 * SECTOR), 0);
	while (!data_stream_next(&stream, &range)) {
		assert_int_equal(range.tree, range.start == BASE + 14 * SECTOR);
		if (!range.tree)
			continue;
		nr_trees++;
		assert_true(range.allocated && range.extent_begins && !range.sums);
		assert_int_equal(range.end, BASE + 18 * SECTOR);
	}
	assert_int_equal(nr_trees, 1);
	data_stream_release(&stream);
	fixture_release(&fx);
}

static void test_one_alone(void **state)
{
	static const struct expected only_sums[] = {
		{ 0, 10, false, true, false },
		{ 20, 30, false, true, false },
		{ 30, 36, false, true, false },
	};
	static const struct expected only_extents[] = {
		{ 4, 12, true, false, true },
		{ 20, 24, true, false, true },
		{ 24, 40, true, false, true },
	};
	struct btrfs_tree_root sums, extents;
	struct data_stream stream;
	struct fixture fx;

	(void)state;
	build(&fx, &sums, &extents);
	assert_int_equal(data_stream_init(&stream, &fx.image, &sums, NULL), 0);
	assert_int_equal(data_stream_seek(&stream, BASE, BASE + 100 * SECTOR), 0);
	expect_ranges(&stream, only_sums, ARRAY_SIZE(only_sums));
	assert_true(data_stream_lost_extents(&stream));
	data_stream_release(&stream);
	assert_int_equal(data_stream_init(&stream, &fx.image, NULL, &extents), 0);
	assert_int_equal(data_stream_seek(&stream, BASE, BASE + 100 * SECTOR), 0);
	expect_ranges(&stream, only_extents, ARRAY_SIZE(only_extents));
	data_stream_release(&stream);
	fixture_release(&fx);
}

/* A lost extent tree is told apart from an empty one. */
static void test_lost(void **state)
{
	struct btrfs_tree_root sums, extents;
	struct data_stream stream;
	struct fixture fx;

	(void)state;
	build(&fx, &sums, &extents);
	fixture_damage(&fx, 2, 0);
	fixture_damage(&fx, 2, 1);
	assert_int_equal(data_stream_init(&stream, &fx.image, &sums, &extents), 0);
	assert_int_equal(data_stream_seek(&stream, BASE, BASE + 100 * SECTOR), 0);
	assert_true(data_stream_lost_extents(&stream));
	data_stream_release(&stream);
	fixture_release(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both),
		cmocka_unit_test(test_trees),
		cmocka_unit_test(test_one_alone),
		cmocka_unit_test(test_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
