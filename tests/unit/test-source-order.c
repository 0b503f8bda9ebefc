// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Order, names and limits of the directory source: which entries come, and when.
 */
#include "tests/unit/source-tree.h"

#include <sched.h>
#include <sys/mount.h>

static void test_order(void **state)
{
	struct source *source;
	const struct source_entry *entry;

	(void)state;
	/* Made in an order that is none. */
	mkdir("top/m", 0755);
	mkdir("top/m/z", 0755);
	mkdir("top/m/a", 0755);
	mkdir("top/B", 0755);
	make_file("top/m/a/deep", "x", 1);
	make_file("top/m/b", "", 0);
	make_file("top/zz", "", 0);
	make_file("top/z", "", 0);
	make_file("top/B/one", "", 0);
	make_file("top/\xc3\xa4", "", 0);

	source = open_source("top");
	entry = expect_entry(source, ".");
	assert_null(entry->parent);
	assert_int_equal(entry->name_len, 0);
	source_dir_set_cookie(entry->dir, (struct source_cookie){ .ino = 256 });
	entry = expect_entry(source, "B");
	assert_int_equal(source_dir_cookie(entry->parent).ino, 256);
	source_dir_set_cookie(entry->dir, (struct source_cookie){ .ino = 257, .tree = 3 });
	entry = expect_entry(source, "m");
	source_dir_set_cookie(entry->dir, (struct source_cookie){ .ino = 258 });
	expect_entry(source, "z");
	expect_entry(source, "zz");
	expect_entry(source, "\xc3\xa4");
	entry = expect_entry(source, "B/one");
	assert_int_equal(source_dir_cookie(entry->parent).ino, 257);
	assert_int_equal(source_dir_cookie(entry->parent).tree, 3);
	expect_entry(source, "m/a");
	entry = expect_entry(source, "m/b");
	assert_int_equal(source_dir_cookie(entry->parent).ino, 258);
	assert_null(entry->dir);
	assert_null(entry->file);
	expect_entry(source, "m/z");
	entry = expect_entry(source, "m/a/deep");
	assert_non_null(entry->file);
	source_file_put(entry->file);
	expect_end(source);
	expect_end(source);
	assert_int_equal(source_changes(source), 0);
	source_destroy(source);
}

static void test_odd_names(void **state)
{
	char ones[256];
	char path[300];
	const struct source_entry *entry;
	struct source *source;

	(void)state;
	memset(ones, 0xff, 255);
	ones[255] = '\0';
	snprintf(path, sizeof(path), "top/%s", ones);
	make_file(path, "", 0);
	make_file("top/ ", "", 0);
	make_file("top/a\nb", "", 0);
	make_file("top/\x01\x7f", "", 0);
	make_file("top/back\\slash", "", 0);
	make_file("top/...", "", 0);

	source = open_source("top");
	expect_entry(source, ".");
	expect_entry(source, "\\x01\\x7f");
	expect_entry(source, " ");
	expect_entry(source, "...");
	expect_entry(source, "a\\nb");
	expect_entry(source, "back\\\\slash");
	assert_int_equal(source_next(source, &entry), 1);
	assert_int_equal(entry->name_len, 255);
	assert_memory_equal(entry->name, ones, 256);
	expect_end(source);
	source_destroy(source);
}

static void test_top_symlink(void **state)
{
	struct source *source;
	const struct source_entry *entry;

	(void)state;
	make_file("top/f", "", 0);
	assert_int_equal(symlink("top", "link"), 0);
	source = open_source("link");
	entry = expect_entry(source, ".");
	assert_true(S_ISDIR(entry->mode));
	expect_entry(source, "f");
	expect_end(source);
	source_destroy(source);
}

static void test_bad_top(void **state)
{
	struct source_options options = { .path = "missing" };
	struct source *source;

	(void)state;
	assert_int_equal(source_dir_open(&source, &options), -ENOENT);
	make_file("plain", "", 0);
	options.path = "plain";
	assert_int_equal(source_dir_open(&source, &options), -ENOTDIR);
}

