// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The data pipeline: threads, checksum modes and engines change neither what is placed where, nor a
 * checksum, nor a byte, nor which error is the first. Every buffer comes back.
 */
#include <pthread.h>

#include "tests/unit/capture.h"
#include "tests/unit/pipeline-fixture.h"

#define BIG_FILE	(8 * SZ_1M + 1234)	/* more than one chunk of 64 MiB of devices */

static const unsigned thread_counts[] = { 0, 1, 3 };

static const struct io_ring_options rings[] = {
	{ .kind = IO_RING_SYNC },
	{ .kind = IO_RING_AUTO, .depth = 4 },
	{ .kind = IO_RING_SYNC, .short_io = true },
	{ .kind = IO_RING_AUTO, .short_io = true },
};

/* ---- some of everything ---- */

static struct source_file fake(const char *name, u64 size)
{
	struct source_file file = { .size = size, .left = size, .ranges = { { 0, size } }, .nr_ranges = 1 };

	strcpy(file.name, name);
	return file;
}

static struct source_file fake_shrunk(const char *name, u64 size, u64 left)
{
	struct source_file file = fake(name, size);

	file.left = left;
	return file;
}

static struct source_file fake_with_holes(void)
{
	struct source_file file = fake("holes", 60000);

	file.ranges[0] = (struct fake_range){ 0, 4096 };
	file.ranges[1] = (struct fake_range){ 20000, 30000 };
	file.ranges[2] = (struct fake_range){ 50000, 50001 };
	file.nr_ranges = 3;
	return file;
}

static struct source_file fake_hole(void)
{
	struct source_file file = fake("hole", 40000);

	file.nr_ranges = 0;
	return file;
}

static int submit_files(struct pipeline_test *test, enum data_block_kind kind, const struct source_file *files,
			unsigned nr)
{
	int ret = begin_block(test, kind);
	unsigned i;

	for (i = 0; !ret && i < nr; i++)
		ret = add_whole(test, add_fake(test, &files[i]));
	return ret;
}

static int submit_big(struct pipeline_test *test, const char *name, u64 size)
{
	const struct source_file file = fake(name, size);

	return add_ranges(test, add_fake(test, &file));
}

/* 0 or the error at which the pipeline stopped. */
static int submit_mixed(struct pipeline_test *test)
{
	const struct source_file whole[] = {
		fake("small", 5000), fake_with_holes(), fake_hole(), fake_shrunk("shrunk", 30000, 9000),
		fake_shrunk("gone", 20000, 0), fake("sectors", 65536),
		fake("twin", 65536),
	};
	const struct source_file tiny[] = { fake("tiny", 100), fake_shrunk("tiny gone", 50, 0), fake("less", 2000) };
	const struct source_file hole = fake_hole();
	int ret;

	ret = submit_files(test, DATA_BLOCK_REGULAR, whole, ARRAY_SIZE(whole));
	if (!ret)
		ret = submit_big(test, "big", BIG_FILE);	/* begins behind the small ones */
	if (!ret)
		ret = submit_files(test, DATA_BLOCK_INLINE, tiny, ARRAY_SIZE(tiny));
	if (!ret)
		ret = submit_files(test, DATA_BLOCK_REGULAR, &hole, 1);	/* a block without a byte */
	if (!ret)
		ret = begin_block(test, DATA_BLOCK_REGULAR);
	if (!ret)
		ret = submit_big(test, "last", 300 * SZ_1K);
	if (!ret)
		ret = submit_big(test, "twin of the last", 300 * SZ_1K);
	if (!ret)
		ret = finish_block(test);
	return ret ? ret : pipeline_drain(test->pipeline);
}

/* ---- is it right? ---- */

/* Sectors of a file that must be stored: those with at least one byte of data. */
static bool sector_has_data(const struct source_file *file, u64 start, u32 sectorsize)
{
	const u64 end = MIN(start + sectorsize, file->left);
	unsigned i;

	for (i = 0; i < file->nr_ranges; i++) {
		if (MAX(start, file->ranges[i].start) < MIN(end, file->ranges[i].end))
			return true;
	}
	return false;
}

