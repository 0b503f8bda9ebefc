// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The device set: what it refuses and how it says so, locks, new image files, and
 * (as root) real loop devices.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "io/device-set.h"

#define MAX_LOOPS 2

struct fixture {
	char folder[64];
	char previous[PATH_MAX];
	int loops[MAX_LOOPS];
	unsigned nr_loops;
	char message[4096];	/* what the last expect_*() call printed */
};

static void remove_files(void)
{
	DIR *dir = opendir(".");
	struct dirent *entry;

	while ((entry = readdir(dir)))
		if (unlink(entry->d_name))
			rmdir(entry->d_name);
	closedir(dir);
}

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	if (!fixture)
		return -1;
	*state = fixture;
	strcpy(fixture->folder, "/tmp/test-device-set.XXXXXX");
	if (!getcwd(fixture->previous, sizeof(fixture->previous)) || !mkdtemp(fixture->folder))
		return -1;
	return chdir(fixture->folder);
}

/* Runs after a failed test as well: nothing stays attached. */
static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	while (fixture->nr_loops) {
		int fd = fixture->loops[--fixture->nr_loops];

		ioctl(fd, LOOP_CLR_FD);
		close(fd);
	}
	remove_files();
	if (chdir(fixture->previous))
		return -1;
	rmdir(fixture->folder);
	free(fixture);
	return 0;
}

static void make_file(const char *name, off_t size, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, mode);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	close(fd);
}

static unsigned nr_files(void)
{
	DIR *dir = opendir(".");
	unsigned nr = 0;

	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr - 2;
}

struct call {
	char *paths[3];
	bool write;
	bool allow_busy;
	enum io_direct_mode mode;
	u64 create_size;
};

static int open_call(struct io_device_set *set, const struct call *call)
{
	unsigned nr = 0;

	while (nr < ARRAY_SIZE(call->paths) && call->paths[nr])
		nr++;
	if (call->write) {
		const struct io_write_options options = { .direct = call->mode, .create_size = call->create_size };

		return io_device_set_open_write(set, call->paths, nr, &options);
	}
	return io_device_set_open_read(set, call->paths, nr, call->mode, call->allow_busy);
}

/* The same, with standard error caught in fixture->message. */
static int open_quietly(struct fixture *fixture, struct io_device_set *set, const struct call *call)
{
	int saved = dup(STDERR_FILENO);
	FILE *file = tmpfile();
	ssize_t len;
	int ret;

	dup2(fileno(file), STDERR_FILENO);
	ret = open_call(set, call);
	dup2(saved, STDERR_FILENO);
	close(saved);
	len = pread(fileno(file), fixture->message, sizeof(fixture->message) - 1, 0);
	fixture->message[MAX(len, 0)] = 0;
	fclose(file);
	return ret;
}

/* One line that has both texts in it, and nothing left open. */
static void expect_refusal(struct fixture *fixture, const struct call *call, int err, const char *text,
			   const char *more)
{
	struct io_device_set set;
	int before = dup(0), after;

	close(before);
	assert_int_equal(open_quietly(fixture, &set, call), err);
	assert_int_equal(set.nr, 0);
	assert_null(set.devices);
	if (!strstr(fixture->message, text) || !strstr(fixture->message, more))
		fail_msg("\"%s\" lacks \"%s\" or \"%s\"", fixture->message, text, more);
	assert_ptr_equal(strchr(fixture->message, '\n'), fixture->message + strlen(fixture->message) - 1);
	after = dup(0);
	close(after);
	assert_int_equal(before, after);
}

static void expect_open(struct fixture *fixture, struct io_device_set *set, const struct call *call)
{
	int ret = open_quietly(fixture, set, call);

	if (ret)
		fail_msg("refused with %d: %s", ret, fixture->message);
}

static void test_odd_types(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "socket" };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	unsigned write;

	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(mkdir("dir", 0700), 0);
	assert_int_equal(symlink("nothing", "dangling"), 0);
	alarm(20);
	for (write = 0; write < 2; write++) {
		struct call call = { .write = write, .create_size = write ? SZ_1M : 0 };

		call.paths[0] = "fifo";
		expect_refusal(*state, &call, -EINVAL, "fifo", "FIFO");
		call.paths[0] = "dir";
		expect_refusal(*state, &call, -EINVAL, "dir", "directory");
		call.paths[0] = "socket";
		expect_refusal(*state, &call, -EINVAL, "socket", "a socket");
		call.paths[0] = "/dev/zero";
		expect_refusal(*state, &call, -EINVAL, "/dev/zero", "character device");
		call.paths[0] = "dangling";
		expect_refusal(*state, &call, -ENOENT, "dangling", write ? "leads nowhere" : "No such");
		call.paths[0] = "";
		expect_refusal(*state, &call, -ENOENT, "ERROR", "");
		call.paths[0] = "nofolder/x";
		expect_refusal(*state, &call, -ENOENT, "nofolder/x", "No such");
	}
	alarm(0);
	assert_int_equal(nr_files(), 4);
}

