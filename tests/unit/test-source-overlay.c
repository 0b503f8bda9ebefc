// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tree that the rules make of another one: the survey and the iterator see the same.
 */
#include "tests/unit/source-tree.h"

#include <linux/fs.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#include "source/rules.h"

struct fixture {
	struct source_rules *rules;
	struct source_options options;
};

static struct fixture fixture_create(void)
{
	struct fixture fixture = { .rules = source_rules_create() };

	assert_non_null(fixture.rules);
	fixture.options = (struct source_options){
		.path = "top", .rules = fixture.rules, .now = { .tv_sec = 1700000000 },
	};
	return fixture;
}

static void manifest(struct fixture *fixture, const char *text)
{
	make_file("manifest", text, strlen(text));
	assert_int_equal(source_rules_manifest(fixture->rules, "manifest"), 0);
}

static int survey(const struct fixture *fixture, struct source_totals *totals)
{
	return source_survey(&fixture->options, 4096, 2048, totals);
}

/* All paths, one behind the other, and as many of them as the survey counts. */
static char *list(const struct fixture *fixture)
{
	const struct source_entry *entry;
	struct source_totals totals;
	struct source *source;
	char *all = calloc(1, 65536);
	u64 entries = 0, directories = 0, files = 0;

	assert_int_equal(survey(fixture, &totals), 0);
	assert_int_equal(source_dir_open(&source, &fixture->options), 0);
	while (source_next(source, &entry) == 1) {
		char *path = source_entry_path(entry);

		strcat(strcat(all, path), " ");
		free(path);
		source_file_put(entry->file);
		entries++;
		directories += entry->dir != NULL;
		files += S_ISREG(entry->mode) && entry->nlink == 1;
	}
	source_destroy(source);
	assert_int_equal(totals.entries, entries);
	assert_int_equal(totals.directories, directories);
	assert_int_equal(totals.files, files);
	return all;
}

static void expect_list(struct fixture *fixture, const char *want)
{
	char *all = list(fixture);

	assert_string_equal(all, want);
	free(all);
}

static void fixture_release(struct fixture *fixture)
{
	source_rules_destroy(fixture->rules);
}

static void make_tree(void)
{
	mkdir("top/a", 0755);
	mkdir("top/a/b", 0755);
	mkdir("top/c", 0755);
	make_file("top/a/x.o", "1", 1);
	make_file("top/a/b/x.o", "1", 1);
	make_file("top/a/b/y", "1", 1);
	make_file("top/c/y", "1", 1);
	make_file("top/y", "1", 1);
}

static void test_exclude(void **state)
{
	static const struct {
		const char *pattern;
		const char *left;
	} cases[] = {
		{ "*.o", ". a c y a/b a/b/y c/y " },
		{ "y", ". a c a/b a/x.o a/b/x.o " },
		{ "/y", ". a c a/b a/x.o a/b/x.o a/b/y c/y " },
		{ "b", ". a c y a/x.o c/y " },
		{ "y/", ". a c y a/b a/x.o a/b/x.o a/b/y c/y " },
		{ "?/", ". y " },
		{ "a/*", ". a c y c/y " },
		{ "a/*/", ". a c y a/x.o c/y " },
		{ "**/x.o", ". a c y a/b a/b/y c/y " },
		{ "*/*/*", ". a c y a/b a/x.o c/y " },
		{ "a/b/**", ". a c y a/b a/x.o c/y " },
		{ "*", ". " },
		{ "nothing", ". a c y a/b a/x.o a/b/x.o a/b/y c/y " },
	};

	(void)state;
	make_tree();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture fixture = fixture_create();

		assert_int_equal(source_rules_exclude(fixture.rules, cases[i].pattern), 0);
		expect_list(&fixture, cases[i].left);
		fixture_release(&fixture);
	}
}

static void test_made_entries(void **state)
{
	struct fixture fixture = fixture_create();

	(void)state;
	make_tree();
	assert_int_equal(source_rules_exclude(fixture.rules, "a"), 0);
	manifest(&fixture, "c/new/deep type=file\nc/new type=dir\nc/b0 type=fifo\nc/z type=file content=top/y\n"
			   "a type=dir\na/q type=sock\nzz type=symlink target=y\n");
	expect_list(&fixture, ". a c y zz a/q c/b0 c/new c/y c/z c/new/deep ");
	fixture_release(&fixture);
}

