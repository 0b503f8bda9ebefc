// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The write stage: every byte of every copy lands where the chunk map says, in as few
 * requests as promised, and a failure is remembered.
 */
#include "tests/unit/image-files.h"

#include "mkfs/write-stage.h"

#define NR_BUFFERS 24

struct stage_test {
	struct image_files images;
	struct write_stage *stage;
	struct btrfs_chunk_map *chunk;
	u8 *memory;			/* NR_BUFFERS of 1 MiB */
	struct write_buffer buffers[NR_BUFFERS];
	unsigned nr;
};

static void setup(struct stage_test *test, unsigned nr_devices, u64 profile, struct io_ring_options ring)
{
	struct write_stage_options options = { .set = &test->images.set, .ring = ring };

	memset(test, 0, sizeof(*test));
	image_files_init(&test->images, nr_devices, 64 * SZ_1M);
	ring.nr_devices = nr_devices;
	options.chunks = &test->images.alloc.chunks;
	assert_int_equal(chunk_allocate(&test->images.alloc, BTRFS_BLOCK_GROUP_METADATA | profile, 16 * SZ_1M,
					&test->chunk), 0);
	assert_int_equal(write_stage_create(&test->stage, &options), 0);
	test->memory = aligned_alloc(4096, NR_BUFFERS * SZ_1M);
	assert_non_null(test->memory);
}

static void teardown(struct stage_test *test)
{
	write_stage_destroy(test->stage);
	image_files_release(&test->images);
	free(test->memory);
}

static struct write_buffer *add(struct stage_test *test, u64 logical, u32 len)
{
	struct write_buffer *buffer = &test->buffers[test->nr];

	assert_true(test->nr < NR_BUFFERS && len <= SZ_1M);
	buffer->data = test->memory + test->nr * SZ_1M;
	buffer->logical = logical;
	buffer->len = len;
	test->nr++;
	image_fill(buffer->data, logical, len);
	assert_int_equal(write_stage_add(test->stage, buffer), 0);
	return buffer;
}

/* Every buffer comes back once. Returns how many had an error. */
static unsigned finish(struct stage_test *test)
{
	struct write_buffer *buffer;
	unsigned nr = 0, errors = 0;

	assert_int_equal(write_stage_flush(test->stage), 0);
	while ((buffer = write_stage_reap(test->stage, true))) {
		assert_true(buffer >= test->buffers && buffer < test->buffers + test->nr);
		assert_non_null(buffer->data);
		assert_int_equal(buffer->pending, 0);
		errors += buffer->error != 0;
		buffer->data = NULL;
		nr++;
	}
	assert_int_equal(nr, test->nr);
	return errors;
}

static void expect_written(const struct stage_test *test, u64 logical, u64 len)
{
	const int copies = btrfs_chunk_copies(test->chunk);
	u8 *want = malloc(len), *got = malloc(len);
	int copy;

	assert_non_null(want);
	assert_non_null(got);
	image_fill(want, logical, len);
	for (copy = 0; copy < copies; copy++) {
		image_files_read(&test->images, logical, len, copy, got);
		assert_memory_equal(got, want, len);
	}
	free(want);
	free(got);
}

/* Bytes on the devices are those of the copies, and not one more. */
static void expect_bytes(const struct stage_test *test, u64 len)
{
	u64 total = 0;
	unsigned i;

	for (i = 0; i < test->images.set.nr; i++)
		total += write_stage_bytes(test->stage, i);
	assert_int_equal(total, len * (u64)btrfs_chunk_copies(test->chunk));
}

static const struct {
	u64 profile;
	unsigned nr_devices;
} layouts[] = {
	{ 0, 1 }, { BTRFS_BLOCK_GROUP_DUP, 1 }, { BTRFS_BLOCK_GROUP_RAID0, 1 }, { BTRFS_BLOCK_GROUP_RAID0, 2 },
	{ BTRFS_BLOCK_GROUP_RAID0, 5 }, { BTRFS_BLOCK_GROUP_RAID1, 3 }, { BTRFS_BLOCK_GROUP_RAID1C3, 3 },
	{ BTRFS_BLOCK_GROUP_RAID1C4, 4 }, { BTRFS_BLOCK_GROUP_RAID10, 2 }, { BTRFS_BLOCK_GROUP_RAID10, 6 },
};

/* Lengths that meet the borders of sectors, stripe elements and windows in all ways. */
static u64 write_mixed(struct stage_test *test)
{
	static const u32 lengths[] = {
		4096, 65536 - 4096, 1 << 20, 65536, 8192, 1 << 20, (1 << 20) - 4096, 4096, 131072, 12288,
		1 << 20, 1 << 20,
	};
	u64 logical = test->chunk->start;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		add(test, logical, lengths[i]);
		logical += lengths[i];
	}
	return logical - test->chunk->start;
}

static void write_all_layouts(struct io_ring_options ring)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct stage_test test;
		u64 len;

		setup(&test, layouts[i].nr_devices, layouts[i].profile, ring);
		len = write_mixed(&test);
		assert_int_equal(finish(&test), 0);
		expect_written(&test, test.chunk->start, len);
		expect_bytes(&test, len);
		assert_int_equal(write_stage_error(test.stage), 0);
		teardown(&test);
	}
}