static void test_names_are_escaped(void **state)
{
	struct call call = { .paths = { "evil\n\x1b[2Jname" } };

	expect_refusal(*state, &call, -ENOENT, "evil\\n\\x1b[2Jname", "No such file");
}

static void test_read(void **state)
{
	struct call call = { .paths = { "image" } };
	struct io_device_set set;
	struct stat before, after;
	void *buffer = NULL;
	unsigned mode;

	make_file("image", 70000, 0444);
	assert_int_equal(stat("image", &before), 0);
	assert_int_equal(posix_memalign(&buffer, 4096, 8192), 0);
	for (mode = 0; mode < 2; mode++) {
		call.mode = mode ? IO_DIRECT_NEVER : IO_DIRECT_AUTO;
		expect_open(*state, &set, &call);
		assert_int_equal(set.nr, 1);
		assert_string_equal(set.devices[0].path, "image");
		assert_int_equal(set.devices[0].size, 70000);
		assert_false(set.devices[0].is_block);
		assert_true(set.devices[0].read_only);
		assert_true(is_power_of_2(set.devices[0].block_size));
		assert_int_equal(fcntl(set.devices[0].fd, F_GETFL) & O_ACCMODE, O_RDONLY);
		assert_int_equal(fcntl(set.devices[0].fd, F_GETFL) & O_NONBLOCK, 0);
		assert_int_equal(!!(fcntl(set.devices[0].fd, F_GETFL) & O_DIRECT), set.devices[0].direct);
		if (mode)
			assert_false(set.devices[0].direct);
		assert_int_equal(io_device_pread(&set.devices[0], buffer, 8192, 4096), 0);
		assert_int_equal(io_device_pread(&set.devices[0], buffer, 4096, 1 << 20), -EIO);
		assert_int_equal(io_device_pwrite(&set.devices[0], buffer, 4096, 0), -EBADF);
		io_device_set_close(&set);
		assert_null(set.devices);
	}
	free(buffer);
	assert_int_equal(stat("image", &after), 0);
	assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof(before.st_mtim));
	assert_memory_equal(&before.st_ctim, &after.st_ctim, sizeof(before.st_ctim));
}

static void test_write(void **state)
{
	struct call call = { .paths = { "one", "two" }, .write = true, .mode = IO_DIRECT_AUTO };
	struct io_device_set set;
	u8 *buffer = NULL;

	make_file("one", 1 << 20, 0644);
	make_file("two", 2 << 20, 0644);
	expect_open(*state, &set, &call);
	assert_int_equal(set.nr, 2);
	assert_int_equal(set.devices[0].size, 1 << 20);
	assert_int_equal(set.devices[1].size, 2 << 20);
	assert_false(set.devices[1].read_only);
	assert_null(set.devices[1].temporary);
	assert_int_equal(posix_memalign((void **)&buffer, 4096, 8192), 0);
	memset(buffer, 0x5a, 8192);
	assert_int_equal(io_device_pwrite(&set.devices[1], buffer, 8192, 65536), 0);
	memset(buffer, 0, 8192);
	assert_int_equal(io_device_pread(&set.devices[1], buffer, 8192, 65536), 0);
	assert_int_equal(buffer[0], 0x5a);
	assert_int_equal(buffer[8191], 0x5a);
	free(buffer);
	assert_int_equal(io_device_set_flush(&set), 0);
	assert_int_equal(io_device_set_publish(&set), 0);
	io_device_set_close(&set);
	assert_int_equal(nr_files(), 2);
	call.paths[1] = "three";
	expect_refusal(*state, &call, -ENOENT, "three", "does not exist");
}

static void test_same_file_twice(void **state)
{
	static char *const second[] = { "image", "./image", "hard", "soft" };
	unsigned i;

	make_file("image", 8192, 0600);
	make_file("other", 8192, 0600);
	assert_int_equal(link("image", "hard"), 0);
	assert_int_equal(symlink("image", "soft"), 0);
	for (i = 0; i < ARRAY_SIZE(second); i++) {
		struct call call = { .paths = { "image", "other", second[i] } };

		expect_refusal(*state, &call, -EINVAL, "is the same file as image", second[i]);
		call.write = true;
		expect_refusal(*state, &call, -EINVAL, "is the same file as image", second[i]);
	}
}

