// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Printable forms of hostile names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "common/escape.h"

static void check(const char *bytes, size_t len, const char *expected)
{
	bool same = strlen(expected) == len && !memcmp(bytes, expected, len);
	bool changed = same;
	char *text = escape_bytes(bytes, len, &changed);

	assert_non_null(text);
	assert_string_equal(text, expected);
	assert_int_equal(changed, !same);
	free(text);
	text = escape_bytes(bytes, len, NULL);
	assert_string_equal(text, expected);
	free(text);
}

#define CHECK(bytes, expected) check((bytes), sizeof(bytes) - 1, (expected))

static void test_plain(void **state)
{
	(void)state;
	CHECK("", "");
	CHECK("plain name.txt", "plain name.txt");
	CHECK("gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f");
	CHECK("\xe2\x82\xac \xf0\x9f\x98\x80", "\xe2\x82\xac \xf0\x9f\x98\x80");
	CHECK("'\"%s", "'\"%s");
}

static void test_controls(void **state)
{
	(void)state;
	CHECK("a\nb\tc\\d", "a\\nb\\tc\\\\d");
	CHECK("\x1b[2J\r\x07", "\\x1b[2J\\x0d\\x07");
	CHECK("\x7f", "\\x7f");
	CHECK("a\0b", "a\\x00b");
	/* C1: a terminal takes U+009B as ESC [ */
	CHECK("\xc2\x9b" "2J", "\\xc2\\x9b2J");
	CHECK("\xc2\xa0", "\xc2\xa0");
}

static void test_broken_utf8(void **state)
{
	(void)state;
	CHECK("\xff\xfe", "\\xff\\xfe");
	CHECK("\x80", "\\x80");
	CHECK("\xc0\xaf", "\\xc0\\xaf");			/* overlong */
	CHECK("\xe0\x80\xaf", "\\xe0\\x80\\xaf");
	CHECK("\xf0\x80\x80\xaf", "\\xf0\\x80\\x80\\xaf");
	CHECK("\xed\xa0\x80", "\\xed\\xa0\\x80");		/* surrogate */
	CHECK("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");	/* beyond U+10FFFF */
	CHECK("\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80");
	CHECK("\xc3", "\\xc3");					/* cut off */
	CHECK("\xe2\x82", "\\xe2\\x82");
	CHECK("\xf0\x9f\x98", "\\xf0\\x9f\\x98");
	CHECK("\xe2\x82 x", "\\xe2\\x82 x");
	CHECK("\xc3\n", "\\xc3\\n");
}

/* Every single byte, and no read behind the end (the sanitizer watches). */
static void test_single_bytes(void **state)
{
	unsigned byte;

	(void)state;
	for (byte = 0; byte < 256; byte++) {
		u8 *one = malloc(1);
		char *text;

		assert_non_null(one);
		*one = (u8)byte;
		text = escape_bytes(one, 1, NULL);
		assert_non_null(text);
		assert_int_equal(utf8_sequence(one, 1), byte < 0x80);
		assert_int_equal(strlen(text) == 1, byte >= 0x20 && byte < 0x7f && byte != '\\');
		free(text);
		free(one);
	}
	assert_int_equal(utf8_sequence((const u8 *)"", 0), 0);
}

static void test_impossible_length(void **state)
{
	(void)state;
	assert_null(escape_bytes("", SIZE_MAX / 2, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_controls),
		cmocka_unit_test(test_broken_utf8),
		cmocka_unit_test(test_single_bytes),
		cmocka_unit_test(test_impossible_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
