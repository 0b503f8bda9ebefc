// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Data of files: holes, and every way in which a file can change between its entry and its read.
 * Each change is made between two calls, so that nothing depends on time.
 */
#include "tests/unit/source-tree.h"

#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

#define GUARD	0x5a

static struct source_file *only_file(const char *top, const char *name)
{
	struct source *source = open_source(top);
	struct source_file *file = find_entry(source, name)->file;

	assert_non_null(file);
	source_destroy(source);
	return file;
}

/* Reads into a buffer full of other bytes; what the file did not give has to be zero. */
static void expect_read(struct source_file *file, u64 offset, size_t len, size_t want_got,
			enum source_file_state want_state)
{
	enum source_file_state state = SOURCE_FILE_SAME;
	u8 *buf = malloc(len + 1);
	size_t got;

	memset(buf, GUARD, len + 1);
	assert_int_equal(source_file_read(file, buf, offset, len, &got, &state), 0);
	assert_int_equal(got, want_got);
	assert_int_equal(state, want_state);
	for (size_t i = got; i < len; i++)
		assert_int_equal(buf[i], 0);
	assert_int_equal(buf[len], GUARD);
	free(buf);
}

static void expect_data(struct source_file *file, u64 offset, u64 want_start, u64 want_end)
{
	u64 start;
	u64 end;

	assert_int_equal(source_file_next_data(file, offset, &start, &end), 1);
	assert_int_equal(start, want_start);
	assert_int_equal(end, want_end);
}

static void expect_no_data(struct source_file *file, u64 offset)
{
	u64 start;
	u64 end;

	assert_int_equal(source_file_next_data(file, offset, &start, &end), 0);
}

static void make_pattern(const char *path, size_t len)
{
	u8 *data = malloc(len);

	for (size_t i = 0; i < len; i++)
		data[i] = (u8)(i * 7 + 1);
	make_file(path, data, len);
	free(data);
}

static void test_read(void **state)
{
	enum source_file_state file_state = SOURCE_FILE_SAME;
	struct source_file *file;
	u8 buf[64];
	size_t got;

	(void)state;
	make_pattern("top/f", 10000);
	file = only_file("top", "f");
	assert_int_equal(source_file_size(file), 10000);
	expect_data(file, 0, 0, 10000);
	expect_data(file, 5000, 5000, 10000);
	expect_no_data(file, 10000);
	expect_no_data(file, ~0ULL);
	expect_read(file, 0, 10000, 10000, SOURCE_FILE_SAME);
	expect_read(file, 8192, 4096, 10000 - 8192, SOURCE_FILE_SAME);
	expect_read(file, 10000, 16, 0, SOURCE_FILE_SAME);
	expect_read(file, ~0ULL - 8, 16, 0, SOURCE_FILE_SAME);
	source_file_close(file);
	assert_int_equal(source_file_read(file, buf, 300, sizeof(buf), &got, &file_state), 0);
	for (size_t i = 0; i < sizeof(buf); i++)
		assert_int_equal(buf[i], (u8)((i + 300) * 7 + 1));
	source_file_put(file);
}

static void test_references(void **state)
{
	unsigned before = count_descriptors();
	struct source_file *file;

	(void)state;
	make_pattern("top/f", 5000);
	file = only_file("top", "f");
	assert_ptr_equal(source_file_get(file), file);
	source_file_put(file);
	expect_read(file, 0, 5000, 5000, SOURCE_FILE_SAME);
	source_file_put(file);
	source_file_put(NULL);
	assert_int_equal(count_descriptors(), before);
}

/* ---- holes ---- */

static void test_sparse(void **state)
{
	const u64 size = (u64)1 << 40;
	const u64 middle = size / 2;
	struct source_file *file;
	int fd;

	(void)state;
	fd = open("top/f", O_CREAT | O_RDWR, 0644);
	if (ftruncate(fd, (off_t)size) < 0)
		skip();
	assert_int_equal(pwrite(fd, "x", 1, (off_t)middle), 1);
	close(fd);
	file = only_file("top", "f");
	expect_data(file, 0, middle, middle + 4096);
	expect_data(file, middle + 1, middle + 1, middle + 4096);
	expect_no_data(file, middle + 4096);
	expect_read(file, middle, 8192, 8192, SOURCE_FILE_SAME);
	source_file_put(file);
}

static void test_only_hole(void **state)
{
	struct source_file *file;

	(void)state;
	make_file("top/f", "", 0);
	assert_int_equal(truncate("top/f", 50 << 20), 0);
	make_file("top/small", "", 0);
	assert_int_equal(truncate("top/small", 100), 0);
	file = only_file("top", "f");
	expect_no_data(file, 0);
	source_file_put(file);
	file = only_file("top", "small");
	expect_no_data(file, 0);
	source_file_put(file);
}

static void test_preallocated(void **state)
{
	struct source_file *file;
	int fd;

	(void)state;
	fd = open("top/f", O_CREAT | O_RDWR, 0644);
	if (posix_fallocate(fd, 0, 1 << 20) != 0)
		skip();
	assert_int_equal(pwrite(fd, "x", 1, 65536), 1);
	assert_int_equal(fsync(fd), 0);
	close(fd);
	file = only_file("top", "f");
	expect_data(file, 0, 65536, 65536 + 4096);
	expect_no_data(file, 65536 + 4096);
	source_file_put(file);
}