static void test_locks(void **state)
{
	struct call read = { .paths = { "image" } };
	struct call write = { .paths = { "image" }, .write = true };
	struct io_device_set writer, reader, another;

	make_file("image", 8192, 0600);
	expect_open(*state, &writer, &write);
	expect_refusal(*state, &write, -EBUSY, "image", "locked by another program");
	expect_refusal(*state, &read, -EBUSY, "image", "locked by another program");
	read.allow_busy = true;
	expect_open(*state, &reader, &read);
	assert_non_null(strstr(((struct fixture *)*state)->message, "WARNING: image is locked"));
	io_device_set_close(&reader);
	io_device_set_close(&writer);

	read.allow_busy = false;
	expect_open(*state, &reader, &read);
	expect_open(*state, &another, &read);
	expect_refusal(*state, &write, -EBUSY, "image", "locked by another program");
	io_device_set_close(&another);
	io_device_set_close(&reader);
	expect_open(*state, &writer, &write);
	io_device_set_close(&writer);
}

static void test_new_image(void **state)
{
	struct call call = { .paths = { "./new" }, .write = true, .create_size = 3 << 20 };
	struct io_device_set set;
	struct stat st, named;
	mode_t mask = umask(027);

	expect_open(*state, &set, &call);
	umask(mask);
	assert_int_equal(set.devices[0].size, 3 << 20);
	assert_non_null(set.devices[0].temporary);
	if (set.devices[0].unnamed)
		assert_int_equal(nr_files(), 0);	/* nothing would be left by SIGKILL */
	else
		assert_int_equal(strncmp(set.devices[0].temporary, "./.new.", 7), 0);
	assert_int_equal(stat(set.devices[0].temporary, &st), 0);
	assert_int_equal(st.st_size, 3 << 20);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(st.st_ino, set.devices[0].ino);
	assert_int_equal(access("new", F_OK), -1);
	assert_int_equal(io_device_set_publish(&set), 0);
	assert_null(set.devices[0].temporary);
	assert_int_equal(stat("new", &named), 0);
	assert_int_equal(named.st_ino, st.st_ino);
	io_device_set_close(&set);
	assert_int_equal(access("new", F_OK), 0);
	assert_int_equal(nr_files(), 1);
}

static void test_unpublished_image_goes(void **state)
{
	char name[NAME_MAX + 1];
	struct call call = { .paths = { "new", name }, .write = true, .create_size = SZ_1M };
	struct io_device_set set;

	memset(name, 'n', NAME_MAX);
	name[NAME_MAX] = 0;
	expect_open(*state, &set, &call);
	assert_int_equal(nr_files(), set.devices[0].unnamed ? 0 : 2);
	io_device_set_close(&set);
	assert_int_equal(nr_files(), 0);
	/* neither do images stay when a later path is refused, or cannot be that big */
	call.paths[1] = "/dev/zero";
	expect_refusal(*state, &call, -EINVAL, "/dev/zero", "character device");
	call.paths[1] = NULL;
	call.create_size = UINT64_MAX;
	expect_refusal(*state, &call, -EFBIG, "new", "size of 16.00EiB");
	assert_int_equal(nr_files(), 0);
}

static void test_new_image_twice(void **state)
{
	struct call call = { .paths = { "new", "./new" }, .write = true, .create_size = SZ_1M };

	expect_refusal(*state, &call, -EINVAL, "./new would be the same file as", "new;");
	call.paths[0] = "folder/";
	call.paths[1] = NULL;
	expect_refusal(*state, &call, -ENOENT, "folder/", "not the name of a file");
	assert_int_equal(nr_files(), 0);
}

/* Somebody else made the second file: it stays, and the first image goes again. */
static void test_appeared_file_stays(void **state)
{
	struct call call = { .paths = { "first", "second" }, .write = true, .create_size = SZ_1M };
	struct io_device_set set;
	struct stat st;

	expect_open(*state, &set, &call);
	make_file("second", 77, 0600);
	assert_int_equal(io_device_set_publish(&set), -EEXIST);
	io_device_set_close(&set);
	assert_int_equal(stat("second", &st), 0);
	assert_int_equal(st.st_size, 77);
	assert_int_equal(nr_files(), 1);
}