static void test_overrides(void **state)
{
	struct fixture fixture = fixture_create();
	const struct source_entry *entry;
	struct source *source;

	(void)state;
	make_tree();
	assert_int_equal(symlink("old", "top/link"), 0);
	assert_int_equal(source_rules_owner(fixture.rules, "7:8"), 0);
	manifest(&fixture, "y uid=1 mode=4711 mtime=5.25 btime=6\nc gid=9\nlink target=new\n"
			   "dev type=char major=259 minor=70000\n");
	assert_int_equal(source_dir_open(&source, &fixture.options), 0);
	entry = expect_entry(source, ".");
	assert_true(entry->uid == 7 && entry->gid == 8);
	expect_entry(source, "a");
	entry = expect_entry(source, "c");
	assert_true(entry->uid == 7 && entry->gid == 9);
	entry = expect_entry(source, "dev");
	assert_true(S_ISCHR(entry->mode) && entry->rdev_major == 259 && entry->rdev_minor == 70000);
	assert_true(entry->uid == 7 && (entry->mode & 07777) == 0644 && entry->mtime.tv_sec == 1700000000);
	entry = expect_entry(source, "link");
	assert_memory_equal(entry->symlink, "new", 3);
	assert_int_equal(entry->size, 3);
	entry = expect_entry(source, "y");
	assert_int_equal(entry->mode, S_IFREG | 04711);
	assert_true(entry->uid == 1 && entry->gid == 8);
	assert_true(entry->mtime.tv_sec == 5 && entry->mtime.tv_nsec == 250000000);
	assert_true(entry->btime.tv_sec == 6 && entry->fixed_btime && !entry->fixed_atime);
	source_file_put(entry->file);
	source_destroy(source);
	fixture_release(&fixture);
}

static void test_content(void **state)
{
	struct fixture fixture = fixture_create();
	enum source_file_state file_state = SOURCE_FILE_SAME;
	const struct source_entry *entry;
	struct source_totals totals;
	struct source *source;
	char data[16], *path;
	size_t got;

	(void)state;
	make_tree();
	make_file("elsewhere", "0123456789", 10);
	assert_int_equal(symlink("elsewhere", "to-elsewhere"), 0);
	manifest(&fixture, "y content=to-elsewhere\n");
	assert_int_equal(survey(&fixture, &totals), 0);
	assert_int_equal(totals.bytes, 4 + 10);
	assert_int_equal(source_dir_open(&source, &fixture.options), 0);
	entry = find_entry(source, "y");
	assert_int_equal(entry->size, 10);
	assert_int_equal(source_file_read(entry->file, data, 0, sizeof(data), &got, &file_state), 0);
	assert_int_equal(got, 10);
	assert_int_equal(file_state, SOURCE_FILE_SAME);
	assert_memory_equal(data, "0123456789", 10);
	path = source_file_path(entry->file);
	assert_string_equal(path, "y");
	free(path);
	source_file_put(entry->file);
	source_destroy(source);
	fixture_release(&fixture);
}