/* One directory in the other, each with a sibling that is visited on the way back. */
static void make_chain(unsigned depth, const char *name)
{
	int fd = open("top", O_RDONLY | O_DIRECTORY);

	for (unsigned i = 0; i < depth; i++) {
		int child;

		assert_int_equal(mkdirat(fd, name, 0755), 0);
		assert_int_equal(mkdirat(fd, "z", 0755), 0);
		child = openat(fd, "z", O_RDONLY | O_DIRECTORY);
		assert_int_equal(close(openat(child, "leaf", O_CREAT | O_WRONLY, 0644)), 0);
		close(child);
		child = openat(fd, name, O_RDONLY | O_DIRECTORY);
		assert_true(child >= 0);
		close(fd);
		fd = child;
	}
	assert_int_equal(write(openat(fd, "bottom", O_CREAT | O_WRONLY, 0644), "deep", 4), 4);
	close(fd);
}

static void check_chain(unsigned depth, size_t name_len)
{
	unsigned before = count_descriptors();
	struct source *source = open_source("top");
	const struct source_entry *entry;
	struct source_file *bottom = NULL;
	enum source_file_state file_state = SOURCE_FILE_SAME;
	unsigned nr = 0;
	unsigned most = 0;
	char buf[8];
	size_t got;
	char *path;

	while (source_next(source, &entry) == 1) {
		nr++;
		most = nr % 1000 == 0 ? MAX(most, count_descriptors()) : most;
		if (entry->file)
			bottom = entry->file;
	}
	assert_int_equal(nr, 1 + 3 * depth + 1);
	assert_int_equal(source_changes(source), 0);
	assert_in_range(most, 0, before + 256 + 4);
	/* The descriptor of its directory was closed long ago. */
	assert_non_null(bottom);
	path = source_file_path(bottom);
	assert_int_equal(strlen(path), depth * (name_len + 1) + strlen("bottom"));
	free(path);
	/* The file outlives the iterator. */
	source_destroy(source);
	assert_int_equal(source_file_read(bottom, buf, 0, sizeof(buf), &got, &file_state), 0);
	assert_int_equal(got, 4);
	assert_memory_equal(buf, "deep\0\0\0\0", 8);
	assert_int_equal(file_state, SOURCE_FILE_SAME);
	source_file_put(bottom);
	assert_int_equal(count_descriptors(), before);
}

static void test_depth(void **state)
{
	(void)state;
	make_chain(4000, "a");
	check_chain(4000, 1);
}

static void test_long_path(void **state)
{
	char name[201];

	(void)state;
	memset(name, 'n', 200);
	name[200] = '\0';
	make_chain(30, name);
	check_chain(30, 200);
}

static void test_many_names(void **state)
{
	const unsigned nr = 50000;
	struct source *source;
	const struct source_entry *entry;
	char last[256] = "";
	char path[64];

	(void)state;
	for (unsigned i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "top/%x", i * 2654435761U);
		assert_int_equal(mknod(path, S_IFREG | 0644, 0), 0);
	}
	source = open_source("top");
	expect_entry(source, ".");
	for (unsigned i = 0; i < nr; i++) {
		assert_int_equal(source_next(source, &entry), 1);
		assert_true(strcmp(last, entry->name) < 0);
		strcpy(last, entry->name);
	}
	expect_end(source);
	source_destroy(source);
}

static void test_skip(void **state)
{
	struct source_options options = { .path = "top", .nr_skip = 1 };
	struct source_identity skip;
	struct source *source;
	struct stat st;

	(void)state;
	make_file("top/a", "", 0);
	make_file("top/image", "", 0);
	make_file("top/z", "", 0);
	assert_int_equal(stat("top/image", &st), 0);
	skip = (struct source_identity){ .dev = st.st_dev, .ino = st.st_ino };
	options.skip = &skip;
	assert_int_equal(source_dir_open(&source, &options), 0);
	skip.ino = 0;	/* the options were copied */
	expect_entry(source, ".");
	expect_entry(source, "a");
	expect_entry(source, "z");
	expect_end(source);
	assert_int_equal(source_changes(source), 0);
	source_destroy(source);
}

