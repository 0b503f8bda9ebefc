// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The write stage over raid5 and raid6: whatever comes, in whatever order, every row that is touched has
 * the parity of what is on the devices, nothing unwritten takes part in it, and rows that nobody touched stay
 * untouched.
 */
#include "tests/unit/image-files.h"

#include "kernel-shared/raid56.h"
#include "mkfs/write-stage.h"

#define NR_BUFFERS	64
#define DIRT		0xd5	/* what was on the devices before */

struct parity_test {
	struct image_files images;
	struct write_stage *stage;
	struct btrfs_chunk_map *chunk;
	struct write_buffer buffers[NR_BUFFERS];
	unsigned nr;
	bool touched[4096];		/* rows */
};

static void fill_devices(const struct image_files *images)
{
	u8 *dirt = malloc(SZ_1M);
	unsigned i;
	u64 at;

	assert_non_null(dirt);
	memset(dirt, DIRT, SZ_1M);
	for (i = 0; i < images->set.nr; i++) {
		for (at = 0; at < 24 * SZ_1M; at += SZ_1M)
			assert_int_equal(pwrite(images->devices[i].fd, dirt, SZ_1M, (off_t)at), SZ_1M);
	}
	free(dirt);
}

static void setup(struct parity_test *test, unsigned nr_devices, u64 profile, struct io_ring_options ring)
{
	struct write_stage_options options = { .set = &test->images.set, .ring = ring };

	memset(test, 0, sizeof(*test));
	image_files_init(&test->images, nr_devices, 64 * SZ_1M);
	fill_devices(&test->images);
	options.ring.nr_devices = nr_devices;
	options.chunks = &test->images.alloc.chunks;
	assert_int_equal(chunk_allocate(&test->images.alloc, BTRFS_BLOCK_GROUP_METADATA | profile, 16 * SZ_1M,
					&test->chunk), 0);
	assert_int_equal(write_stage_create(&test->stage, &options), 0);
}

static void teardown(struct parity_test *test)
{
	unsigned i;

	write_stage_destroy(test->stage);
	for (i = 0; i < test->nr; i++)
		free(test->buffers[i].data);
	image_files_release(&test->images);
}

/* @offset: from the chunk's start. */
static void add(struct parity_test *test, u64 offset, u32 len)
{
	struct write_buffer *buffer = &test->buffers[test->nr++];
	const u64 row_bytes = btrfs_raid56_row_bytes(test->chunk);
	u64 row;

	assert_true(test->nr <= NR_BUFFERS);
	buffer->data = aligned_alloc(4096, len);
	assert_non_null(buffer->data);
	buffer->logical = test->chunk->start + offset;
	buffer->len = len;
	image_fill(buffer->data, buffer->logical, len);
	for (row = offset / row_bytes; row <= (offset + len - 1) / row_bytes; row++)
		test->touched[row] = true;
	assert_int_equal(write_stage_add(test->stage, buffer), 0);
}

static void finish(struct parity_test *test)
{
	unsigned nr = 0;

	assert_int_equal(write_stage_finish(test->stage), 0);
	while (write_stage_reap(test->stage, true))
		nr++;
	assert_int_equal(nr, test->nr);
	assert_int_equal(write_stage_finish(test->stage), 0);	/* nothing is left to do */
	assert_null(write_stage_reap(test->stage, true));
}

static bool was_written(const struct parity_test *test, u64 logical)
{
	unsigned i;

	for (i = 0; i < test->nr; i++) {
		if (logical >= test->buffers[i].logical &&
		    logical - test->buffers[i].logical < test->buffers[i].len)
			return true;
	}
	return false;
}

static void read_element(const struct parity_test *test, u64 row, u16 column, u8 *to)
{
	const struct btrfs_map_stripe *stripe = &test->chunk->stripes[btrfs_raid56_stripe(test->chunk, row, column)];

	assert_int_equal(pread(test->images.devices[stripe->devid - 1].fd, to, SZ_64K,
			       (off_t)(stripe->physical + row * SZ_64K)), SZ_64K);
}