static void test_deleted_target(void **state)
{
	struct call call = { .paths = { "image" }, .write = true };
	struct io_device_set set;

	make_file("image", 8192, 0600);
	expect_open(*state, &set, &call);
	unlink("image");
	assert_int_equal(io_device_set_publish(&set), -ENOENT);
	io_device_set_close(&set);
}

static void test_sum_of_sizes(void **state)
{
	char names[3][64];
	struct call call = { .paths = { names[0], names[1], names[2] } };
	bool possible = true;
	unsigned i;

	for (i = 0; i < 3; i++) {
		int fd;

		snprintf(names[i], sizeof(names[i]), "/dev/shm/test-device-set.%d.%u", (int)getpid(), i);
		fd = open(names[i], O_RDWR | O_CREAT | O_EXCL, 0600);
		possible = possible && fd >= 0 && !ftruncate(fd, (off_t)6 << 60);
		if (fd >= 0)
			close(fd);
	}
	if (possible)
		expect_refusal(*state, &call, -EFBIG, names[2], "sum of all sizes");
	for (i = 0; i < 3; i++)
		unlink(names[i]);
	if (!possible)
		skip();
}

/* The last part of loop devices: only root has them. */
struct attachment {
	const char *file;
	u64 offset;
	u64 length;
	bool read_only;
};

static bool attach(struct fixture *fixture, const struct attachment *attachment, char *node, size_t size)
{
	struct loop_config config = { .fd = (u32)open(attachment->file, O_RDWR | O_CLOEXEC) };
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	int fd = -1;
	unsigned tries;

	config.info.lo_offset = attachment->offset;
	config.info.lo_sizelimit = attachment->length;
	config.info.lo_flags = attachment->read_only ? LO_FLAGS_READ_ONLY : 0;
	/* another program may take the free one first */
	for (tries = 0; control >= 0 && tries < 20 && fd < 0; tries++) {
		snprintf(node, size, "/dev/loop%d", ioctl(control, LOOP_CTL_GET_FREE));
		fd = open(node, O_RDWR | O_CLOEXEC);
		if (fd >= 0 && ioctl(fd, LOOP_CONFIGURE, &config)) {
			close(fd);
			fd = -1;
		}
	}
	close((int)config.fd);
	if (control >= 0)
		close(control);
	if (fd >= 0)
		fixture->loops[fixture->nr_loops++] = fd;
	return fd >= 0;
}

static void need_loop(struct fixture *fixture, const struct attachment *attachment, char *node, size_t size)
{
	if (geteuid() || !attach(fixture, attachment, node, size))
		skip();
}

static void test_block_device(void **state)
{
	const struct attachment attachment = { .file = "image" };
	char node[32];
	struct call call = { .paths = { node } };
	struct io_device_set set, other;
	struct stat st;
	unsigned write;

	make_file("image", 4 << 20, 0600);
	need_loop(*state, &attachment, node, sizeof(node));
	assert_int_equal(stat(node, &st), 0);
	for (write = 0; write < 2; write++) {
		call.write = write;
		expect_open(*state, &set, &call);
		assert_true(set.devices[0].is_block);
		assert_int_equal(set.devices[0].size, 4 << 20);
		assert_int_equal(set.devices[0].rdev, st.st_rdev);
		assert_int_equal(set.devices[0].block_size, 512);
		assert_true(set.devices[0].direct);
		/* exclusive for as long as it is open */
		expect_refusal(*state, &call, -EBUSY, node, "is in use (mounted or held by another program)");
		if (!write) {
			call.allow_busy = true;
			expect_open(*state, &other, &call);
			assert_non_null(strstr(((struct fixture *)*state)->message, "WARNING"));
			io_device_set_close(&other);
			call.allow_busy = false;
		}
		assert_int_equal(io_device_set_flush(&set), 0);
		io_device_set_close(&set);
	}
}

static void test_same_device_twice(void **state)
{
	const struct attachment attachment = { .file = "image" };
	char node[32];
	struct call call = { .paths = { node, "soft" } };

	make_file("image", 4 << 20, 0600);
	need_loop(*state, &attachment, node, sizeof(node));
	assert_int_equal(symlink(node, "soft"), 0);
	expect_refusal(*state, &call, -EINVAL, "soft is the same device as", node);
	call.paths[1] = "image";
	expect_refusal(*state, &call, -EINVAL, "image is the file behind the loop device", node);
	call.write = true;
	expect_refusal(*state, &call, -EINVAL, "image is the file behind the loop device", node);
	call.paths[0] = "image";
	call.paths[1] = node;
	expect_refusal(*state, &call, -EINVAL, node, "is a loop device over image");
}