static void test_every_profile(void **state)
{
	(void)state;
	write_all_layouts((struct io_ring_options){ .kind = IO_RING_SYNC });
	write_all_layouts((struct io_ring_options){ .kind = IO_RING_AUTO, .depth = 3 });
}

static void test_short_transfers(void **state)
{
	(void)state;
	write_all_layouts((struct io_ring_options){ .kind = IO_RING_SYNC, .short_io = true });
	write_all_layouts((struct io_ring_options){ .kind = IO_RING_AUTO, .short_io = true });
}

/* Two streams take turns, as the levels of a tree do; both in the middle of stripe elements. */
static void test_jumps(void **state)
{
	struct stage_test test;
	u64 a, b;
	unsigned i;

	(void)state;
	setup(&test, 3, BTRFS_BLOCK_GROUP_RAID0, (struct io_ring_options){ .kind = IO_RING_AUTO });
	a = test.chunk->start + 16384;
	b = test.chunk->start + 5 * SZ_1M + 49152;
	for (i = 0; i < 10; i++) {
		add(&test, a + i * 49152, 49152);
		add(&test, b + i * 81920, 81920);
	}
	assert_int_equal(finish(&test), 0);
	expect_written(&test, a, 490000 / 4096 * 4096);
	expect_written(&test, b, 10 * 81920);
	expect_bytes(&test, 10 * (49152 + 81920));
	teardown(&test);
}

static void test_to_the_end_of_a_chunk_and_on(void **state)
{
	struct btrfs_chunk_map *next;
	struct stage_test test;
	u64 end;

	(void)state;
	setup(&test, 2, BTRFS_BLOCK_GROUP_RAID0, (struct io_ring_options){ .kind = IO_RING_SYNC });
	assert_int_equal(chunk_allocate(&test.images.alloc, BTRFS_BLOCK_GROUP_METADATA | BTRFS_BLOCK_GROUP_RAID1,
					4 * SZ_1M, &next), 0);
	end = test.chunk->start + test.chunk->length;
	assert_int_equal(next->start, end);
	add(&test, end - 98304, 98304);
	add(&test, end, 36864);
	assert_int_equal(finish(&test), 0);
	expect_written(&test, end - 98304, 98304);
	test.chunk = next;
	expect_written(&test, end, 36864);
	teardown(&test);
}

static void test_not_mapped(void **state)
{
	struct stage_test test;
	struct write_buffer buffer;

	(void)state;
	setup(&test, 1, 0, (struct io_ring_options){ .kind = IO_RING_SYNC });
	buffer = (struct write_buffer){
		.data = test.memory, .logical = test.chunk->start + test.chunk->length, .len = 4096,
	};
	assert_int_equal(write_stage_add(test.stage, &buffer), -EINVAL);
	assert_ptr_equal(write_stage_reap(test.stage, true), &buffer);	/* it still comes back */
	buffer.logical = test.chunk->start - 4096;
	assert_int_equal(write_stage_add(test.stage, &buffer), -EINVAL);
	assert_ptr_equal(write_stage_reap(test.stage, true), &buffer);
	assert_null(write_stage_reap(test.stage, true));
	teardown(&test);
}

static void test_reap_gives_nothing_unflushed(void **state)
{
	struct stage_test test;
	struct write_buffer *buffer;

	(void)state;
	setup(&test, 2, BTRFS_BLOCK_GROUP_RAID0, (struct io_ring_options){ .kind = IO_RING_AUTO });
	buffer = add(&test, test.chunk->start, 4096);
	assert_null(write_stage_reap(test.stage, true));
	assert_int_equal(write_stage_bytes(test.stage, 0), 0);
	assert_int_equal(write_stage_flush(test.stage), 0);
	assert_ptr_equal(write_stage_reap(test.stage, true), buffer);
	assert_int_equal(write_stage_flush(test.stage), 0);	/* nothing to do */
	teardown(&test);
}

/* ---- requests ---- */

/* Which request of a run fails: its length is what is missing on the devices then. 0: there is none. */
static u64 request_length(unsigned nr_devices, u64 profile, u64 number, u64 len)
{
	struct stage_test test;
	u64 written = 0, logical;
	unsigned i, errors;

	setup(&test, nr_devices, profile,
	      (struct io_ring_options){ .kind = IO_RING_NULL, .fail_at = number, .fail_errno = EIO });
	for (logical = 0; logical < len; logical += SZ_1M)
		add(&test, test.chunk->start + logical, (u32)MIN(SZ_1M, len - logical));
	errors = finish(&test);
	for (i = 0; i < nr_devices; i++)
		written += write_stage_bytes(test.stage, i);
	written = len * (u64)btrfs_chunk_copies(test.chunk) - written;
	assert_int_equal(write_stage_error(test.stage), written ? -EIO : 0);
	assert_int_equal(errors > 0, written > 0);
	teardown(&test);
	return written;
}

