// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --subvol: what its words mean, which directory they name, and which entries say so.
 */
#include "tests/unit/source-tree.h"

static struct source_subvolume_spec parse(const char *text)
{
	struct source_subvolume_spec spec;

	assert_int_equal(source_subvolume_parse(text, &spec), 0);
	assert_ptr_equal(spec.text, text);
	return spec;
}

static void test_words(void **state)
{
	static const struct {
		const char *text;
		const char *path;
		bool read_only;
		bool is_default;
	} cases[] = {
		{ "home", "home", false, false },
		{ "rw:home", "home", false, false },
		{ "ro:home", "home", true, false },
		{ "default:home", "home", false, true },
		{ "default-ro:home", "home", true, true },
		{ "./ro:home", "./ro:home", false, false },
		{ "/ro:home", "/ro:home", false, false },
		{ "ro:ro:home", "ro:home", true, false },
		{ "ro::", ":", true, false },
		{ ":home", ":home", false, false },
		{ "r:home", "r:home", false, false },
		{ "roo:home", "roo:home", false, false },
		{ "RO:home", "RO:home", false, false },
		{ "default-rw:home", "default-rw:home", false, false },
		{ "dir/ro:home", "dir/ro:home", false, false },
		{ "ro", "ro", false, false },
		{ "default", "default", false, false },
		{ "autonomous", "autonomous", false, false },
		{ "auto:x", "auto:x", false, false },
		{ "./auto", "./auto", false, false },
		{ "rw:auto", "auto", false, false },
	};
	struct source_subvolume_spec spec;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		spec = parse(cases[i].text);
		assert_string_equal(spec.path, cases[i].path);
		assert_int_equal(spec.type.read_only, cases[i].read_only);
		assert_int_equal(spec.type.is_default, cases[i].is_default);
		assert_false(spec.automatic);
	}
	assert_true(parse("auto").automatic);
	assert_true(parse("auto:").automatic);
	assert_int_equal(source_subvolume_parse("", &spec), -EINVAL);
	assert_int_equal(source_subvolume_parse("ro:", &spec), -EINVAL);
	assert_int_equal(source_subvolume_parse("default-ro:", &spec), -EINVAL);
}

/* Up to four options, NULL-terminated, with "top" as the tree. */
static int create(struct source_subvolumes **set, const char *const *texts)
{
	struct source_subvolume_spec specs[4];
	unsigned nr;

	for (nr = 0; texts[nr]; nr++)
		specs[nr] = parse(texts[nr]);
	return source_subvolumes_create(set, "top", specs, nr);
}

static void test_refusals(void **state)
{
	static const char *const cases[][4] = {
		{ "file" }, { "missing" }, { "a/missing" }, { "file/x" }, { "." }, { "/" }, { "./." }, { "a/.." },
		{ "../top/a" }, { "out" }, { "a", "a/" }, { "a", "/a" }, { "a/b", "link/b" }, { "ro:a", "rw:a" },
		{ "default:a", "default:a/b" }, { "default:a", "default-ro:c" }, { "a", "a/b", "a" },
	};
	struct source_subvolumes *set = NULL;
	size_t i;

	(void)state;
	make_file("top/file", "", 0);
	mkdir("top/a", 0755);
	mkdir("top/a/b", 0755);
	mkdir("top/c", 0755);
	mkdir("elsewhere", 0755);
	assert_int_equal(symlink("a", "top/link"), 0);
	assert_int_equal(symlink("../elsewhere", "top/out"), 0);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(create(&set, cases[i]) < 0);
		assert_null(set);
	}
	source_subvolumes_destroy(NULL);
}

/* The next entry that is a subvolume; NULL at the end. */
static const struct source_entry *next_subvolume(struct source *source)
{
	const struct source_entry *entry;
	int ret;

	while ((ret = source_next(source, &entry)) > 0) {
		if (entry->subvolume)
			return entry;
		source_file_put(entry->file);
	}
	assert_int_equal(ret, 0);
	return NULL;
}

static void expect_subvolume(struct source *source, const char *path, bool read_only, bool is_default)
{
	const struct source_entry *entry = next_subvolume(source);
	char *found;

	assert_non_null(entry);
	found = source_entry_path(entry);
	assert_string_equal(found, path);
	free(found);
	assert_int_equal(entry->subvolume->read_only, read_only);
	assert_int_equal(entry->subvolume->is_default, is_default);
}

