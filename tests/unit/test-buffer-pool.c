// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The buffer pool: a fixed number of distinct, aligned buffers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "io/buffer-pool.h"

static void test_fixed_number(void **state)
{
	struct buffer_pool *pool;
	void *buffers[4];
	unsigned i;

	(void)state;
	assert_int_equal(buffer_pool_create(&pool, 4 * 8192 + 100, 8192), 0);
	assert_int_equal(buffer_pool_nr(pool), 4);
	for (i = 0; i < 4; i++) {
		assert_int_equal(buffer_pool_free(pool), 4 - i);
		buffers[i] = buffer_pool_get(pool);
		assert_non_null(buffers[i]);
		assert_int_equal((uintptr_t)buffers[i] % 4096, 0);
		memset(buffers[i], (int)i + 1, 8192);
	}
	assert_null(buffer_pool_get(pool));
	assert_int_equal(buffer_pool_free(pool), 0);
	for (i = 0; i < 4; i++) {
		const u8 *bytes = buffers[i];

		/* a neighbour that overlaps would have written its own number here */
		assert_int_equal(bytes[0], i + 1);
		assert_int_equal(bytes[8191], i + 1);
	}
	buffer_pool_put(pool, buffers[2]);
	assert_ptr_equal(buffer_pool_get(pool), buffers[2]);
	assert_null(buffer_pool_get(pool));
	for (i = 0; i < 4; i++)
		buffer_pool_put(pool, buffers[i]);
	assert_int_equal(buffer_pool_free(pool), 4);
	buffer_pool_destroy(pool);
}

static void test_at_least_two(void **state)
{
	struct buffer_pool *pool;

	(void)state;
	assert_int_equal(buffer_pool_create(&pool, 0, SZ_1M), 0);
	assert_int_equal(buffer_pool_nr(pool), 2);
	assert_non_null(buffer_pool_get(pool));
	assert_non_null(buffer_pool_get(pool));
	assert_null(buffer_pool_get(pool));
	buffer_pool_destroy(pool);
	buffer_pool_destroy(NULL);
}

static void test_impossible_sizes(void **state)
{
	struct buffer_pool *pool;

	(void)state;
	assert_int_equal(buffer_pool_create(&pool, SZ_1M, 0), -EINVAL);
	assert_int_equal(buffer_pool_create(&pool, SZ_1M, 5000), -EINVAL);
	assert_int_equal(buffer_pool_create(&pool, 0, (SIZE_MAX / 2 + 1)), -ENOMEM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixed_number),
		cmocka_unit_test(test_at_least_two),
		cmocka_unit_test(test_impossible_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
