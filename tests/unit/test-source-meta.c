// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What an entry says: types, owners, numbers, times, links, symlink targets, extended attributes.
 */
#include "tests/unit/source-tree.h"

#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/xattr.h>

#include "source/entry-meta.h"

static void test_types(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "top/sock" };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	const struct source_entry *entry;
	struct source *source;

	(void)state;
	umask(0);
	make_file("top/empty", "", 0);
	make_file("top/file", "abc", 3);
	chmod("top/file", 06751);
	assert_int_equal(mkfifo("top/fifo", 0620), 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	mkdir("top/sticky", 01777);
	chmod("top", 0700);
	alarm(20);	/* nothing of this may be opened: the fifo would block for ever */
	source = open_source("top");
	assert_int_equal(expect_entry(source, ".")->mode, S_IFDIR | 0700);
	entry = expect_entry(source, "empty");
	assert_null(entry->file);
	assert_int_equal(entry->size, 0);
	entry = expect_entry(source, "fifo");
	assert_int_equal(entry->mode, S_IFIFO | 0620);
	assert_null(entry->file);
	entry = expect_entry(source, "file");
	assert_int_equal(entry->mode, S_IFREG | 06751);
	assert_int_equal(entry->size, 3);
	assert_int_equal(source_file_size(entry->file), 3);
	source_file_put(entry->file);
	entry = expect_entry(source, "sock");
	assert_true(S_ISSOCK(entry->mode));
	assert_null(entry->file);
	entry = expect_entry(source, "sticky");
	assert_int_equal(entry->mode, S_IFDIR | 01777);
	expect_end(source);
	source_destroy(source);
	alarm(0);
	close(fd);
}

static void test_devices(void **state)
{
	const struct source_entry *entry;
	struct source *source;

	(void)state;
	if (mknod("top/c", S_IFCHR | 0600, makedev(4095, 1048575)) < 0)
		skip();
	assert_int_equal(mknod("top/b", S_IFBLK | 0600, makedev(259, 70000)), 0);
	assert_int_equal(mknod("top/null", S_IFCHR | 0600, makedev(1, 3)), 0);
	source = open_source("top");
	entry = find_entry(source, "b");
	assert_true(S_ISBLK(entry->mode));
	assert_int_equal(entry->rdev_major, 259);
	assert_int_equal(entry->rdev_minor, 70000);
	entry = find_entry(source, "c");
	assert_true(S_ISCHR(entry->mode));
	assert_int_equal(entry->rdev_major, 4095);
	assert_int_equal(entry->rdev_minor, 1048575);
	entry = find_entry(source, "null");
	assert_int_equal(entry->rdev_major, 1);
	assert_int_equal(entry->rdev_minor, 3);
	source_destroy(source);
}

static void test_owners(void **state)
{
	const struct source_entry *entry;
	struct source *source;

	(void)state;
	make_file("top/a", "", 0);
	make_file("top/b", "", 0);
	if (chown("top/a", 4294967294U, 65536) < 0)
		skip();
	assert_int_equal(chown("top/b", 100000, 2147483648U), 0);
	source = open_source("top");
	entry = find_entry(source, "a");
	assert_int_equal(entry->uid, 4294967294U);
	assert_int_equal(entry->gid, 65536);
	entry = find_entry(source, "b");
	assert_int_equal(entry->uid, 100000);
	assert_int_equal(entry->gid, 2147483648U);
	source_destroy(source);
}

