// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The spool: what goes in comes out, from memory, from the file, and from the part between.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mkfs/spool.h"

static u8 byte_at(u64 position)
{
	return (u8)(position * 31 + (position >> 11));
}

/* Appends up to @size bytes, in pieces of changing length. */
static void fill(struct spool *spool, u64 size)
{
	u8 piece[7001];
	u32 step = 1;

	while (spool_size(spool) < size) {
		u64 at = spool_size(spool);
		size_t len = (size_t)MIN(size - at, (u64)step), i;

		for (i = 0; i < len; i++)
			piece[i] = byte_at(at + i);
		assert_int_equal(spool_append(spool, piece, len), 0);
		assert_int_equal(spool_size(spool), at + len);
		step = (step * 5 + 3) % sizeof(piece) + 1;
	}
}

static void expect_bytes(struct spool *spool, u64 start, size_t buffer_size, size_t step)
{
	struct spool_reader reader;
	u64 at = start, size = spool_size(spool);
	u8 *piece = malloc(step);

	assert_non_null(piece);
	assert_int_equal(spool_reader_init(&reader, spool, start, buffer_size), 0);
	while (at < size) {
		size_t len = (size_t)MIN(size - at, (u64)step), i;

		assert_int_equal(spool_read(&reader, piece, len), 0);
		for (i = 0; i < len; i++)
			assert_int_equal(piece[i], byte_at(at + i));
		at += len;
	}
	assert_int_equal(spool_read(&reader, piece, 1), -ENODATA);
	assert_int_equal(spool_read(&reader, piece, 0), 0);
	spool_reader_release(&reader);
	free(piece);
}

static void check_size(u64 size)
{
	struct spool *spool;

	assert_int_equal(spool_create(&spool, SZ_1M), 0);
	fill(spool, size);
	expect_bytes(spool, 0, 0, 65536);
	expect_bytes(spool, 0, 4096, 4099);
	expect_bytes(spool, size / 3, 1000, 777);
	expect_bytes(spool, size, 0, 16);
	spool_destroy(spool);
}

static void test_sizes(void **state)
{
	/* 1 MiB stays in memory, 1 MiB is the unit of writing to the file */
	const u64 sizes[] = { 0, 1, SZ_1M - 1, SZ_1M, SZ_1M + 1, 2 * SZ_1M - 1, 2 * SZ_1M, 2 * SZ_1M + 1,
			      3 * SZ_1M + 12345 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		check_size(sizes[i]);
}

static void test_more_memory(void **state)
{
	struct spool *spool;

	(void)state;
	assert_int_equal(spool_create(&spool, 3 * SZ_1M + 5), 0);
	fill(spool, 5 * SZ_1M + 99);
	expect_bytes(spool, 0, 0, 100000);
	spool_destroy(spool);
}

static void test_too_long_a_read_takes_nothing(void **state)
{
	struct spool_reader reader;
	struct spool *spool;
	u8 bytes[8];

	(void)state;
	assert_int_equal(spool_create(&spool, 0), 0);
	fill(spool, 4);
	assert_int_equal(spool_reader_init(&reader, spool, 0, 0), 0);
	assert_int_equal(spool_read(&reader, bytes, 5), -ENODATA);
	assert_int_equal(spool_read(&reader, bytes, 4), 0);
	assert_int_equal(bytes[3], byte_at(3));
	spool_reader_release(&reader);
	spool_destroy(spool);
}

static void test_two_readers(void **state)
{
	struct spool_reader a, b;
	struct spool *spool;
	u8 bytes[2][5000];
	int i;

	(void)state;
	assert_int_equal(spool_create(&spool, SZ_1M), 0);
	fill(spool, 3 * SZ_1M);
	assert_int_equal(spool_reader_init(&a, spool, SZ_1M - 10000, 4096), 0);
	assert_int_equal(spool_reader_init(&b, spool, SZ_1M - 10000, 1 << 20), 0);
	for (i = 0; i < 200; i++) {
		assert_int_equal(spool_read(&a, bytes[0], sizeof(bytes[0])), 0);
		assert_int_equal(spool_read(&b, bytes[1], sizeof(bytes[1])), 0);
		assert_memory_equal(bytes[0], bytes[1], sizeof(bytes[0]));
		assert_int_equal(bytes[0][0], byte_at(SZ_1M - 10000 + (u64)i * 5000));
	}
	spool_reader_release(&a);
	spool_reader_release(&b);
	spool_destroy(spool);
}

static void test_no_folder(void **state)
{
	struct spool *spool;
	u8 *piece = calloc(1, SZ_1M);
	char *old = getenv("TMPDIR");
	char *saved = old ? strdup(old) : NULL;

	(void)state;
	assert_non_null(piece);
	assert_int_equal(spool_create(&spool, SZ_1M), 0);
	assert_int_equal(spool_append(spool, piece, SZ_1M), 0);
	setenv("TMPDIR", "/nonexistent/folder", 1);
	assert_int_equal(spool_append(spool, piece, 1), -ENOENT);
	assert_int_equal(spool_append(spool, piece, 1), -ENOENT);
	if (saved)
		setenv("TMPDIR", saved, 1);
	else
		unsetenv("TMPDIR");
	free(saved);
	spool_destroy(spool);
	spool_destroy(NULL);
	free(piece);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_more_memory),
		cmocka_unit_test(test_too_long_a_read_takes_nothing),
		cmocka_unit_test(test_two_readers),
		cmocka_unit_test(test_no_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