/* ---- changes ---- */

static void test_shrunk(void **state)
{
	struct source_file *file;

	(void)state;
	make_pattern("top/f", 3000);
	file = only_file("top", "f");
	assert_int_equal(truncate("top/f", 10), 0);
	expect_data(file, 0, 0, 3000);
	expect_read(file, 0, 3000, 10, SOURCE_FILE_CHANGED);
	expect_read(file, 100, 50, 0, SOURCE_FILE_CHANGED);
	source_file_put(file);
}

static void test_shrunk_between_reads(void **state)
{
	struct source_file *file;

	(void)state;
	make_pattern("top/f", 1 << 20);
	file = only_file("top", "f");
	expect_data(file, 0, 0, 1 << 20);
	expect_read(file, 0, 65536, 65536, SOURCE_FILE_SAME);
	assert_int_equal(truncate("top/f", 100000), 0);
	expect_read(file, 65536, 65536, 100000 - 65536, SOURCE_FILE_CHANGED);
	/* No data is left, but whoever asks has to come to the read that tells. */
	expect_data(file, 200000, (1 << 20) - 4096, 1 << 20);
	expect_no_data(file, 1 << 20);
	source_file_put(file);
}

static void test_became_hole(void **state)
{
	struct source_file *file;

	(void)state;
	make_pattern("top/f", 100000);
	file = only_file("top", "f");
	assert_int_equal(truncate("top/f", 0), 0);
	assert_int_equal(truncate("top/f", 100000), 0);
	expect_data(file, 0, ALIGN_DOWN(99999, 4096), 100000);
	expect_read(file, ALIGN_DOWN(99999, 4096), 1000, 1000, SOURCE_FILE_CHANGED);
	source_file_put(file);
}

static void test_grown(void **state)
{
	struct source_file *file;
	int fd;

	(void)state;
	make_pattern("top/f", 5000);
	file = only_file("top", "f");
	fd = open("top/f", O_WRONLY | O_APPEND);
	assert_int_equal(write(fd, "more", 4), 4);
	close(fd);
	expect_data(file, 0, 0, 5000);
	expect_read(file, 0, 8192, 5000, SOURCE_FILE_CHANGED);
	source_file_put(file);
}

/* Same size, other bytes: only the times tell. */
static void test_rewritten(void **state)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = 1000, .tv_nsec = 5 } };
	struct source_file *file;

	(void)state;
	make_pattern("top/f", 5000);
	file = only_file("top", "f");
	expect_read(file, 0, 100, 100, SOURCE_FILE_SAME);
	assert_int_equal(utimensat(AT_FDCWD, "top/f", times, 0), 0);
	expect_read(file, 100, 100, 100, SOURCE_FILE_CHANGED);
	source_file_put(file);
}

static void expect_gone(struct source_file *file)
{
	expect_read(file, 0, 5000, 0, SOURCE_FILE_CHANGED);
	expect_data(file, 0, 4096, 5000);
	source_file_put(file);
}

static struct source_file *file_to_lose(void)
{
	make_pattern("top/f", 5000);
	return only_file("top", "f");
}

static void test_vanished(void **state)
{
	struct source_file *file = file_to_lose();

	(void)state;
	unlink("top/f");
	expect_gone(file);
}

/* Only asked where its data is: nothing must hide that it is gone. */
static void test_vanished_before_seek(void **state)
{
	struct source_file *file = file_to_lose();

	(void)state;
	unlink("top/f");
	expect_data(file, 0, 4096, 5000);
	expect_read(file, 4096, 904, 0, SOURCE_FILE_CHANGED);
	source_file_put(file);
}

static void test_replaced_by_file(void **state)
{
	struct source_file *file = file_to_lose();

	(void)state;
	make_pattern("other", 5000);
	assert_int_equal(rename("other", "top/f"), 0);
	expect_gone(file);
}

static void test_replaced_by_fifo(void **state)
{
	struct source_file *file = file_to_lose();

	(void)state;
	unlink("top/f");
	assert_int_equal(mkfifo("top/f", 0644), 0);
	alarm(20);	/* a reader that blocks fails the test */
	expect_gone(file);
	alarm(0);
}

static void test_replaced_by_socket(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "top/f" };
	struct source_file *file = file_to_lose();
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)state;
	unlink("top/f");
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	expect_gone(file);
	close(fd);
}

static void test_replaced_by_symlink(void **state)
{
	struct source_file *file = file_to_lose();

	(void)state;
	assert_int_equal(rename("top/f", "top/g"), 0);
	assert_int_equal(symlink("g", "top/f"), 0);
	expect_gone(file);
}

static void test_replaced_by_directory(void **state)
{
	struct source_file *file = file_to_lose();

	(void)state;
	unlink("top/f");
	assert_int_equal(mkdir("top/f", 0755), 0);
	expect_gone(file);
}

