// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines of a manifest: what they mean, and what is refused. The input may be anything.
 */
#include "tests/unit/source-tree.h"

#include <sys/stat.h>

#include "source/manifest.h"
#include "source/rules.h"

struct parsed {
	char *line;
	struct manifest_entry entry;
	char *path;
	size_t path_len;
	struct manifest_problem problem;
	int ret;
};

static struct parsed parse(const char *line)
{
	struct parsed parsed = { .line = strdup(line) };

	assert_non_null(parsed.line);
	parsed.ret = manifest_parse_line(parsed.line, &parsed.entry, &parsed.path, &parsed.path_len,
					 &parsed.problem);
	return parsed;
}

static void release(struct parsed *parsed)
{
	manifest_release_entry(&parsed->entry);
	free(parsed->line);
}

static void test_keys(void **state)
{
	struct parsed p = parse("\t a/b  type=char mode=4755 uid=4294967294\tgid=0 major=4095 minor=1048575 "
				"atime=1 mtime=-1 ctime=0.5 btime=-0.000000001 nodatacow nodatasum=no ");

	(void)state;
	assert_int_equal(p.ret, 0);
	assert_int_equal(p.path_len, 3);
	assert_memory_equal(p.path, "a/b", 3);
	assert_int_equal(p.entry.type, S_IFCHR);
	assert_int_equal(p.entry.mode, 04755);
	assert_int_equal(p.entry.uid, 4294967294);
	assert_int_equal(p.entry.gid, 0);
	assert_int_equal(p.entry.rdev_major, 4095);
	assert_int_equal(p.entry.rdev_minor, 1048575);
	assert_int_equal(p.entry.atime.tv_sec, 1);
	assert_int_equal(p.entry.mtime.tv_sec, -1);
	assert_int_equal(p.entry.mtime.tv_nsec, 0);
	assert_int_equal(p.entry.ctime.tv_nsec, 500000000);
	assert_int_equal(p.entry.btime.tv_sec, -1);
	assert_int_equal(p.entry.btime.tv_nsec, 999999999);
	assert_true(p.entry.nodatacow);
	assert_false(p.entry.nodatasum);
	assert_true(p.entry.keys & MANIFEST_NODATASUM);
	release(&p);
	p = parse("only/a/path");
	assert_int_equal(p.ret, 0);
	assert_int_equal(p.entry.keys, 0);
	release(&p);
}

static void test_escapes(void **state)
{
	struct parsed p = parse("a\\040b\\x0ac\\\\d\\n\\t\\r\\x20\\377=x type=symlink target=\\x41\\101=\\\\");

	(void)state;
	assert_int_equal(p.ret, 0);
	assert_int_equal(p.path_len, 14);
	assert_memory_equal(p.path, "a b\nc\\d\n\t\r \xff=x", 14);
	assert_string_equal(p.entry.target, "AA=\\");
	release(&p);
}

static void test_xattrs(void **state)
{
	struct parsed p = parse("f xattr.user.b=\\000x\\000 xattr.trusted.a= xattr.user.c xattr.user.a\\075b=1=2");
	const struct manifest_xattr *xattrs = p.entry.xattrs;

	(void)state;
	assert_int_equal(p.ret, 0);
	assert_int_equal(p.entry.nr_xattrs, 4);
	assert_string_equal(xattrs[0].xattr.name, "trusted.a");
	assert_int_equal(xattrs[0].xattr.size, 0);
	assert_false(xattrs[0].removed);
	assert_string_equal(xattrs[1].xattr.name, "user.a=b");
	assert_memory_equal(xattrs[1].xattr.value, "1=2", 3);
	assert_string_equal(xattrs[2].xattr.name, "user.b");
	assert_int_equal(xattrs[2].xattr.size, 3);
	assert_memory_equal(xattrs[2].xattr.value, "\0x", 3);
	assert_string_equal(xattrs[3].xattr.name, "user.c");
	assert_true(xattrs[3].removed);
	release(&p);
}

static void test_refused(void **state)
{
	static const char *const bad[] = {
		" ", "f =x", "f =", "f colour=red", "f mode", "f mode=", "f mode=8", "f mode=10000", "f mode=0x1",
		"f mode=77777777777777777777777", "f mode=1 mode=1", "f uid=4294967295", "f uid=-1", "f uid=root",
		"f uid=99999999999999999999999", "f uid=1\\000", "f uid= gid=1", "f major=4096", "f minor=1048576",
		"f type=", "f type=door", "f type=char", "f type=char major=1", "f type=block minor=1",
		"f type=file major=1 minor=1", "f type=symlink", "f type=symlink target=", "f type=file target=x",
		"f type=dir content=x", "f type=symlink target=a\\000b", "f content=a\\000", "f mtime=", "f mtime=.5",
		"f mtime=1.", "f mtime=1.0000000000", "f mtime=1.x", "f mtime=--1", "f mtime=+1", "f mtime=1 2",
		"f mtime=9223372036854775807", "f mtime=1e3", "f nodatacow=maybe", "f nodatacow nodatacow",
		"f\\", "f\\x", "f\\x1", "f\\xg0", "f\\08", "f\\12", "f\\400", "f\\777", "f\\q", "f mo\\000de=1",
		"f xattr.=x", "f xattr.user.=x", "f xattr.user", "f xattr.nospace.a=x", "f xattr.user.a=1 xattr.user.a=2",
		"f xattr.user.a\\000b=1", "f mode=1 \\", "f subvol=", "f subvol=auto", "f type=file subvol=rw", "f compress",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct parsed p = parse(bad[i]);

		if (p.ret != -EINVAL || !p.problem.text[0])
			fail_msg("'%s': %d %s", bad[i], p.ret, p.problem.text);
		assert_int_equal(p.problem.error, -EINVAL);
		release(&p);
	}
}

