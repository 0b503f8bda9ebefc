// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reader/bytenr-set: membership through many growths.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reader/bytenr-set.h"

static void test_add_and_find(void **state)
{
	struct bytenr_set set = { 0 };
	u64 i;

	(void)state;
	assert_false(bytenr_set_has(&set, 4096));
	for (i = 1; i <= 20000; i++)
		assert_int_equal(bytenr_set_add(&set, i * 16384), 1);
	for (i = 1; i <= 20000; i++) {
		assert_int_equal(bytenr_set_add(&set, i * 16384), 0);
		assert_true(bytenr_set_has(&set, i * 16384));
		assert_false(bytenr_set_has(&set, i * 16384 + 4096));
	}
	assert_int_equal(set.nr, 20000);
	assert_true(set.capacity >= 2 * set.nr);
	bytenr_set_release(&set);
}

static void test_zero_and_max(void **state)
{
	struct bytenr_set set = { 0 };

	(void)state;
	assert_false(bytenr_set_has(&set, 0));
	assert_int_equal(bytenr_set_add(&set, 0), 1);
	assert_int_equal(bytenr_set_add(&set, 0), 0);
	assert_true(bytenr_set_has(&set, 0));
	assert_int_equal(bytenr_set_add(&set, (u64)-1), 1);
	assert_true(bytenr_set_has(&set, (u64)-1));
	bytenr_set_release(&set);
	assert_false(bytenr_set_has(&set, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add_and_find),
		cmocka_unit_test(test_zero_and_max),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