static void check_time(time_t sec, long nsec)
{
	const struct timespec times[2] = { { .tv_sec = 1000, .tv_nsec = 7 },
					   { .tv_sec = sec, .tv_nsec = nsec } };
	const struct source_entry *entry;
	struct source *source;
	struct stat st;

	make_file("top/f", "", 0);
	assert_int_equal(utimensat(AT_FDCWD, "top/f", times, 0), 0);
	assert_int_equal(stat("top/f", &st), 0);
	source = open_source("top");
	entry = find_entry(source, "f");
	/* The file system may have clamped it; what it has must arrive. */
	assert_int_equal(entry->mtime.tv_sec, st.st_mtim.tv_sec);
	assert_int_equal(entry->mtime.tv_nsec, st.st_mtim.tv_nsec);
	assert_int_equal(entry->atime.tv_sec, 1000);
	assert_int_equal(entry->atime.tv_nsec, 7);
	assert_int_equal(entry->ctime.tv_sec, st.st_ctim.tv_sec);
	assert_int_equal(entry->ctime.tv_nsec, st.st_ctim.tv_nsec);
	assert_true(entry->btime.tv_sec > 1500000000 || entry->btime.tv_sec == st.st_mtim.tv_sec);
	source_destroy(source);
}

static void test_times(void **state)
{
	(void)state;
	check_time(1700000000, 123456789);
	check_time(-1, 999999999);
	check_time(-2147483648LL, 1);
	check_time(13569465600LL, 5);
}

static void test_hard_links(void **state)
{
	const struct source_entry *entry;
	struct source *source;
	u64 dev;
	u64 ino;

	(void)state;
	mkdir("top/d", 0755);
	make_file("top/a", "data", 4);
	assert_int_equal(link("top/a", "top/d/b"), 0);
	assert_int_equal(link("top/a", "outside"), 0);
	source = open_source("top");
	entry = find_entry(source, "a");
	assert_int_equal(entry->nlink, 3);
	dev = entry->link_dev;
	ino = entry->link_ino;
	source_file_put(entry->file);
	entry = find_entry(source, "b");
	assert_int_equal(entry->nlink, 3);
	assert_int_equal(entry->link_dev, dev);
	assert_int_equal(entry->link_ino, ino);
	source_file_put(entry->file);
	source_destroy(source);
}

static void test_symlinks(void **state)
{
	const struct source_entry *entry;
	struct source *source;
	char target[4096];

	(void)state;
	memset(target, 't', 4095);
	target[4095] = '\0';
	assert_int_equal(symlink("/no/where/../x", "top/dangling"), 0);
	assert_int_equal(symlink("self", "top/self"), 0);
	assert_int_equal(symlink(target, "top/long"), 0);
	source = open_source("top");
	expect_entry(source, ".");
	entry = expect_entry(source, "dangling");
	assert_true(S_ISLNK(entry->mode));
	assert_string_equal(entry->symlink, "/no/where/../x");
	assert_int_equal(entry->symlink_len, 14);
	assert_int_equal(entry->size, 14);
	assert_null(entry->file);
	entry = expect_entry(source, "long");
	assert_int_equal(entry->symlink_len, 4095);
	assert_memory_equal(entry->symlink, target, 4096);
	entry = expect_entry(source, "self");
	assert_string_equal(entry->symlink, "self");
	expect_end(source);
	source_destroy(source);
}

/* A symlink of /proc: its stat says 64 bytes, or none. */
static void test_symlink_size(void **state)
{
	struct entry_meta meta;
	char want[4096];
	size_t len;
	ssize_t want_len = readlink("/proc/self/cwd", want, sizeof(want));
	int fd = open("/proc/self", O_RDONLY | O_DIRECTORY);

	(void)state;
	if (fd < 0 || want_len < 0)
		skip();
	assert_int_equal(entry_meta_init(&meta, true, NULL), 0);
	assert_int_equal(entry_meta_read_symlink(&meta, fd, "cwd", &len), 0);
	assert_int_equal(len, want_len);
	assert_memory_equal(meta.target, want, len);
	assert_int_equal(entry_meta_read_symlink(&meta, fd, "status", &len), -ESTALE);
	assert_int_equal(entry_meta_read_symlink(&meta, fd, "nothing", &len), -ENOENT);
	entry_meta_release(&meta);
	close(fd);
}

