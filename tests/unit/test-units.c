// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sizes as people write and read them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>

#include "common/units.h"

static void test_good_sizes(void **state)
{
	static const struct {
		const char *text;
		u64 bytes;
	} good[] = {
		{ "0", 0 },
		{ "1", 1 },
		{ "007", 7 },
		{ "512b", 512 },
		{ "512B", 512 },
		{ "1k", 1024 },
		{ "1K", 1024 },
		{ "1KB", 1024 },
		{ "1kiB", 1024 },
		{ "1KIB", 1024 },
		{ "3m", 3 << 20 },
		{ "2G", 2ULL << 30 },
		{ "5TiB", 5ULL << 40 },
		{ "6p", 6ULL << 50 },
		{ "15E", 15ULL << 60 },
		{ "18446744073709551615", UINT64_MAX },
		{ "16777215T", 16777215ULL << 40 },
	};
	unsigned i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		u64 bytes = 99;

		if (parse_size(good[i].text, &bytes) || bytes != good[i].bytes)
			fail_msg("%s gives %llu", good[i].text, (unsigned long long)bytes);
	}
}

static void test_bad_sizes(void **state)
{
	static const char *const bad[] = {
		"", " ", "k", "-1", "+1", " 1", "1 ", "1 k", "1kk", "1ki", "1kib2", "1iB", "1bB", "0x10",
		"1.5G", "1,5", "1x", "1kx", "one", "1e5",
	};
	static const char *const big[] = {
		"18446744073709551616", "99999999999999999999999", "16E", "18014398509481984K", "16777216TiB",
	};
	unsigned i;
	u64 bytes = 99;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		if (parse_size(bad[i], &bytes) != -EINVAL)
			fail_msg("\"%s\" is taken for a size", bad[i]);
	for (i = 0; i < ARRAY_SIZE(big); i++)
		if (parse_size(big[i], &bytes) != -ERANGE)
			fail_msg("\"%s\" is taken to fit", big[i]);
	assert_int_equal(bytes, 99);
}

static void test_numbers(void **state)
{
	u64 value = 99;

	(void)state;
	assert_int_equal(parse_u64("1k", &value), -EINVAL);
	assert_int_equal(parse_u64("", &value), -EINVAL);
	assert_int_equal(parse_u64("-5", &value), -EINVAL);
	assert_int_equal(parse_u64("5 ", &value), -EINVAL);
	assert_int_equal(parse_u64("18446744073709551616", &value), -ERANGE);
	assert_int_equal(value, 99);
	assert_int_equal(parse_u64("0", &value), 0);
	assert_int_equal(value, 0);
	assert_int_equal(parse_u64("18446744073709551615", &value), 0);
	assert_true(value == UINT64_MAX);
}

static void test_format(void **state)
{
	(void)state;
	assert_string_equal(format_size(0).text, "0B");
	assert_string_equal(format_size(1023).text, "1023B");
	assert_string_equal(format_size(1024).text, "1.00KiB");
	assert_string_equal(format_size(1536).text, "1.50KiB");
	assert_string_equal(format_size(SZ_1M - 1).text, "1.00MiB");
	assert_string_equal(format_size(SZ_1G - 1).text, "1.00GiB");
	assert_string_equal(format_size(SZ_1G - 10 * SZ_1M).text, "1014.00MiB");
	assert_string_equal(format_size(5 * SZ_1G / 2).text, "2.50GiB");
	assert_string_equal(format_size((u64)1 << 60).text, "1.00EiB");
	assert_string_equal(format_size(UINT64_MAX).text, "16.00EiB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_sizes),
		cmocka_unit_test(test_bad_sizes),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