static void test_one_file_system(void **state)
{
	struct source_options options = { .path = "top", .one_file_system = true };
	const struct source_entry *entry;
	struct source *source;

	(void)state;
	mkdir("top/mnt", 0755);
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", "top/mnt", "tmpfs", 0, "mode=0751,size=1m") < 0)
		skip();
	make_file("top/mnt/inside", "", 0);
	make_file("top/z", "", 0);
	assert_int_equal(source_dir_open(&source, &options), 0);
	expect_entry(source, ".");
	entry = expect_entry(source, "mnt");
	assert_int_equal(entry->mode, S_IFDIR | 0751);
	assert_non_null(entry->dir);
	expect_entry(source, "z");
	expect_end(source);
	source_destroy(source);

	source = open_source("top");
	find_entry(source, "inside");
	expect_end(source);
	source_destroy(source);
	assert_int_equal(umount("top/mnt"), 0);
}

/* ---- changes while the tree is walked ---- */

static void test_name_vanishes(void **state)
{
	struct source *source;

	(void)state;
	make_file("top/a", "", 0);
	make_file("top/b", "", 0);
	make_file("top/c", "", 0);
	source = open_source("top");
	expect_entry(source, ".");
	expect_entry(source, "a");
	unlink("top/b");
	expect_entry(source, "c");
	expect_end(source);
	assert_int_equal(source_changes(source), 1);
	source_destroy(source);
}

static void test_directory_vanishes(void **state)
{
	struct source *source;

	(void)state;
	mkdir("top/a", 0755);
	mkdir("top/b", 0755);
	mkdir("top/c", 0755);
	mkdir("top/d", 0755);
	mkdir("other", 0755);
	make_file("other/trap", "", 0);
	make_file("top/d/f", "", 0);
	source = open_source("top");
	find_entry(source, "d");
	assert_int_equal(rmdir("top/a"), 0);
	assert_int_equal(rename("top/b", "moved"), 0);
	assert_int_equal(symlink("../other", "top/b"), 0);
	assert_int_equal(rename("top/c", "moved-too"), 0);
	assert_int_equal(rename("other", "top/c"), 0);
	expect_entry(source, "d/f");
	expect_end(source);
	assert_int_equal(source_changes(source), 3);
	source_destroy(source);
}

static void test_unreadable(void **state)
{
	const struct source_entry *entry;
	struct source *source;
	int ret;

	(void)state;
	mkdir("top/closed", 0);
	chmod(".", 0755);
	if (geteuid() == 0 && seteuid(65534) < 0)
		skip();
	source = open_source("top");
	while ((ret = source_next(source, &entry)) == 1)
		;
	source_destroy(source);
	assert_int_equal(seteuid(getuid()), 0);
	chmod("top/closed", 0755);
	assert_int_equal(ret, -EACCES);
}

/* Giving up early leaves nothing open. */
static void test_destroy_early(void **state)
{
	unsigned before = count_descriptors();
	struct source *source;

	(void)state;
	mkdir("top/a", 0755);
	mkdir("top/a/b", 0755);
	mkdir("top/c", 0755);
	for (unsigned steps = 0; steps < 5; steps++) {
		const struct source_entry *entry;

		source = open_source("top");
		for (unsigned i = 0; i < steps; i++)
			source_next(source, &entry);
		source_destroy(source);
		assert_int_equal(count_descriptors(), before);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_order),
		scratch_test(test_odd_names),
		scratch_test(test_top_symlink),
		scratch_test(test_bad_top),
		scratch_test(test_depth),
		scratch_test(test_long_path),
		scratch_test(test_many_names),
		scratch_test(test_skip),
		scratch_test(test_name_vanishes),
		scratch_test(test_directory_vanishes),
		scratch_test(test_unreadable),
		scratch_test(test_destroy_early),
		scratch_test(test_one_file_system),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