/* ---- extended attributes ---- */

static const struct source_xattr *find_xattr(const struct source_entry *entry, const char *name)
{
	for (size_t i = 0; i < entry->nr_xattrs; i++) {
		if (strcmp(entry->xattrs[i].name, name) == 0)
			return &entry->xattrs[i];
	}
	return NULL;
}

static void expect_xattr(const struct source_entry *entry, const char *name, const void *value, size_t size)
{
	const struct source_xattr *xattr = find_xattr(entry, name);

	assert_non_null(xattr);
	assert_int_equal(xattr->size, size);
	if (size)
		assert_memory_equal(xattr->value, value, size);
}

static void test_xattrs(void **state)
{
	static const char binary[] = "\0\x01nul\0inside\0";
	const struct source_entry *entry;
	struct source *source;
	char big[2000];

	(void)state;
	memset(big, 'b', sizeof(big));
	make_file("top/f", "x", 1);
	make_file("top/none", "x", 1);
	if (setxattr("top", "user.root", "R", 1, 0) < 0)
		skip();
	assert_int_equal(setxattr("top/f", "user.zz", binary, sizeof(binary), 0), 0);
	assert_int_equal(setxattr("top/f", "user.empty", "", 0, 0), 0);
	assert_int_equal(setxattr("top/f", "user.big", big, sizeof(big), 0), 0);
	assert_int_equal(setxattr("top/f", "user.Aa", "1", 1, 0), 0);
	source = open_source("top");
	expect_xattr(expect_entry(source, "."), "user.root", "R", 1);
	entry = expect_entry(source, "f");
	expect_xattr(entry, "user.zz", binary, sizeof(binary));
	expect_xattr(entry, "user.empty", "", 0);
	expect_xattr(entry, "user.big", big, sizeof(big));
	expect_xattr(entry, "user.Aa", "1", 1);
	for (size_t i = 1; i < entry->nr_xattrs; i++)
		assert_true(strcmp(entry->xattrs[i - 1].name, entry->xattrs[i].name) < 0);
	source_file_put(entry->file);
	entry = expect_entry(source, "none");
	assert_null(find_xattr(entry, "user.zz"));
	source_file_put(entry->file);
	source_destroy(source);
}

/* Types that can never be opened for it have attributes as well; a symlink its own. */
static void test_xattrs_of_special_files(void **state)
{
	struct source *source;

	(void)state;
	make_file("top/target", "", 0);
	assert_int_equal(symlink("target", "top/link"), 0);
	assert_int_equal(mkfifo("top/fifo", 0600), 0);
	if (lsetxattr("top/link", "trusted.l", "link", 4, 0) < 0)
		skip();
	assert_int_equal(setxattr("top/target", "trusted.t", "target", 6, 0), 0);
	assert_int_equal(setxattr("top/fifo", "trusted.f", "fifo", 4, 0), 0);
	source = open_source("top");
	expect_xattr(find_entry(source, "fifo"), "trusted.f", "fifo", 4);
	expect_xattr(find_entry(source, "link"), "trusted.l", "link", 4);
	expect_xattr(find_entry(source, "target"), "trusted.t", "target", 6);
	source_destroy(source);
}

/* As setfacl -m u:1000:rwx writes it: version 2, then entries of (tag, permissions, id). */
static void test_acl(void **state)
{
	static const u8 acl[] = {
		2, 0, 0, 0,
		1, 0, 7, 0, 0xff, 0xff, 0xff, 0xff,
		2, 0, 7, 0, 0xe8, 3, 0, 0,
		4, 0, 4, 0, 0xff, 0xff, 0xff, 0xff,
		16, 0, 7, 0, 0xff, 0xff, 0xff, 0xff,
		32, 0, 4, 0, 0xff, 0xff, 0xff, 0xff,
	};
	const struct source_entry *entry;
	struct source *source;

	(void)state;
	if (setxattr("top", "system.posix_acl_access", acl, sizeof(acl), 0) < 0 ||
	    setxattr("top", "system.posix_acl_default", acl, sizeof(acl), 0) < 0)
		skip();
	source = open_source("top");
	entry = expect_entry(source, ".");
	expect_xattr(entry, "system.posix_acl_access", acl, sizeof(acl));
	expect_xattr(entry, "system.posix_acl_default", acl, sizeof(acl));
	source_destroy(source);
}