static void test_attached_image(void **state)
{
	const struct attachment attachment = { .file = "image" };
	char node[32];
	struct call call = { .paths = { "image" } };
	struct io_device_set set;
	int holder;

	make_file("image", 4 << 20, 0600);
	need_loop(*state, &attachment, node, sizeof(node));
	/* attached, but idle: good enough for reading */
	expect_open(*state, &set, &call);
	io_device_set_close(&set);
	call.write = true;
	expect_refusal(*state, &call, -EBUSY, "image is attached to", node);
	/* what a mount does */
	holder = open(node, O_RDONLY | O_EXCL);
	assert_true(holder >= 0);
	call.write = false;
	expect_refusal(*state, &call, -EBUSY, "image is in use through", node);
	call.allow_busy = true;
	expect_open(*state, &set, &call);
	io_device_set_close(&set);
	close(holder);
	/* the name is gone, the inode is not */
	assert_int_equal(rename("image", "moved"), 0);
	make_file("image", 4 << 20, 0600);
	call = (struct call){ .paths = { "moved" }, .write = true };
	expect_refusal(*state, &call, -EBUSY, "moved is attached to", node);
	assert_int_equal(link("moved", "image2"), 0);
	unlink("moved");
	call.paths[0] = "image2";
	expect_refusal(*state, &call, -EBUSY, "image2 is attached to", node);
	call.paths[0] = "image";
	expect_open(*state, &set, &call);
	io_device_set_close(&set);
}

static void test_read_only_device(void **state)
{
	const struct attachment attachment = { .file = "image", .read_only = true };
	char node[32];
	struct call call = { .paths = { node }, .write = true };
	struct io_device_set set;
	int holder;

	make_file("image", 4 << 20, 0600);
	need_loop(*state, &attachment, node, sizeof(node));
	expect_refusal(*state, &call, -EROFS, node, "is read-only");
	call.write = false;
	expect_open(*state, &set, &call);
	io_device_set_close(&set);
	/* held, but nothing can change underneath */
	holder = open(node, O_RDONLY | O_EXCL);
	assert_true(holder >= 0);
	call.paths[0] = "image";
	expect_open(*state, &set, &call);
	io_device_set_close(&set);
	close(holder);
}

static void two_parts(struct fixture *fixture, u64 length, char nodes[2][32])
{
	const struct attachment first = { .file = "image", .offset = 0, .length = length };
	const struct attachment second = { .file = "image", .offset = 2 << 20 };

	make_file("image", 4 << 20, 0600);
	need_loop(fixture, &first, nodes[0], sizeof(nodes[0]));
	need_loop(fixture, &second, nodes[1], sizeof(nodes[1]));
}

/* Two partitions of one image: one in use does not make the other busy. */
static void test_two_parts(void **state)
{
	char nodes[2][32];
	struct call call = { .paths = { nodes[0], nodes[1] }, .write = true };
	struct io_device_set set;
	int holder;

	two_parts(*state, 2 << 20, nodes);
	expect_open(*state, &set, &call);
	assert_int_equal(set.devices[0].size, 2 << 20);
	assert_int_equal(set.devices[1].size, 2 << 20);
	io_device_set_close(&set);
	holder = open(nodes[0], O_RDONLY | O_EXCL);
	assert_true(holder >= 0);
	expect_refusal(*state, &call, -EBUSY, nodes[0], "is in use");
	call.paths[0] = nodes[1];
	call.paths[1] = NULL;
	expect_open(*state, &set, &call);
	io_device_set_close(&set);
	close(holder);
}

static void test_overlapping_parts(void **state)
{
	char nodes[2][32];
	struct call call = { .paths = { nodes[0], nodes[1] }, .write = true };

	two_parts(*state, (2 << 20) + 512, nodes);
	expect_refusal(*state, &call, -EINVAL, nodes[1], "shows the same part of a file as");
}

#define device_test(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		device_test(test_odd_types),
		device_test(test_names_are_escaped),
		device_test(test_read),
		device_test(test_write),
		device_test(test_same_file_twice),
		device_test(test_locks),
		device_test(test_new_image),
		device_test(test_unpublished_image_goes),
		device_test(test_new_image_twice),
		device_test(test_appeared_file_stays),
		device_test(test_deleted_target),
		device_test(test_sum_of_sizes),
		device_test(test_block_device),
		device_test(test_same_device_twice),
		device_test(test_attached_image),
		device_test(test_read_only_device),
		device_test(test_two_parts),
		device_test(test_overlapping_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