/* The file's bytes in every copy, and their checksums: new ones are number @nr and the next. */
static void check_extent(const struct pipeline_test *test, const struct place_event *event, u64 nr)
{
	const struct btrfs_chunk_map *map = btrfs_find_chunk(&test->images.alloc.chunks, event->logical);
	const u32 sectorsize = test->layout.sectorsize;
	const u16 size = test->layout.csum->size;
	u8 *want = malloc(event->len), *got = malloc(event->len);
	u8 csum[CSUM_MAX_SIZE];
	u64 at;
	int copy;

	assert_true(map && want && got);
	assert_true(event->logical + event->len <= map->start + map->length);
	fake_content(&test->files[event->file], want, event->offset, event->len);
	for (copy = 0; copy < btrfs_chunk_copies(map); copy++) {
		image_files_read(&test->images, event->logical, event->len, copy, got);
		assert_memory_equal(got, want, event->len);
	}
	if (event->what == 'd')
		nr = (event->logical - CHUNK_FIRST_LOGICAL) / sectorsize;
	for (at = 0; at < event->len; at += sectorsize, nr++) {
		test->layout.csum->digest(want + at, sectorsize, csum);
		assert_true((nr + 1) * size <= test->record.csum_bytes);
		assert_memory_equal(test->record.csums + nr * size, csum, size);
	}
	free(want);
	free(got);
}

/* Every sector with data is in one extent, and no other. */
static void check_coverage(const struct pipeline_test *test, unsigned nr)
{
	const struct source_file *file = &test->files[nr];
	const u32 sectorsize = test->layout.sectorsize;
	u64 start;
	unsigned i;

	for (start = 0; start < file->size; start += sectorsize) {
		unsigned stored = 0;

		for (i = 0; i < test->record.nr; i++) {
			const struct place_event *event = &test->record.events[i];

			stored += (event->what == 'e' || event->what == 'd') && event->file == nr && event->offset <= start &&
				  start + sectorsize <= event->offset + event->len;
		}
		assert_int_equal(stored, sector_has_data(file, start, sectorsize));
	}
}

static void check_inline(const struct pipeline_test *test, const struct place_event *event)
{
	u8 data[4096];
	u64 sum = 0, i;

	assert_true(event->len == test->files[event->file].left && event->len <= sizeof(data));
	fake_content(&test->files[event->file], data, 0, event->len);
	for (i = 0; i < event->len; i++)
		sum = sum * 31 + data[i];
	assert_int_equal(event->logical, sum);
}

static void assert_same_event(const struct place_event *a, const struct place_event *b)
{
	assert_int_equal(a->what, b->what);
	assert_int_equal(a->file, b->file);
	assert_int_equal(a->offset, b->offset);
	assert_int_equal(a->logical, b->logical);
	assert_int_equal(a->len, b->len);
}

/* Against the files themselves, not against another run. */
static void check_all(const struct pipeline_test *test)
{
	const struct record *record = &test->record;
	u64 next = CHUNK_FIRST_LOGICAL, sectors = 0, shared = 0;
	unsigned i, segments = 0;

	for (i = 0; i < record->nr; i++) {
		const struct place_event *event = &record->events[i];

		if (event->what == 's') {
			assert_true(segments < test->nr_expected);
			assert_same_event(event, &test->expected[segments++]);
		} else if (event->what == 'i') {
			check_inline(test, event);
		} else if (event->what == 'd') {
			check_extent(test, event, 0);
			shared += event->len;
		} else {
			assert_int_equal(event->logical, next);
			check_extent(test, event, sectors);
			next += event->len;
			sectors += event->len / test->layout.sectorsize;
		}
	}
	assert_int_equal(segments, test->nr_expected);
	assert_int_equal(record->csum_bytes, sectors * test->layout.csum->size);
	assert_int_equal(test->space.total, next - CHUNK_FIRST_LOGICAL);
	assert_int_equal(pipeline_bytes(test->pipeline), test->space.total + shared + test->inline_bytes);
	assert_int_equal(shared > 0, test->setup.dedupe != MKFS_DEDUPE_OFF);
	assert_int_equal(buffer_pool_free(test->buffers), buffer_pool_nr(test->buffers));
	for (i = 0; i < test->nr_files; i++) {
		if (test->files[i].size > 4096)		/* not inline */
			check_coverage(test, i);
	}
}

