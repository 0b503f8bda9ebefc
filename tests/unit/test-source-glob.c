// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Patterns: what they match, what they refuse, and that none takes for ever.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "source/glob.h"

static bool name(const char *pattern, const char *text)
{
	assert_null(glob_check(pattern));
	return glob_match_name(pattern, text, strlen(text));
}

static bool path(const char *pattern, const char *text)
{
	assert_null(glob_check(pattern));
	return glob_match_path(pattern, text, strlen(text));
}

static void test_names(void **state)
{
	(void)state;
	assert_true(name("a", "a"));
	assert_false(name("a", "ab"));
	assert_false(name("ab", "a"));
	assert_true(name("*", ""));
	assert_true(name("*", ".hidden"));
	assert_true(name("**", "x"));
	assert_true(name("*.o", ".o"));
	assert_true(name("*.o", "a.b.o"));
	assert_false(name("*.o", "a.oo"));
	assert_true(name("a*b*c", "a--b--b-c"));
	assert_false(name("a*b*c", "a--c--b"));
	assert_true(name("?", "\xff"));
	assert_false(name("?", ""));
	assert_false(name("?", "\xc3\xa4"));
	assert_true(name("*\n*", "a\nb"));
	assert_true(name("user.*", "user.a/b"));
	assert_true(name("\\*", "*"));
	assert_false(name("\\*", "a"));
	assert_true(name("a\\\\b", "a\\b"));
}

static void test_sets(void **state)
{
	(void)state;
	assert_true(name("[abc]", "b"));
	assert_false(name("[abc]", "d"));
	assert_true(name("[!abc]", "d"));
	assert_false(name("[^abc]", "a"));
	assert_true(name("[a-c]x", "cx"));
	assert_false(name("[a-c]", "-"));
	assert_true(name("[a-]", "-"));
	assert_true(name("[-a]", "-"));
	assert_true(name("[]a]", "]"));
	assert_true(name("[]a]", "a"));
	assert_false(name("[!]a]", "]"));
	assert_true(name("[a\\]]", "]"));
	assert_true(name("[\\!a]", "!"));
	assert_true(name("[\x80-\xff]", "\xc3"));
	assert_false(name("[c-a]", "b"));
	assert_true(name("*[0-9]", "a1"));
	assert_true(name("\\[a]", "[a]"));
}

static void test_paths(void **state)
{
	(void)state;
	assert_true(path("a/b", "a/b"));
	assert_false(path("a/b", "x/a/b"));
	assert_false(path("a/b", "a/b/c"));
	assert_false(path("a/*", "a/b/c"));
	assert_true(path("a/*/c", "a/b/c"));
	assert_false(path("a*c", "a/c"));
	assert_false(path("a?c", "a/c"));
	assert_false(path("a[!x]c", "a/c"));
	assert_true(path("**/b", "b"));
	assert_true(path("**/b", "x/y/b"));
	assert_false(path("**/b", "x/y/bb"));
	assert_true(path("a/**/b", "a/b"));
	assert_true(path("a/**/b", "a/x/b/y/b"));
	assert_false(path("a/**/b", "a/x/b/y"));
	assert_true(path("a/**", "a/x"));
	assert_true(path("a/**", "a/x/y"));
	assert_false(path("a/**", "a"));
	assert_true(path("**/a/**/b/*.o", "a/a/c/b/b/x.o"));
	assert_true(path("a**/b", "axx/b"));
	assert_false(path("a**/b", "axx/y/b"));
}

static void test_refused(void **state)
{
	static const char *const bad[] = { "", "a\\", "[", "[a", "[]", "[!]", "[a\\", "[a\\]", "a[/]b", "a\\/b", "\\\\[" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		if (!glob_check(bad[i]))
			fail_msg("%s is taken", bad[i]);
	}
	assert_null(glob_check("a]b"));
	assert_null(glob_check("\\[a"));
}

/* Many stars over a long text that nearly fits: with backtracking into each star this would never end. */
static void test_time(void **state)
{
	char pattern[402], text[20001], deep[20001];
	clock_t start = clock();

	(void)state;
	for (size_t i = 0; i < 400; i += 2)
		memcpy(pattern + i, "*a", 2);
	strcpy(pattern + 400, "b");
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_false(name(pattern, text));
	for (size_t i = 0; i + 1 < sizeof(deep); i += 2)
		memcpy(deep + i, "a/", 2);
	deep[sizeof(deep) - 2] = '\0';
	assert_false(path("**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/b", deep));
	assert_true((clock() - start) / CLOCKS_PER_SEC < 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_sets),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