/* One request of 1 MiB for each device and MiB, however many stripe elements that is. */
static void test_requests_of_raid0(void **state)
{
	u64 number;

	(void)state;
	for (number = 1; number <= 8; number++)
		assert_int_equal(request_length(4, BTRFS_BLOCK_GROUP_RAID0, number, 8 * SZ_1M), SZ_1M);
	assert_int_equal(request_length(4, BTRFS_BLOCK_GROUP_RAID0, 9, 8 * SZ_1M), 0);
}

static void test_requests_of_others(void **state)
{
	u64 number;

	(void)state;
	for (number = 1; number <= 6; number++) {
		assert_int_equal(request_length(1, 0, number, 6 * SZ_1M), SZ_1M);
		assert_int_equal(request_length(2, BTRFS_BLOCK_GROUP_RAID1, number, 3 * SZ_1M), SZ_1M);
		assert_int_equal(request_length(1, BTRFS_BLOCK_GROUP_DUP, number, 3 * SZ_1M), SZ_1M);
	}
	assert_int_equal(request_length(1, 0, 7, 6 * SZ_1M), 0);
	assert_int_equal(request_length(2, BTRFS_BLOCK_GROUP_RAID1, 7, 3 * SZ_1M), 0);
	assert_int_equal(request_length(1, BTRFS_BLOCK_GROUP_DUP, 7, 3 * SZ_1M), 0);
	/* two pairs of devices, two windows of 2 MiB */
	for (number = 1; number <= 8; number++)
		assert_int_equal(request_length(4, BTRFS_BLOCK_GROUP_RAID10, number, 4 * SZ_1M), SZ_1M);
	assert_int_equal(request_length(4, BTRFS_BLOCK_GROUP_RAID10, 9, 4 * SZ_1M), 0);
}

static void test_a_window_that_is_not_full(void **state)
{
	(void)state;
	/* 24 elements over 4 devices: 6 elements each */
	assert_int_equal(request_length(4, BTRFS_BLOCK_GROUP_RAID0, 1, 24 * SZ_64K), 6 * SZ_64K);
	assert_int_equal(request_length(4, BTRFS_BLOCK_GROUP_RAID0, 4, 24 * SZ_64K), 6 * SZ_64K);
	assert_int_equal(request_length(4, BTRFS_BLOCK_GROUP_RAID0, 5, 24 * SZ_64K), 0);
}

/* ---- failures ---- */

static void test_error_is_sticky(void **state)
{
	struct stage_test test;
	struct write_buffer *first, *second;

	(void)state;
	setup(&test, 2, BTRFS_BLOCK_GROUP_RAID1,
	      (struct io_ring_options){ .kind = IO_RING_SYNC, .fail_at = 2, .fail_errno = ENOSPC });
	first = add(&test, test.chunk->start, 65536);
	assert_int_equal(write_stage_flush(test.stage), 0);
	assert_ptr_equal(write_stage_reap(test.stage, true), first);
	assert_int_equal(first->error, -ENOSPC);
	assert_int_equal(write_stage_error(test.stage), -ENOSPC);
	second = add(&test, test.chunk->start + 65536, 65536);
	assert_int_equal(write_stage_flush(test.stage), 0);
	assert_ptr_equal(write_stage_reap(test.stage, true), second);
	assert_int_equal(second->error, 0);	/* its own writes went well */
	assert_int_equal(write_stage_error(test.stage), -ENOSPC);
	assert_null(write_stage_reap(test.stage, true));
	/* one copy of the first is missing */
	assert_int_equal(write_stage_bytes(test.stage, 0) + write_stage_bytes(test.stage, 1), 3 * 65536);
	teardown(&test);
}

static void test_read_only_file(void **state)
{
	struct stage_test test;
	int fd;

	(void)state;
	setup(&test, 1, 0, (struct io_ring_options){ .kind = IO_RING_AUTO });
	fd = test.images.devices[0].fd;
	test.images.devices[0].fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	write_mixed(&test);
	assert_int_equal(finish(&test), test.nr);
	assert_int_equal(write_stage_error(test.stage), -EBADF);
	expect_bytes(&test, 0);
	close(fd);
	teardown(&test);
}

static void test_destroyed_in_the_middle(void **state)
{
	struct stage_test test;

	(void)state;
	setup(&test, 3, BTRFS_BLOCK_GROUP_RAID0, (struct io_ring_options){ .kind = IO_RING_AUTO });
	write_mixed(&test);
	teardown(&test);	/* requests under way, and a window that is open */
	write_stage_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_profile),
		cmocka_unit_test(test_short_transfers),
		cmocka_unit_test(test_jumps),
		cmocka_unit_test(test_to_the_end_of_a_chunk_and_on),
		cmocka_unit_test(test_not_mapped),
		cmocka_unit_test(test_reap_gives_nothing_unflushed),
		cmocka_unit_test(test_requests_of_raid0),
		cmocka_unit_test(test_requests_of_others),
		cmocka_unit_test(test_a_window_that_is_not_full),
		cmocka_unit_test(test_error_is_sticky),
		cmocka_unit_test(test_read_only_file),
		cmocka_unit_test(test_destroyed_in_the_middle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