static void check_many(bool use_proc, unsigned nr)
{
	int fd = open("top", O_RDONLY | O_DIRECTORY);
	struct entry_meta meta;
	char name[32];
	char value[32];

	assert_int_equal(entry_meta_init(&meta, use_proc, NULL), 0);
	/* Twice: the buffers are used again. */
	for (unsigned round = 0; round < 2; round++) {
		unsigned found = 0;

		assert_int_equal(entry_meta_read_xattrs(&meta, fd, "f", S_IFREG), 0);
		for (size_t i = 0; i < meta.nr_xattrs; i++) {
			if (strncmp(meta.xattrs[i].name, "user.n", 6) != 0)
				continue;
			snprintf(name, sizeof(name), "user.n%04u", found);
			snprintf(value, sizeof(value), "value %u", found);
			assert_string_equal(meta.xattrs[i].name, name);
			assert_int_equal(meta.xattrs[i].size, strlen(value));
			assert_memory_equal(meta.xattrs[i].value, value, strlen(value));
			found++;
		}
		assert_int_equal(found, nr);
	}
	entry_meta_release(&meta);
	close(fd);
}

/* By /proc, and in the way without it. */
static void test_many_xattrs(void **state)
{
	char name[32];
	char value[32];
	unsigned nr;

	(void)state;
	make_file("top/f", "", 0);
	for (nr = 0; nr < 1000; nr++) {
		snprintf(name, sizeof(name), "user.n%04u", nr);
		snprintf(value, sizeof(value), "value %u", nr);
		if (setxattr("top/f", name, value, strlen(value), 0) < 0)
			break;
	}
	if (nr == 0)
		skip();
	check_many(true, nr);
	check_many(false, nr);
}

static void test_without_proc(void **state)
{
	int fd = open("top", O_RDONLY | O_DIRECTORY);
	struct entry_meta meta;

	(void)state;
	assert_true(entry_meta_proc_works(fd));
	assert_int_equal(mkfifo("top/fifo", 0600), 0);
	assert_int_equal(entry_meta_init(&meta, false, NULL), 0);
	assert_int_equal(entry_meta_read_xattrs(&meta, fd, ".", S_IFDIR), 0);
	/* Not opened. */
	assert_int_equal(entry_meta_read_xattrs(&meta, fd, "fifo", S_IFIFO), 0);
	assert_int_equal(meta.nr_xattrs, 0);
	assert_int_equal(entry_meta_read_xattrs(&meta, fd, "missing", S_IFREG), -ENOENT);
	entry_meta_release(&meta);
	close(fd);
}

static void test_xattrs_of_missing(void **state)
{
	int fd = open("top", O_RDONLY | O_DIRECTORY);
	struct entry_meta meta;

	(void)state;
	assert_int_equal(entry_meta_init(&meta, true, NULL), 0);
	assert_int_equal(entry_meta_read_xattrs(&meta, fd, "missing", S_IFREG), -ENOENT);
	entry_meta_release(&meta);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_types),
		scratch_test(test_devices),
		scratch_test(test_owners),
		scratch_test(test_times),
		scratch_test(test_hard_links),
		scratch_test(test_symlinks),
		scratch_test(test_symlink_size),
		scratch_test(test_xattrs),
		scratch_test(test_xattrs_of_special_files),
		scratch_test(test_acl),
		scratch_test(test_many_xattrs),
		scratch_test(test_without_proc),
		scratch_test(test_xattrs_of_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