static void test_walk(void **state)
{
	static const char *const texts[] = { "ro:./a//b/", "/c", "default:link/b/b", NULL };
	char absolute[512];
	struct source_options options = { .path = "top" };
	struct source_subvolumes *set, *other;
	struct source_totals totals;
	struct source *source;

	(void)state;
	mkdir("top/a", 0755);
	mkdir("top/a/b", 0755);
	mkdir("top/a/b/a", 0755);
	mkdir("top/a/b/b", 0755);
	mkdir("top/b", 0755);
	mkdir("top/c", 0755);
	mkdir("top/c/c", 0755);
	assert_int_equal(symlink("a", "top/link"), 0);
	make_file("top/a/b/one", "x", 1);
	assert_int_equal(link("top/a/b/one", "top/a/two"), 0);
	assert_int_equal(link("top/a/b/one", "top/a/b/a/three"), 0);
	assert_int_equal(create(&set, texts), 0);
	options.subvolumes = set;
	assert_int_equal(source_dir_open(&source, &options), 0);
	expect_subvolume(source, "c", false, false);
	expect_subvolume(source, "a/b", true, false);
	expect_subvolume(source, "a/b/b", false, true);
	assert_null(next_subvolume(source));
	source_destroy(source);
	/* one inode on both sides of a border is two files */
	assert_int_equal(source_survey(&options, 4096, 0, &totals), 0);
	assert_int_equal(totals.subvolumes, 3);
	assert_int_equal(totals.files, 2);
	source_subvolumes_destroy(set);
	/* a full path into the tree */
	assert_non_null(getcwd(absolute, sizeof(absolute) - 20));
	strcat(absolute, "/top/a");
	assert_int_equal(create(&other, (const char *const[]){ absolute, NULL }), 0);
	options.subvolumes = other;
	assert_int_equal(source_dir_open(&source, &options), 0);
	expect_subvolume(source, "a", false, false);
	assert_null(next_subvolume(source));
	source_destroy(source);
	source_subvolumes_destroy(other);
}

static void test_vanished(void **state)
{
	static const char *const texts[] = { "a/b", NULL };
	struct source_options options = { .path = "top" };
	const struct source_entry *entry;
	struct source_subvolumes *set;
	struct source_totals totals;
	struct source *source;
	int ret;

	(void)state;
	mkdir("top/a", 0755);
	mkdir("top/a/b", 0755);
	assert_int_equal(create(&set, texts), 0);
	options.subvolumes = set;
	assert_int_equal(rmdir("top/a/b"), 0);
	make_file("top/a/b", "", 0);	/* a file has its name now */
	assert_int_equal(source_survey(&options, 4096, 0, &totals), -ENOENT);
	assert_int_equal(source_dir_open(&source, &options), 0);
	while ((ret = source_next(source, &entry)) > 0)
		assert_null(entry->subvolume);
	assert_int_equal(ret, -ENOENT);
	source_destroy(source);
	source_subvolumes_destroy(set);
}

/* More than one growth of the tables; deep paths. */
static void test_many(void **state)
{
	enum { DEEP = 60 };
	static char texts[1500][160];
	static struct source_subvolume_spec specs[ARRAY_SIZE(texts)];
	struct source_options options = { .path = "top" };
	struct source_subvolumes *set;
	struct source *source;
	unsigned i, k, nr = 0;
	int top = open("top", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_true(top >= 0);
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		if (i < DEEP)
			memset(texts[i], 'd', 2 * i + 1);
		else
			snprintf(texts[i], sizeof(texts[i]), "%u", i);
		for (k = 1; i < DEEP && k < 2 * i; k += 2)
			texts[i][k] = '/';
		assert_int_equal(mkdirat(top, texts[i], 0755), 0);
		specs[i] = parse(texts[i]);
	}
	assert_int_equal(source_subvolumes_create(&set, "top", specs, ARRAY_SIZE(specs)), 0);
	options.subvolumes = set;
	assert_int_equal(source_dir_open(&source, &options), 0);
	close(top);
	while (next_subvolume(source))
		nr++;
	assert_int_equal(nr, ARRAY_SIZE(texts));
	source_destroy(source);
	source_subvolumes_destroy(set);
}

static void test_automatic_needs_btrfs(void **state)
{
	struct source_options options = { .path = "/proc" };
	struct source_subvolume_spec spec = parse("auto");
	struct source_subvolumes *set;
	struct source *source = NULL;

	(void)state;
	mkdir("top/auto", 0755);
	assert_int_equal(source_subvolumes_create(&set, "top", &spec, 1), -EINVAL);
	spec = parse("auto:");
	assert_int_equal(source_subvolumes_create(&set, "top", &spec, 1), 0);
	options.subvolumes = set;
	assert_true(source_dir_open(&source, &options) < 0);
	assert_null(source);
	source_subvolumes_destroy(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		scratch_test(test_refusals),
		scratch_test(test_walk),
		scratch_test(test_vanished),
		scratch_test(test_many),
		scratch_test(test_automatic_needs_btrfs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
