// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compression in the data pipeline: what lies on the devices becomes the files again, whoever compressed it; an
 * extent never crosses a chunk; the sectors left before a border have checksums of their own nowhere.
 */
#include <libdeflate.h>

#include "tests/unit/capture.h"
#include "tests/unit/pipeline-fixture.h"

#define ZLIB	((struct compression){ COMPRESSION_ZLIB, 1 })

static struct source_file fake(const char *name, u64 size)
{
	struct source_file file = { .size = size, .left = size, .ranges = { { 0, size } }, .nr_ranges = 1 };

	strcpy(file.name, name);
	return file;
}

static void submit_whole(struct pipeline_test *test, enum data_block_kind kind, u64 size)
{
	const struct source_file file = fake("whole", size);

	assert_int_equal(begin_block(test, kind), 0);
	assert_int_equal(add_whole(test, add_fake(test, &file)), 0);
}

static void submit_all(struct pipeline_test *test)
{
	const struct source_file sizes[] = {
		fake("one sector", 4096), fake("a byte more", 4097), fake("an extent", SZ_128K), fake("more", SZ_128K + 1),
	};
	struct source_file big = fake("big", 24 * SZ_1M + 777);
	size_t i;

	assert_int_equal(begin_block(test, DATA_BLOCK_REGULAR), 0);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		assert_int_equal(add_whole(test, add_fake(test, &sizes[i])), 0);
	submit_whole(test, DATA_BLOCK_INLINE, 3000);
	assert_int_equal(begin_block(test, DATA_BLOCK_REGULAR), 0);
	assert_int_equal(add_ranges(test, add_fake(test, &big)), 0);
	/* the same once more: found by dedupe */
	assert_int_equal(begin_block(test, DATA_BLOCK_REGULAR), 0);
	assert_int_equal(add_ranges(test, add_fake(test, &big)), 0);
	assert_int_equal(finish_block(test), 0);
	assert_int_equal(pipeline_drain(test->pipeline), 0);
}

static void check_compressed(const struct pipeline_test *test, const struct place_event *event)
{
	struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
	const struct btrfs_chunk_map *map = btrfs_find_chunk(&test->images.alloc.chunks, event->logical);
	u8 *disk = malloc(event->disk_len), *got = malloc(event->len), *want = calloc(1, event->len);
	size_t used, produced;

	assert_true(map && disk && got && want && decompressor);
	assert_true(event->logical + event->disk_len <= map->start + map->length);
	assert_true(event->len <= COMPRESSION_MAX_INPUT);
	fake_content(&test->files[event->file], want, event->offset, event->len);
	image_files_read(&test->images, event->logical, event->disk_len, 0, disk);
	assert_int_equal(libdeflate_zlib_decompress_ex(decompressor, disk, event->disk_len, got, event->len, &used,
						       &produced), LIBDEFLATE_SUCCESS);
	assert_int_equal(ALIGN_UP(used, test->layout.sectorsize), event->disk_len);
	assert_int_equal(produced, event->len);
	assert_memory_equal(got, want, event->len);
	libdeflate_free_decompressor(decompressor);
	free(disk);
	free(got);
	free(want);
}

/* Each byte of each file that is not inline is somewhere, once. */
static void check_whole(const struct pipeline_test *test, unsigned nr)
{
	u64 next = 0;
	unsigned i;

	for (i = 0; i < test->record.nr; i++) {
		const struct place_event *event = &test->record.events[i];

		if (event->file != nr || !strchr("ecd", event->what))
			continue;
		assert_int_equal(event->offset, next);
		next += event->len;
	}
	assert_int_equal(next, ALIGN_UP(test->files[nr].size, test->layout.sectorsize));
}

static u64 check_all(const struct pipeline_test *test)
{
	u64 stored = 0;
	unsigned i, compressed = 0, shared = 0;

	for (i = 0; i < test->record.nr; i++) {
		const struct place_event *event = &test->record.events[i];

		compressed += event->what == 'c';
		shared += event->what == 'd';
		if (event->what == 'c')
			check_compressed(test, event);
		if (event->what == 'c' || event->what == 'e')
			stored += event->what == 'c' ? event->disk_len : event->len;
	}
	assert_true(compressed > 100);
	assert_int_equal(shared > 0, test->setup.dedupe != MKFS_DEDUPE_OFF);
	assert_int_equal(test->space.total, stored);
	for (i = 0; i < test->nr_files; i++) {
		if (test->files[i].size > 4096 || i == 0)
			check_whole(test, i);
	}
	return stored;
}

static void assert_same_record(const struct record *a, const struct record *b)
{
	assert_int_equal(a->nr, b->nr);
	assert_memory_equal(a->events, b->events, a->nr * sizeof(a->events[0]));
	assert_int_equal(a->csum_bytes, b->csum_bytes);
	assert_memory_equal(a->csums, b->csums, a->csum_bytes);
}

static void test_same_everywhere(void **state)
{
	static const unsigned thread_counts[] = { 0, 1, 3 };
	struct pipeline_setup setup = {
		.ring = { .kind = IO_RING_AUTO }, .compress = ZLIB, .devices = 2, .device_size = 16 * SZ_1M,
		.profile = BTRFS_BLOCK_GROUP_RAID0,
	};
	struct pipeline_test reference, test;
	u64 all = 0, stored;
	size_t t;

	(void)state;
	for (setup.dedupe = MKFS_DEDUPE_OFF; setup.dedupe <= MKFS_DEDUPE_BLOCK; setup.dedupe++) {
		setup.threads = 0;
		setup.mode = MKFS_CSUM_INLINE;
		pipeline_setup(&reference, &setup);
		submit_all(&reference);
		stored = check_all(&reference);
		assert_true(setup.dedupe ? stored < all * 3 / 5 : stored < 40 * SZ_1M);
		if (!setup.dedupe)
			all = stored;
		for (t = 0; t < ARRAY_SIZE(thread_counts); t++) {
			for (setup.mode = MKFS_CSUM_INLINE; setup.mode <= MKFS_CSUM_OVERLAP; setup.mode++) {
				setup.threads = thread_counts[t];
				pipeline_setup(&test, &setup);
				submit_all(&test);
				check_all(&test);
				assert_same_record(&test.record, &reference.record);
				pipeline_teardown(&test);
			}
		}
		pipeline_teardown(&reference);
	}
}

/* Where a chunk ends in the middle of an extent, the extent goes to the next one as a whole. */
static void test_borders(void **state)
{
	const struct pipeline_setup setup = {
		.mode = MKFS_CSUM_INLINE, .ring = { .kind = IO_RING_SYNC }, .compress = ZLIB,
		.device_size = 128 * SZ_1M, .devices = 1, .dedupe = MKFS_DEDUPE_OFF,
	};
	struct pipeline_test test;
	u64 end = CHUNK_FIRST_LOGICAL, gaps = 0;
	unsigned i, n;

	(void)state;
	pipeline_setup(&test, &setup);
	for (n = 0; n < 3; n++)
		submit_all(&test);
	check_all(&test);
	for (i = 0; i < test.record.nr; i++) {
		const struct place_event *event = &test.record.events[i];

		if (!strchr("ec", event->what))
			continue;
		assert_true(event->logical >= end);
		gaps += event->logical != end;
		end = event->logical + (event->what == 'c' ? event->disk_len : event->len);
	}
	assert_true(test.images.alloc.chunks.nr > 1);
	assert_true(gaps > 0);
	pipeline_teardown(&test);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_everywhere),
		cmocka_unit_test(test_borders),
	};

	if (csum_init())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