static void assert_same_record(const struct record *a, const struct record *b)
{
	unsigned i;

	assert_int_equal(a->nr, b->nr);
	for (i = 0; i < a->nr; i++)
		assert_same_event(&a->events[i], &b->events[i]);
	assert_int_equal(a->csum_bytes, b->csum_bytes);
	assert_memory_equal(a->csums, b->csums, a->csum_bytes);
}

/* ---- the same, whatever does the work ---- */

static struct pipeline_setup reference_setup(void)
{
	return (struct pipeline_setup){
		.mode = MKFS_CSUM_INLINE, .ring = { .kind = IO_RING_SYNC }, .profile = BTRFS_BLOCK_GROUP_RAID0,
	};
}

static void run_mixed(struct pipeline_test *test, const struct pipeline_setup *setup)
{
	pipeline_setup(test, setup);
	assert_int_equal(submit_mixed(test), 0);
	assert_true(test->ticks > 0);
	check_all(test);
}

/* Threads x modes x rings; each gets the serial twin to compare with, and what else differs. */
static void every_way(const struct pipeline_setup *base, void (*check)(const struct pipeline_setup *setup,
								       const struct pipeline_test *reference),
		      const struct pipeline_test *reference)
{
	struct pipeline_setup setup = *base;
	size_t t, r;

	for (t = 0; t < ARRAY_SIZE(thread_counts); t++) {
		for (setup.mode = MKFS_CSUM_INLINE; setup.mode <= MKFS_CSUM_OVERLAP; setup.mode++) {
			for (r = 0; r < ARRAY_SIZE(rings); r++) {
				setup.threads = thread_counts[t];
				setup.ring = rings[r];
				check(&setup, reference);
			}
		}
	}
}

static void same_as_reference(const struct pipeline_setup *setup, const struct pipeline_test *reference)
{
	struct pipeline_test test;

	run_mixed(&test, setup);
	assert_same_record(&test.record, &reference->record);
	pipeline_teardown(&test);
}

static void test_same_everywhere(void **state)
{
	struct pipeline_setup setup = reference_setup();
	struct pipeline_test reference;

	(void)state;
	run_mixed(&reference, &setup);
	assert_true(reference.images.alloc.chunks.nr > 1);	/* some extent was cut in two */
	every_way(&setup, same_as_reference, &reference);
	pipeline_teardown(&reference);
}

/* Other profiles, sectors, checksums; and so few buffers that everything waits for them. */
static void test_other_layouts(void **state)
{
	static const struct {
		unsigned devices;
		u64 profile;
		u32 sectorsize;
		const char *csum;
		size_t buffers;
		u32 inline_max;
	} cases[] = {
		{ 1, BTRFS_BLOCK_GROUP_DUP, 4096, "xxhash", 2, 0 },
		{ 2, BTRFS_BLOCK_GROUP_RAID1, 16384, "crc32c", 3, 65536 },
		{ 4, BTRFS_BLOCK_GROUP_RAID10, 65536, "sha256", 2, 4096 },
		{ 3, BTRFS_BLOCK_GROUP_RAID0, 8192, "blake2", 16, DATA_BLOCK_SIZE },
		{ 1, 0, 4096, "crc32c", 2, DATA_BLOCK_SIZE - 1 },
	};
	size_t i, t;
	enum mkfs_csum_mode mode;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (t = 0; t < ARRAY_SIZE(thread_counts); t++) {
			for (mode = MKFS_CSUM_INLINE; mode <= MKFS_CSUM_OVERLAP; mode++) {
				const struct pipeline_setup setup = {
					.threads = thread_counts[t],
					.mode = mode,
					.ring = { .kind = IO_RING_AUTO, .depth = 2 },
					.devices = cases[i].devices,
					.device_size = 64 * SZ_1M,
					.profile = cases[i].profile,
					.sectorsize = cases[i].sectorsize,
					.csum = csum_by_name(cases[i].csum),
					.buffers = cases[i].buffers,
					.inline_max = cases[i].inline_max,
				};
				struct pipeline_test test;

				run_mixed(&test, &setup);
				pipeline_teardown(&test);
			}
		}
	}
}