static void test_refused(void **state)
{
	static const char *const bad[] = {
		"nothing mode=1\n", "nothing/new type=file\n", "y/new type=file\n", "a type=file\n", "y type=dir\n",
		"y target=x\n", "y major=1\n", "a content=y\n", "y content=nothing\n", "y content=top\n", "link nodatacow\n",
		"c/y mode=1\n",
	};

	(void)state;
	make_tree();
	assert_int_equal(symlink("y", "top/link"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct fixture fixture = fixture_create();
		struct source_totals totals;

		assert_int_equal(source_rules_exclude(fixture.rules, "c/*"), 0);
		manifest(&fixture, bad[i]);
		if (survey(&fixture, &totals) >= 0)
			fail_msg("taken: %s", bad[i]);
		fixture_release(&fixture);
	}
}

/* The manifest itself, or content, may be a target of the run. */
static void test_target_as_content(void **state)
{
	struct fixture fixture = fixture_create();
	struct source_identity skip[2] = { { 0 } };
	struct source_totals totals;
	struct stat st;

	(void)state;
	make_tree();
	make_file("image", "x", 1);
	assert_int_equal(stat("image", &st), 0);
	skip[1] = (struct source_identity){ .dev = st.st_dev, .ino = st.st_ino };
	fixture.options.skip = skip;
	fixture.options.nr_skip = 2;
	manifest(&fixture, "n type=file\n");
	assert_int_equal(survey(&fixture, &totals), 0);
	manifest(&fixture, "y content=image\n");
	assert_int_equal(survey(&fixture, &totals), -EINVAL);
	fixture_release(&fixture);
}

/* ---- hard links ---- */

static void test_broken_links(void **state)
{
	struct fixture fixture = fixture_create();
	struct source_totals totals;

	(void)state;
	make_tree();
	assert_int_equal(link("top/y", "top/a/link"), 0);
	assert_int_equal(survey(&fixture, &totals), 0);
	assert_int_equal(totals.files, 5);
	source_rules_break_hardlinks(fixture.rules);
	assert_int_equal(survey(&fixture, &totals), 0);
	assert_int_equal(totals.files, 6);
	expect_list(&fixture, ". a c y a/b a/link a/x.o a/b/x.o a/b/y c/y ");
	fixture_release(&fixture);
}

static void test_rule_of_a_link(void **state)
{
	struct fixture fixture = fixture_create();
	const struct source_entry *entry;
	struct source_totals totals;
	struct source *source;

	(void)state;
	make_tree();
	assert_int_equal(link("top/y", "top/z"), 0);
	manifest(&fixture, "z uid=77\n");
	assert_int_equal(source_rules_inode_flags(fixture.rules, "nodatasum:z"), 0);
	assert_int_equal(source_dir_open(&source, &fixture.options), 0);
	entry = find_entry(source, "y");
	assert_true(entry->uid == 77 && entry->nodatasum);
	source_file_put(entry->file);
	source_destroy(source);
	/* two names, two rules */
	assert_int_equal(source_rules_inode_flags(fixture.rules, "nodatacow:y"), 0);
	assert_int_equal(survey(&fixture, &totals), -EINVAL);
	source_rules_break_hardlinks(fixture.rules);
	assert_int_equal(survey(&fixture, &totals), 0);
	fixture_release(&fixture);
}

/* ---- flags ---- */

static void test_inherited_flags(void **state)
{
	struct fixture fixture = fixture_create();
	const struct source_entry *entry;
	struct source *source;
	unsigned nocow = 0, nosum = 0;

	(void)state;
	make_tree();
	assert_int_equal(mkfifo("top/a/fifo", 0600), 0);
	assert_int_equal(source_rules_inode_flags(fixture.rules, "nodatacow:/a/"), 0);
	assert_int_equal(source_rules_inode_flags(fixture.rules, "nodatasum,nodatacow:c"), 0);
	manifest(&fixture, "a/b nodatacow=no\nnew type=dir nodatasum\nnew/f type=file\n");
	assert_int_equal(source_dir_open(&source, &fixture.options), 0);
	while (source_next(source, &entry) == 1) {
		nocow += entry->nodatacow;
		nosum += entry->nodatasum;
		source_file_put(entry->file);
	}
	source_destroy(source);
	assert_int_equal(nocow, 2 + 2);		/* a, a/x.o, c, c/y */
	assert_int_equal(nosum, 2 + 2);		/* c, c/y, new, new/f */
	fixture_release(&fixture);
}

static void test_bad_flags(void **state)
{
	static const char *const bad[] = {
		"", "nodatacow", ":a", "nodatacow:", "nodatacow,:a", ",nodatacow:a", "nocow:a", "nodatacow:../a",
		"nodatacow nodatasum:a",
	};
	struct fixture fixture = fixture_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(source_rules_inode_flags(fixture.rules, bad[i]), -EINVAL);
	assert_int_equal(source_rules_inode_flags(fixture.rules, "nodatacow:a:b"), 0);
	assert_int_equal(source_rules_inode_flags(fixture.rules, "nodatasum:./a:b/"), -EINVAL);
	fixture_release(&fixture);
}

/* ---- attributes ---- */

static void test_xattrs(void **state)
{
	struct fixture fixture = fixture_create();
	const struct source_entry *entry;
	struct source *source;

	(void)state;
	make_tree();
	if (setxattr("top/y", "user.b", "old", 3, 0) < 0)
		skip();
	assert_int_equal(setxattr("top/y", "user.gone", "x", 1, 0), 0);
	assert_int_equal(setxattr("top/y", "user.left.out", "x", 1, 0), 0);
	assert_int_equal(setxattr("top/y", "user.z", "z", 1, 0), 0);
	assert_int_equal(source_rules_exclude_xattr(fixture.rules, "user.left.*"), 0);
	assert_int_equal(source_rules_exclude_xattr(fixture.rules, "user.left["), -EINVAL);
	manifest(&fixture, "y xattr.user.b=new xattr.user.gone xattr.user.a=1 xattr.user.not-there\n");
	for (int round = 0; round < 2; round++) {
		assert_int_equal(source_dir_open(&source, &fixture.options), 0);
		entry = find_entry(source, "y");
		assert_int_equal(entry->nr_xattrs, 3);
		assert_string_equal(entry->xattrs[0].name, "user.a");
		assert_string_equal(entry->xattrs[1].name, "user.b");
		assert_int_equal(entry->xattrs[1].size, 3);
		assert_memory_equal(entry->xattrs[1].value, "new", 3);
		assert_string_equal(entry->xattrs[2].name, "user.z");
		source_file_put(entry->file);
		source_destroy(source);
	}
	fixture_release(&fixture);
}

static void test_conflicts(void **state)
{
	struct fixture fixture = fixture_create();

	(void)state;
	assert_null(source_rules_need_source(fixture.rules));
	assert_int_equal(source_rules_map_uids(fixture.rules, "0:1:1"), 0);
	assert_int_equal(source_rules_map_uids(fixture.rules, "0:2:1"), -EINVAL);
	assert_int_equal(source_rules_owner(fixture.rules, ":5"), 0);
	assert_int_equal(source_rules_check(fixture.rules), 0);
	assert_int_equal(source_rules_owner(fixture.rules, "5"), 0);
	assert_int_equal(source_rules_check(fixture.rules), -EINVAL);
	assert_string_equal(source_rules_need_source(fixture.rules), "--uid-map");
	fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_exclude),
		scratch_test(test_made_entries),
		scratch_test(test_overrides),
		scratch_test(test_content),
		scratch_test(test_refused),
		scratch_test(test_target_as_content),
		scratch_test(test_broken_links),
		scratch_test(test_rule_of_a_link),
		scratch_test(test_inherited_flags),
		scratch_test(test_bad_flags),
		scratch_test(test_xattrs),
		scratch_test(test_conflicts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