static void expect_data(const struct parity_test *test, u64 logical, const u8 *element, bool touched)
{
	u64 at, i;

	for (at = 0; at < SZ_64K; at += SZ_4K) {
		const bool written = was_written(test, logical + at);

		for (i = at; i < at + SZ_4K; i++) {
			const u8 want = written ? image_byte(logical + i) : touched ? 0 : DIRT;

			if (element[i] != want)
				fail_msg("logical %llu: 0x%x, not 0x%x", (unsigned long long)(logical + i),
					 element[i], want);
		}
	}
}

static void expect_row(const struct parity_test *test, u64 row, u8 *memory)
{
	const u16 nr_data = btrfs_raid56_data(test->chunk);
	const u16 nr_parity = (u16)(test->chunk->num_stripes - nr_data);
	struct btrfs_raid56_row want = { .nr_data = nr_data, .nr_parity = nr_parity, .len = SZ_64K };
	u64 start = test->chunk->start + row * btrfs_raid56_row_bytes(test->chunk);
	u8 *got = memory + 16 * SZ_64K;
	u16 i;

	for (i = 0; i < nr_data + nr_parity; i++)
		want.columns[i] = memory + i * SZ_64K;
	for (i = 0; i < nr_data; i++) {
		read_element(test, row, i, want.columns[i]);
		expect_data(test, start + i * SZ_64K, want.columns[i], test->touched[row]);
	}
	btrfs_raid56_generate(&want);
	for (i = 0; i < nr_parity; i++) {
		read_element(test, row, (u16)(nr_data + i), got);
		if (!test->touched[row])
			memset(want.columns[nr_data + i], DIRT, SZ_64K);
		if (memcmp(got, want.columns[nr_data + i], SZ_64K))
			fail_msg("parity %u of row %llu", i, (unsigned long long)row);
	}
}

static void expect_all(const struct parity_test *test)
{
	u8 *memory = aligned_alloc(4096, 17 * SZ_64K);
	u64 row, rows = 0, total = 0;
	unsigned i;

	assert_non_null(memory);
	for (row = 0; row < test->chunk->stripe_size / SZ_64K; row++) {
		expect_row(test, row, memory);
		rows += test->touched[row];
	}
	free(memory);
	/* each byte of what is touched was written once */
	for (i = 0; i < test->images.set.nr; i++)
		total += write_stage_bytes(test->stage, i);
	assert_int_equal(total, rows * test->chunk->num_stripes * SZ_64K);
}

/* Lengths that meet the borders of sectors, stripe elements, rows and windows in all ways. */
static void write_mixed(struct parity_test *test)
{
	static const u32 lengths[] = {
		4096, 65536 - 4096, 1 << 20, 65536, 8192, 1 << 20, (1 << 20) - 4096, 4096, 131072, 12288,
		1 << 20, 1 << 20, 20480,
	};
	u64 offset = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		add(test, offset, lengths[i]);
		offset += lengths[i];
	}
}

/* Three streams take turns, as the levels of a tree do; the later ones end where the earlier began. */
static void write_jumps(struct parity_test *test)
{
	const u64 a = 16384, b = a + 10 * 49152, c = b + 10 * 81920;
	unsigned i;

	for (i = 0; i < 10; i++) {
		add(test, a + i * 49152, 49152);
		add(test, c + i * 16384, 16384);
		if (i % 3 == 0)
			assert_int_equal(write_stage_flush(test->stage), 0);
		add(test, b + i * 81920, 81920);
	}
}

/* One part of 4 KiB in a row of its own here and there. */
static void write_specks(struct parity_test *test)
{
	const u64 row = btrfs_raid56_row_bytes(test->chunk);

	add(test, 0, 4096);
	add(test, 3 * row - 4096, 4096);
	add(test, 5 * row - 4096, 8192);
	add(test, 9 * row + row / 2, 4096);
	add(test, 9 * row + 4096, 4096);
}

