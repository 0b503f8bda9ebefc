// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Totals of a tree, and the set that counts hard links once.
 */
#include "tests/unit/source-tree.h"

#include "source/link-set.h"

static int survey_tree(struct source_totals *totals)
{
	const struct source_options options = { .path = "top" };

	return source_survey(&options, 4096, 2048, totals);
}

static void make_sized(const char *path, size_t size)
{
	char *data = calloc(1, size + 1);

	memset(data, 'd', size);
	make_file(path, data, size);
	free(data);
}

static void test_totals(void **state)
{
	struct source_totals totals;

	(void)state;
	mkdir("top/d", 0755);
	make_sized("top/inline", 2048);
	make_sized("top/d/one", 2049);
	make_sized("top/d/two", 4097);
	make_sized("top/d/zero", 0);
	assert_int_equal(symlink("x", "top/l"), 0);
	assert_int_equal(mkfifo("top/p", 0600), 0);
	assert_int_equal(survey_tree(&totals), 0);
	assert_int_equal(totals.entries, 8);
	assert_int_equal(totals.directories, 2);
	assert_int_equal(totals.files, 4);
	assert_int_equal(totals.bytes, 2048 + 2049 + 4097);
	assert_int_equal(totals.inline_bytes, 2048);
	assert_int_equal(totals.data_sectors, 1 + 2);
	assert_int_equal(totals.name_bytes, 1 + 6 + 3 + 3 + 4 + 1 + 1);
}

static void test_links_count_once(void **state)
{
	struct source_totals totals;
	char path[32];

	(void)state;
	make_sized("top/f", 100000);
	for (unsigned i = 0; i < 100; i++) {
		snprintf(path, sizeof(path), "top/link%u", i);
		assert_int_equal(link("top/f", path), 0);
	}
	assert_int_equal(survey_tree(&totals), 0);
	assert_int_equal(totals.entries, 102);
	assert_int_equal(totals.files, 1);
	assert_int_equal(totals.bytes, 100000);
	assert_int_equal(totals.data_sectors, 25);
}

static void test_sparse(void **state)
{
	struct source_totals totals;
	struct stat st;
	int fd = open("top/f", O_CREAT | O_WRONLY, 0644);

	(void)state;
	if (ftruncate(fd, (off_t)1 << 40) < 0)
		skip();
	assert_int_equal(pwrite(fd, "x", 1, (off_t)1 << 39), 1);
	fstat(fd, &st);
	close(fd);
	assert_int_equal(survey_tree(&totals), 0);
	assert_int_equal(totals.bytes, st.st_blocks * 512);
	assert_int_equal(totals.data_sectors, (st.st_blocks * 512 + 4095) / 4096);
}

static void test_unreadable(void **state)
{
	struct source_totals totals;
	int ret;

	(void)state;
	make_sized("top/secret", 10);
	make_sized("top/lock", 0);
	chmod("top/lock", 0);
	chmod(".", 0755);
	if (geteuid() == 0 && seteuid(65534) < 0)
		skip();
	ret = survey_tree(&totals);
	assert_int_equal(ret, 0);	/* an empty file has no data to read */
	assert_int_equal(seteuid(getuid()), 0);
	chmod("top/secret", 0);
	assert_int_equal(seteuid(geteuid() == 0 ? 65534 : geteuid()), 0);
	ret = survey_tree(&totals);
	assert_int_equal(seteuid(getuid()), 0);
	assert_int_equal(ret, -EACCES);
}

static void test_missing_top(void **state)
{
	const struct source_options options = { .path = "nothing" };
	struct source_totals totals;

	(void)state;
	assert_int_equal(source_survey(&options, 4096, 2048, &totals), -ENOENT);
}

static void test_target_inside(void **state)
{
	struct source_options options = { .path = "top", .nr_skip = 1 };
	struct source_identity identity;
	struct source_totals totals;
	struct stat st;

	(void)state;
	make_sized("top/image", 100000);
	assert_int_equal(stat("top/image", &st), 0);
	identity = (struct source_identity){ .dev = st.st_dev, .ino = st.st_ino };
	options.skip = &identity;
	assert_int_equal(source_survey(&options, 4096, 2048, &totals), -EINVAL);
}

static void test_link_set(void **state)
{
	struct link_set set = { 0 };

	(void)state;
	for (u64 i = 0; i < 5000; i++)
		assert_int_equal(link_set_add(&set, i % 3, i << 32 | (i & 1), (u32)i % 5), 1);
	for (u64 i = 0; i < 5000; i++)
		assert_int_equal(link_set_add(&set, i % 3, i << 32 | (i & 1), (u32)i % 5), 0);
	assert_int_equal(link_set_add(&set, 7, 0, 9), 1);
	assert_int_equal(link_set_add(&set, 7, 0, 9), 0);
	assert_int_equal(set.nr, 5001);
	link_set_release(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_totals),
		scratch_test(test_links_count_once),
		scratch_test(test_sparse),
		scratch_test(test_unreadable),
		scratch_test(test_missing_top),
		scratch_test(test_target_inside),
		cmocka_unit_test(test_link_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