/* The top was renamed away: its descriptor still leads to the file. A lower directory is lost. */
static void test_directory_renamed(void **state)
{
	struct source *source;
	struct source_file *file;

	(void)state;
	mkdir("top/d", 0755);
	make_pattern("top/d/f", 5000);
	source = open_source("top");
	file = find_entry(source, "f")->file;
	assert_int_equal(rename("top", "elsewhere"), 0);
	expect_read(file, 0, 5000, 5000, SOURCE_FILE_SAME);
	source_file_close(file);
	/* Ends the directory of the file, and with it the open descriptor. */
	source_destroy(source);
	assert_int_equal(rename("elsewhere/d", "elsewhere/e"), 0);
	expect_read(file, 0, 5000, 5000, SOURCE_FILE_SAME);
	source_file_put(file);
}

/* The attribute says 4096 bytes, and gives a few. */
static void test_sysfs(void **state)
{
	struct source_file *file;
	struct stat st;
	enum source_file_state file_state = SOURCE_FILE_SAME;
	char buf[4096];
	size_t got;

	(void)state;
	if (stat("/sys/kernel/mm/transparent_hugepage/enabled", &st) < 0 || st.st_size != 4096)
		skip();
	file = only_file("/sys/kernel/mm/transparent_hugepage", "enabled");
	expect_data(file, 0, 0, 4096);
	assert_int_equal(source_file_read(file, buf, 0, sizeof(buf), &got, &file_state), 0);
	assert_in_range(got, 1, 200);
	assert_int_equal(file_state, SOURCE_FILE_CHANGED);
	assert_int_equal(buf[got], 0);
	source_file_put(file);
}

static void test_unreadable(void **state)
{
	enum source_file_state file_state = SOURCE_FILE_SAME;
	struct source_file *file = file_to_lose();
	char buf[16];
	size_t got;
	int ret;

	(void)state;
	chmod(".", 0755);
	chmod("top/f", 0);
	if (geteuid() == 0 && seteuid(65534) < 0)
		skip();
	memset(buf, GUARD, sizeof(buf));
	ret = source_file_read(file, buf, 0, sizeof(buf), &got, &file_state);
	assert_int_equal(seteuid(getuid()), 0);
	assert_int_equal(ret, -EACCES);
	assert_int_equal(got, 0);
	assert_int_equal(buf[0], 0);
	source_file_put(file);
}

/* ---- threads ---- */

struct reader {
	pthread_t thread;
	struct source_file **files;
	unsigned nr;
	unsigned start;
	unsigned bad;
};

static void *read_files(void *arg)
{
	struct reader *reader = arg;

	for (unsigned i = 0; i < reader->nr; i++) {
		struct source_file *file = reader->files[(reader->start + i) % reader->nr];
		enum source_file_state state = SOURCE_FILE_SAME;
		u32 value = 0;
		size_t got;

		if (source_file_read(file, &value, reader->start % 4 * 4, 4, &got, &state) < 0 || got != 4 ||
		    value != (reader->start + i) % reader->nr || state != SOURCE_FILE_SAME)
			reader->bad++;
		source_file_put(source_file_get(file));
	}
	return NULL;
}

/* Many directories, so that descriptors are closed and opened all the time; all threads share the files. */
static void test_threads(void **state)
{
	enum { NR = 600, THREADS = 4 };
	struct source_file *files[NR];
	struct reader readers[THREADS];
	struct source *source;
	char path[64];

	(void)state;
	for (u32 i = 0; i < NR; i++) {
		u32 data[4] = { i, i, i, i };

		snprintf(path, sizeof(path), "top/%04u", i);
		assert_int_equal(mkdir(path, 0755), 0);
		strcat(path, "/f");
		make_file(path, data, sizeof(data));
	}
	source = open_source("top");
	for (unsigned i = 0; i < NR; i++)
		files[i] = find_entry(source, "f")->file;
	for (unsigned i = 0; i < THREADS; i++) {
		readers[i] = (struct reader){ .files = files, .nr = NR, .start = i * 37 };
		assert_int_equal(pthread_create(&readers[i].thread, NULL, read_files, &readers[i]), 0);
	}
	expect_end(source);
	source_destroy(source);
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(readers[i].thread, NULL);
		assert_int_equal(readers[i].bad, 0);
	}
	for (unsigned i = 0; i < NR; i++)
		source_file_put(files[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_read),
		scratch_test(test_references),
		scratch_test(test_sparse),
		scratch_test(test_only_hole),
		scratch_test(test_preallocated),
		scratch_test(test_shrunk),
		scratch_test(test_shrunk_between_reads),
		scratch_test(test_became_hole),
		scratch_test(test_grown),
		scratch_test(test_rewritten),
		scratch_test(test_vanished),
		scratch_test(test_vanished_before_seek),
		scratch_test(test_replaced_by_file),
		scratch_test(test_replaced_by_fifo),
		scratch_test(test_replaced_by_socket),
		scratch_test(test_replaced_by_symlink),
		scratch_test(test_replaced_by_directory),
		scratch_test(test_directory_renamed),
		scratch_test(test_sysfs),
		scratch_test(test_unreadable),
		scratch_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