/* What is cloned instead of being written, and what cannot be: the devices hold the same. */
static void test_clones(void **state)
{
	static const struct {
		unsigned devices;
		u64 profile;
		u32 sectorsize;
	} cases[] = {
		{ 2, BTRFS_BLOCK_GROUP_RAID0, 4096 },
		{ 1, BTRFS_BLOCK_GROUP_DUP, 4096 },
		{ 4, BTRFS_BLOCK_GROUP_RAID10, 65536 },
		{ 3, BTRFS_BLOCK_GROUP_RAID5, 4096 },
		{ 1, 0, 16384 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pipeline_setup setup = reference_setup();
		struct pipeline_test test;
		unsigned d;

		setup.devices = cases[i].devices;
		setup.device_size = 64 * SZ_1M;
		setup.profile = cases[i].profile;
		setup.sectorsize = cases[i].sectorsize;
		setup.threads = 2;
		setup.reflink = true;
		run_mixed(&test, &setup);
		for (d = 0; d < setup.devices; d++)
			assert_true(write_stage_cloned(test.write, d) > 0);
		assert_int_equal(write_stage_clone_error(test.write), -EOPNOTSUPP);
		pipeline_teardown(&test);
	}
}

/* What is shared depends on the order of submission, too. */
static void test_dedupe(void **state)
{
	struct pipeline_setup setup = reference_setup();
	struct pipeline_test reference;
	size_t t;

	(void)state;
	for (setup.dedupe = MKFS_DEDUPE_FILE; setup.dedupe <= MKFS_DEDUPE_BLOCK; setup.dedupe++) {
		setup.threads = 0;
		setup.mode = MKFS_CSUM_INLINE;
		setup.ring.kind = IO_RING_SYNC;
		run_mixed(&reference, &setup);
		setup.ring.kind = IO_RING_AUTO;
		for (t = 0; t < ARRAY_SIZE(thread_counts); t++) {
			setup.threads = thread_counts[t];
			for (setup.mode = MKFS_CSUM_INLINE; setup.mode <= MKFS_CSUM_OVERLAP; setup.mode++)
				same_as_reference(&setup, &reference);
		}
		pipeline_teardown(&reference);
	}
}

/* ---- who hashes ---- */

static pthread_t main_thread;
static atomic_uint hashed_here;
static atomic_uint hashed_elsewhere;

static void counting_digest(const void *data, size_t len, u8 *out)
{
	atomic_fetch_add(pthread_equal(pthread_self(), main_thread) ? &hashed_here : &hashed_elsewhere, 1);
	csum_by_name("crc32c")->digest(data, len, out);
}

/* One block of 1 MiB and one of 64 KiB; returns how many of their 272 sectors a worker hashed. */
static unsigned hashed_by_workers(enum mkfs_csum_mode mode, unsigned threads, u32 inline_max)
{
	const struct csum_algorithm counting = { .name = "counting", .size = 4, .digest = counting_digest };
	const struct pipeline_setup setup = {
		.threads = threads, .mode = mode, .ring = { .kind = IO_RING_AUTO }, .csum = &counting,
		.inline_max = inline_max,
	};
	struct pipeline_test test;

	main_thread = pthread_self();
	atomic_store(&hashed_here, 0);
	atomic_store(&hashed_elsewhere, 0);
	pipeline_setup(&test, &setup);
	assert_int_equal(submit_big(&test, "big", SZ_1M), 0);
	assert_int_equal(begin_block(&test, DATA_BLOCK_REGULAR), 0);
	assert_int_equal(submit_big(&test, "small", SZ_64K), 0);
	assert_int_equal(finish_block(&test), 0);
	assert_int_equal(pipeline_drain(test.pipeline), 0);
	assert_int_equal(atomic_load(&hashed_here) + atomic_load(&hashed_elsewhere), 272);
	pipeline_teardown(&test);
	return atomic_load(&hashed_elsewhere);
}

static void test_who_hashes(void **state)
{
	enum mkfs_csum_mode mode;

	(void)state;
	for (mode = MKFS_CSUM_INLINE; mode <= MKFS_CSUM_OVERLAP; mode++) {
		const bool handed_over = mode != MKFS_CSUM_INLINE;

		assert_int_equal(hashed_by_workers(mode, 0, 0), 0);
		assert_int_equal(hashed_by_workers(mode, 2, 0), handed_over ? 272 : 0);
		assert_int_equal(hashed_by_workers(mode, 2, SZ_64K - 1), handed_over ? 272 : 0);
		assert_int_equal(hashed_by_workers(mode, 2, SZ_64K), handed_over ? 256 : 0);
		assert_int_equal(hashed_by_workers(mode, 2, DATA_BLOCK_SIZE), 0);
	}
}

/* ---- errors ---- */

/* Whatever comes afterwards, the first error stays. */
static void expect_stuck(struct pipeline_test *test, int err)
{
	int ret = 0;

	assert_null(pipeline_get(test->pipeline, DATA_BLOCK_REGULAR, &ret));
	assert_int_equal(ret, err);
	assert_int_equal(pipeline_drain(test->pipeline), err);
}

/* Block 2 takes long to fail, block 4 fails at once; block 2 it is. */
static int submit_with_bad_files(struct pipeline_test *test)
{
	unsigned i;
	int ret = 0;

	for (i = 0; i < 7 && !ret; i++) {
		struct source_file files[] = { fake("before", 5000), fake("good", 70000) };

		if (i == 2 || i == 4) {
			strcpy(files[1].name, i == 2 ? "the first" : "the second");
			files[1].error = i == 2 ? -EIO : -EACCES;
			files[1].error_offset = 69999;
			files[1].delay = i == 2 ? 20000 : 1;
		}
		ret = submit_files(test, DATA_BLOCK_REGULAR, files, ARRAY_SIZE(files));
	}
	if (!ret)
		ret = finish_block(test);
	return ret ? ret : pipeline_drain(test->pipeline);
}

static void first_read_error(const struct pipeline_setup *setup, const struct pipeline_test *reference)
{
	struct pipeline_test test;
	struct capture capture;
	unsigned i;

	(void)reference;
	pipeline_setup(&test, setup);
	capture_begin(&capture);
	assert_int_equal(submit_with_bad_files(&test), -EIO);
	expect_stuck(&test, -EIO);
	capture_end(&capture);
	assert_captured(&capture, "the first");
	assert_int_equal(capture_count(&capture, "ERROR"), 1);
	/* two blocks of two files: one extent and one segment each, and nothing of the third block */
	assert_int_equal(test.record.nr, 8);
	for (i = 0; i < 8; i++)
		assert_int_equal(test.record.events[i].file, i / 2);
	pipeline_teardown(&test);
}

static void test_first_read_error(void **state)
{
	const struct pipeline_setup setup = reference_setup();

	(void)state;
	every_way(&setup, first_read_error, NULL);
}

/* The importer fails in its n-th call: the same calls before it, the same error, no call after it. */
static unsigned fail_call(const struct pipeline_setup *setup, unsigned nr, const struct record *reference)
{
	struct pipeline_test test;
	unsigned calls, i;
	int ret;

	pipeline_setup(&test, setup);
	test.record.fail_at = nr;
	ret = submit_mixed(&test);
	assert_int_equal(ret, test.record.calls >= nr ? -EDOM : 0);
	if (ret)
		expect_stuck(&test, -EDOM);
	calls = test.record.calls;
	for (i = 0; i < test.record.nr; i++)
		assert_same_event(&test.record.events[i], &reference->events[i]);
	pipeline_teardown(&test);
	return calls;
}

static void test_place_errors(void **state)
{
	struct pipeline_setup setup = reference_setup();
	struct pipeline_test reference;
	unsigned nr, all;

	(void)state;
	run_mixed(&reference, &setup);
	all = reference.record.calls;
	setup.ring.kind = IO_RING_AUTO;
	for (nr = 1; nr <= all + 1; nr++) {
		setup.threads = thread_counts[nr % 3];
		setup.mode = MKFS_CSUM_INLINE + nr / 3 % 3;
		assert_int_equal(fail_call(&setup, nr, &reference.record), MIN(nr, all));
	}
	pipeline_teardown(&reference);
}

/* Each write fails once. Returns false when there was none with that number. */
static bool fail_write(const struct pipeline_setup *setup, const struct record *reference)
{
	struct pipeline_test test;
	struct capture capture;
	unsigned i;
	int ret;

	pipeline_setup(&test, setup);
	capture_begin(&capture);
	ret = submit_mixed(&test);
	if (ret)
		expect_stuck(&test, -ENOSPC);
	capture_end(&capture);
	if (ret) {
		assert_int_equal(ret, -ENOSPC);
		assert_captured(&capture, "an image file");
		assert_int_equal(capture_count(&capture, "ERROR"), 1);
	}
	/* how far it came depends on the device, but not what it did until then */
	for (i = 0; i < test.record.nr; i++)
		assert_same_event(&test.record.events[i], &reference->events[i]);
	assert_memory_equal(test.record.csums, reference->csums, test.record.csum_bytes);
	pipeline_teardown(&test);
	return ret != 0;
}

static void fail_each_write(const struct pipeline_setup *base, const struct pipeline_test *reference)
{
	struct pipeline_setup setup = *base;

	setup.ring.fail_errno = ENOSPC;
	setup.ring.fail_at = 1;
	while (fail_write(&setup, &reference->record)) {
		setup.ring.fail_at++;
		assert_true(setup.ring.fail_at < 100);
	}
	/* 9 MiB in runs of 1 MiB on each of two devices */
	assert_in_range(setup.ring.fail_at, 9, 99);
}

static void test_write_errors(void **state)
{
	struct pipeline_setup setup = reference_setup();
	struct pipeline_test reference;

	(void)state;
	run_mixed(&reference, &setup);
	fail_each_write(&setup, &reference);
	setup.ring.kind = IO_RING_AUTO;
	setup.threads = 2;
	for (setup.mode = MKFS_CSUM_INLINE; setup.mode <= MKFS_CSUM_OVERLAP; setup.mode++)
		fail_each_write(&setup, &reference);
	pipeline_teardown(&reference);
}

static void test_no_space(void **state)
{
	struct pipeline_setup setup = reference_setup();
	struct place_event last = { 0 };
	size_t t;

	(void)state;
	setup.devices = 1;
	setup.device_size = 12 * SZ_1M;
	setup.ring.kind = IO_RING_AUTO;
	setup.mode = MKFS_CSUM_OVERLAP;
	for (t = 0; t < ARRAY_SIZE(thread_counts); t++) {
		struct pipeline_test test;
		int ret;

		setup.threads = thread_counts[t];
		pipeline_setup(&test, &setup);
		ret = submit_big(&test, "too big", 14 * SZ_1M);
		if (!ret)
			ret = finish_block(&test);
		if (!ret)
			ret = pipeline_drain(test.pipeline);
		assert_int_equal(ret, -ENOSPC);
		expect_stuck(&test, -ENOSPC);
		assert_true(test.record.nr > 8);
		if (t)
			assert_same_event(&test.record.events[test.record.nr - 1], &last);
		last = test.record.events[test.record.nr - 1];
		pipeline_teardown(&test);
	}
}

/* ---- the end ---- */

static void test_stop_before(void **state)
{
	const struct pipeline_setup setup = reference_setup();
	struct pipeline_test test;

	(void)state;
	pipeline_setup(&test, &setup);
	test.stop = SIGINT;
	expect_stuck(&test, -EINTR);
	pipeline_teardown(&test);
}

static void stop_in_the_middle(const struct pipeline_setup *setup, const struct pipeline_test *reference)
{
	struct pipeline_test test;
	unsigned i;

	pipeline_setup(&test, setup);
	assert_int_equal(submit_big(&test, "big", 3 * SZ_1M), 0);
	test.stop = SIGTERM;
	/* what was begun may be submitted; there is no new block, and the drain does not wait for all */
	assert_int_equal(finish_block(&test), 0);
	expect_stuck(&test, -EINTR);
	for (i = 0; i < test.record.nr; i++)
		assert_same_event(&test.record.events[i], &reference->record.events[i]);
	pipeline_teardown(&test);
}

/* No buffer is free, and who waits for one is told to stop. */
static void stop_without_buffers(const struct pipeline_setup *base)
{
	struct pipeline_setup setup = *base;
	struct pipeline_test test;

	setup.buffers = 2;
	pipeline_setup(&test, &setup);
	assert_int_equal(submit_big(&test, "big", 2 * SZ_1M), 0);
	assert_int_equal(finish_block(&test), 0);
	test.stop = SIGINT;
	expect_stuck(&test, -EINTR);
	pipeline_teardown(&test);
}

static void test_stop(void **state)
{
	struct pipeline_setup setup = reference_setup();
	struct pipeline_test reference;

	(void)state;
	pipeline_setup(&reference, &setup);
	assert_int_equal(submit_big(&reference, "big", 3 * SZ_1M), 0);
	assert_int_equal(finish_block(&reference), 0);
	assert_int_equal(pipeline_drain(reference.pipeline), 0);
	every_way(&setup, stop_in_the_middle, &reference);
	pipeline_teardown(&reference);
	setup.threads = 3;
	stop_without_buffers(&setup);
}

/* Blocks with workers, in windows, on their way to the devices: all of it is waited for. */
static void destroy_in_the_middle(const struct pipeline_setup *setup, const struct pipeline_test *reference)
{
	struct pipeline_test test;

	(void)reference;
	pipeline_setup(&test, setup);
	assert_int_equal(submit_big(&test, "big", 6 * SZ_1M), 0);
	pipeline_teardown(&test);
}

static void test_destroy(void **state)
{
	const struct pipeline_setup setup = reference_setup();

	(void)state;
	every_way(&setup, destroy_in_the_middle, NULL);
	pipeline_destroy(NULL);
}

static void test_nothing_to_do(void **state)
{
	const struct pipeline_setup setup = reference_setup();
	struct pipeline_test test;
	struct data_block *block;
	int ret = 0;

	(void)state;
	pipeline_setup(&test, &setup);
	assert_int_equal(pipeline_drain(test.pipeline), 0);
	block = pipeline_get(test.pipeline, DATA_BLOCK_REGULAR, &ret);
	assert_non_null(block);
	assert_int_equal(buffer_pool_free(test.buffers), buffer_pool_nr(test.buffers) - 1);
	pipeline_put_back(test.pipeline, block);
	assert_int_equal(buffer_pool_free(test.buffers), buffer_pool_nr(test.buffers));
	assert_int_equal(begin_block(&test, DATA_BLOCK_REGULAR), 0);	/* one without a segment */
	assert_int_equal(finish_block(&test), 0);
	assert_int_equal(pipeline_drain(test.pipeline), 0);
	assert_int_equal(test.record.nr, 0);
	assert_int_equal(test.space.total, 0);
	assert_int_equal(pipeline_bytes(test.pipeline), 0);
	pipeline_teardown(&test);
}

static int setup_group(void **state)
{
	(void)state;
	return csum_init();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_everywhere),
		cmocka_unit_test(test_other_layouts),
		cmocka_unit_test(test_clones),
		cmocka_unit_test(test_dedupe),
		cmocka_unit_test(test_who_hashes),
		cmocka_unit_test(test_first_read_error),
		cmocka_unit_test(test_place_errors),
		cmocka_unit_test(test_write_errors),
		cmocka_unit_test(test_no_space),
		cmocka_unit_test(test_stop_before),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_destroy),
		cmocka_unit_test(test_nothing_to_do),
	};

	return cmocka_run_group_tests(tests, setup_group, NULL);
}