static void test_limits(void **state)
{
	char *line = malloc(400000);
	struct parsed p;
	size_t len;

	(void)state;
	assert_non_null(line);
	/* a name of 255 bytes, one of 256 */
	len = (size_t)sprintf(line, "f xattr.user.");
	memset(line + len, 'n', 251);
	strcpy(line + len + 250, "=v");
	p = parse(line);
	assert_int_equal(p.ret, 0);
	assert_int_equal(strlen(p.entry.xattrs[0].xattr.name), 255);
	release(&p);
	strcpy(line + len + 250, "n=v");
	p = parse(line);
	assert_int_equal(p.ret, -EINVAL);
	release(&p);
	/* a target of 4095 bytes, one of 4096 */
	len = (size_t)sprintf(line, "f type=symlink target=");
	memset(line + len, 't', 4096);
	line[len + 4095] = '\0';
	p = parse(line);
	assert_int_equal(p.ret, 0);
	release(&p);
	line[len + 4095] = 't';
	line[len + 4096] = '\0';
	p = parse(line);
	assert_int_equal(p.ret, -EINVAL);
	release(&p);
	/* a value of 64 KiB of escapes, and one byte more */
	len = (size_t)sprintf(line, "f xattr.user.v=");
	for (size_t i = 0; i < 65536; i++)
		memcpy(line + len + 4 * i, "\\x00", 4);
	strcpy(line + len + (size_t)4 * 65536, "");
	p = parse(line);
	assert_int_equal(p.ret, 0);
	assert_int_equal(p.entry.xattrs[0].xattr.size, 65536);
	release(&p);
	strcpy(line + len + (size_t)4 * 65536, "v");
	p = parse(line);
	assert_int_equal(p.ret, -EINVAL);
	release(&p);
	free(line);
}

/* Bytes of all kinds in all kinds of order: an answer, never a crash; the sanitizers watch. */
static void test_noise(void **state)
{
	static const char alphabet[] = "ax=\\ \t.017/xattr.user.type=mode\xff\n";
	u64 seed = 12345;
	char line[80];

	(void)state;
	for (int round = 0; round < 200000; round++) {
		struct parsed p;
		size_t len;

		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		len = (seed >> 33) % (sizeof(line) - 1);
		for (size_t i = 0; i < len; i++) {
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			line[i] = alphabet[(seed >> 33) % (sizeof(alphabet) - 1)];
		}
		line[len] = '\0';
		p = parse(line);
		assert_true(p.ret == 0 || p.ret == -EINVAL);
		release(&p);
	}
}

/* ---- whole files ---- */

static int load(const void *text, size_t len)
{
	struct source_rules *rules = source_rules_create();
	int ret;

	make_file("manifest", text, len);
	ret = source_rules_manifest(rules, "manifest");
	source_rules_destroy(rules);
	return ret;
}

static void test_files(void **state)
{
	static const char good[] = "# comment\n\n \t \n\t# another\na mode=1\nb/c type=dir\nb type=dir\n. mode=755\nlast uid=1";
	static const char *const bad[] = {
		"a mode=1\nb\na uid=1\n", "a mode=1\n./a/ uid=1", "../a uid=1", "a/../b uid=1", ". type=file", "/ type=fifo",
		"a mode=9\n", "a subvol=default\nb subvol=default-ro", ". subvol=ro", "a compress=zstd:99\n",
	};

	(void)state;
	assert_int_equal(load("", 0), 0);
	assert_int_equal(load(good, strlen(good)), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(load(bad[i], strlen(bad[i])), -EINVAL);
	assert_int_equal(load("a mode=1\0\n", 10), -EINVAL);
	assert_int_equal(load("\0", 1), -EINVAL);
}

static void test_long_lines(void **state)
{
	const size_t size = SZ_1M + 2;
	char *text = malloc(size);

	(void)state;
	assert_non_null(text);
	memset(text, '#', size);
	text[SZ_1M] = '\n';
	assert_int_equal(load(text, SZ_1M + 1), 0);
	text[SZ_1M] = '#';
	assert_int_equal(load(text, size), -EINVAL);
	free(text);
}

static void test_no_file(void **state)
{
	struct source_rules *rules = source_rules_create();

	(void)state;
	assert_int_equal(source_rules_manifest(rules, "none"), -ENOENT);
	assert_int_equal(source_rules_manifest(rules, "top"), -EISDIR);
	assert_int_equal(source_rules_exclude_from(rules, "none"), -ENOENT);
	source_rules_destroy(rules);
}

static void test_exclude_files(void **state)
{
	static const char good[] = "# comment\n\n*.o\n/a/b/\n\\#x\n\\!y\n";
	static const char *const bad[] = { "a\n!b\n", "[\n", "./a\n", "/\n", "a//b\n", "a\\\n" };
	struct source_rules *rules = source_rules_create();

	(void)state;
	make_file("patterns", good, strlen(good));
	assert_int_equal(source_rules_exclude_from(rules, "patterns"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		make_file("patterns", bad[i], strlen(bad[i]));
		assert_int_equal(source_rules_exclude_from(rules, "patterns"), -EINVAL);
	}
	make_file("patterns", "a\0b\n", 4);
	assert_int_equal(source_rules_exclude_from(rules, "patterns"), -EINVAL);
	source_rules_destroy(rules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_xattrs),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_noise),
		scratch_test(test_files),
		scratch_test(test_long_lines),
		scratch_test(test_no_file),
		scratch_test(test_exclude_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