static void (*const writers[])(struct parity_test *test) = { write_mixed, write_jumps, write_specks };

static void write_all(struct io_ring_options ring)
{
	static const struct {
		u64 profile;
		unsigned nr_devices;
	} layouts[] = {
		{ BTRFS_BLOCK_GROUP_RAID5, 2 }, { BTRFS_BLOCK_GROUP_RAID5, 3 }, { BTRFS_BLOCK_GROUP_RAID5, 4 },
		{ BTRFS_BLOCK_GROUP_RAID5, 7 }, { BTRFS_BLOCK_GROUP_RAID6, 3 }, { BTRFS_BLOCK_GROUP_RAID6, 4 },
		{ BTRFS_BLOCK_GROUP_RAID6, 5 }, { BTRFS_BLOCK_GROUP_RAID6, 8 },
	};
	size_t i, w;

	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		for (w = 0; w < ARRAY_SIZE(writers); w++) {
			struct parity_test test;

			setup(&test, layouts[i].nr_devices, layouts[i].profile, ring);
			writers[w](&test);
			finish(&test);
			expect_all(&test);
			assert_int_equal(write_stage_error(test.stage), 0);
			teardown(&test);
		}
	}
}

static void test_sync(void **state)
{
	(void)state;
	write_all((struct io_ring_options){ .kind = IO_RING_SYNC });
}

static void test_uring(void **state)
{
	(void)state;
	write_all((struct io_ring_options){ .kind = IO_RING_AUTO, .depth = 3 });
}

static void test_short_transfers(void **state)
{
	(void)state;
	write_all((struct io_ring_options){ .kind = IO_RING_AUTO, .short_io = true });
}

/* ---- requests and failures ---- */

/* Bytes that are missing when request number @number of @len bytes fails; 0: there are fewer. */
static u64 request_length(u64 profile, unsigned nr_devices, u64 number, u32 len)
{
	struct parity_test test;
	u64 written = 0, rows, row_bytes;
	u32 offset;
	unsigned i;

	setup(&test, nr_devices, profile,
	      (struct io_ring_options){ .kind = IO_RING_NULL, .fail_at = number, .fail_errno = EIO });
	row_bytes = btrfs_raid56_row_bytes(test.chunk);
	rows = (len + row_bytes - 1) / row_bytes;
	for (offset = 0; offset < len; offset += SZ_1M)
		add(&test, offset, (u32)MIN(SZ_1M, len - offset));
	finish(&test);
	for (i = 0; i < nr_devices; i++)
		written += write_stage_bytes(test.stage, i);
	written = rows * nr_devices * SZ_64K - written;
	assert_int_equal(write_stage_error(test.stage), written ? -EIO : 0);
	teardown(&test);
	return written;
}

/* Parity does not cut the runs of data: 1 MiB for each device and window. */
static void test_requests(void **state)
{
	u64 number;

	(void)state;
	for (number = 1; number <= 8; number++) {
		assert_int_equal(request_length(BTRFS_BLOCK_GROUP_RAID5, 4, number, 6 * SZ_1M), SZ_1M);
		assert_int_equal(request_length(BTRFS_BLOCK_GROUP_RAID6, 4, number, 4 * SZ_1M), SZ_1M);
	}
	assert_int_equal(request_length(BTRFS_BLOCK_GROUP_RAID5, 4, 9, 6 * SZ_1M), 0);
	assert_int_equal(request_length(BTRFS_BLOCK_GROUP_RAID6, 4, 9, 4 * SZ_1M), 0);
}

static void test_destroyed_in_the_middle(void **state)
{
	struct parity_test test;

	(void)state;
	setup(&test, 4, BTRFS_BLOCK_GROUP_RAID6, (struct io_ring_options){ .kind = IO_RING_AUTO });
	write_mixed(&test);
	write_stage_destroy(test.stage);
	test.stage = NULL;
	teardown(&test);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sync),
		cmocka_unit_test(test_uring),
		cmocka_unit_test(test_short_transfers),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_destroyed_in_the_middle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
