// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ring and its back ends: the same bytes through all of them, whole or in
 * pieces; ends of files, errors, refusals by the kernel, and the rate limit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/rate-limit.h"
#include "io/ring-internal.h"

#define NR_REQUESTS	40
#define REQUEST_SIZE	(3 * 16384 + 100)

static int temporary_file(void)
{
	char path[] = "/tmp/test-ring.XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	return fd;
}

/* False: this machine has no io_uring. */
static bool make_ring(struct io_ring **ring, const struct io_ring_options *options)
{
	int ret = io_ring_create(ring, options);

	if (ret && options->kind == IO_RING_URING)
		return false;
	assert_int_equal(ret, 0);
	return true;
}

static u8 pattern(u64 position)
{
	return (u8)(position * 2654435761u >> 13);
}

struct stream {
	struct io_request requests[NR_REQUESTS];
	struct iovec iov[NR_REQUESTS][4];
	u8 *memory;
};

/* Requests side by side, each of four unequal buffers, one of them empty. */
static void fill_stream(struct stream *stream, int fd, enum io_op op)
{
	static const size_t parts[4] = { 16384, 0, 32768 + 90, 10 };
	unsigned i, k;

	memset(stream, 0, sizeof(*stream));
	stream->memory = calloc(NR_REQUESTS, REQUEST_SIZE);
	assert_non_null(stream->memory);
	for (i = 0; i < NR_REQUESTS; i++) {
		struct io_request *request = &stream->requests[i];
		u8 *at = stream->memory + (size_t)i * REQUEST_SIZE;

		for (k = 0; k < 4; k++) {
			stream->iov[i][k].iov_base = at;
			stream->iov[i][k].iov_len = parts[k];
			at += parts[k];
		}
		request->op = op;
		request->fd = fd;
		request->offset = (u64)i * REQUEST_SIZE;
		request->iov = stream->iov[i];
		request->nr_iov = 4;
		request->user = &stream->requests[i];
	}
}

static void run_stream(struct io_ring *ring, struct stream *stream)
{
	bool seen[NR_REQUESTS] = { false };
	struct io_request *request;
	unsigned i;

	for (i = 0; i < NR_REQUESTS; i++)
		io_ring_submit(ring, &stream->requests[i]);
	assert_int_equal(io_ring_inflight(ring), NR_REQUESTS);
	for (i = 0; i < NR_REQUESTS; i++) {
		request = io_ring_reap(ring, true);
		assert_non_null(request);
		assert_ptr_equal(request->user, request);
		assert_false(seen[request - stream->requests]);
		seen[request - stream->requests] = true;
		assert_int_equal(request->result, 0);
		assert_int_equal(request->length, REQUEST_SIZE);
		assert_int_equal(request->done, REQUEST_SIZE);
	}
	assert_int_equal(io_ring_inflight(ring), 0);
	assert_null(io_ring_reap(ring, true));
}

/* Depth 5 with 40 requests: submit has to make room by itself. */
static bool round_trip(enum io_ring_kind kind, bool short_io)
{
	struct io_ring_options options = { .kind = kind, .depth = 5, .short_io = short_io };
	struct stream stream;
	struct io_ring *ring;
	int fd;
	u64 i;

	if (!make_ring(&ring, &options))
		return false;
	fd = temporary_file();
	fill_stream(&stream, fd, IO_WRITE);
	for (i = 0; i < (u64)NR_REQUESTS * REQUEST_SIZE; i++)
		stream.memory[i] = pattern(i);
	run_stream(ring, &stream);
	free(stream.memory);

	fill_stream(&stream, fd, IO_READ);
	run_stream(ring, &stream);
	for (i = 0; i < (u64)NR_REQUESTS * REQUEST_SIZE; i++)
		if (stream.memory[i] != pattern(i))
			fail_msg("byte %llu differs", (unsigned long long)i);
	free(stream.memory);
	io_ring_destroy(ring);
	close(fd);
	return true;
}

static void test_round_trip_sync(void **state)
{
	(void)state;
	round_trip(IO_RING_SYNC, false);
	round_trip(IO_RING_SYNC, true);
}

static void test_round_trip_uring(void **state)
{
	(void)state;
	if (!round_trip(IO_RING_URING, false))
		skip();
	round_trip(IO_RING_URING, true);
}

static void init_request(struct io_request *request, enum io_op op, int fd, struct iovec *iov)
{
	memset(request, 0, sizeof(*request));
	request->op = op;
	request->fd = fd;
	request->iov = iov;
	request->nr_iov = 1;
}

static struct io_request *run_one(struct io_ring *ring, struct io_request *request)
{
	io_ring_submit(ring, request);
	return io_ring_reap(ring, true);
}

static void check_ends(enum io_ring_kind kind, bool short_io)
{
	struct io_ring_options options = { .kind = kind, .short_io = short_io };
	static u8 buffer[8192];
	struct iovec iov = { buffer, sizeof(buffer) };
	struct io_request request;
	struct io_ring *ring;
	int fd;

	if (!make_ring(&ring, &options))
		return;
	fd = temporary_file();
	assert_int_equal(ftruncate(fd, 5000), 0);

	init_request(&request, IO_READ, fd, &iov);
	assert_ptr_equal(run_one(ring, &request), &request);
	assert_int_equal(request.result, -ENODATA);
	assert_int_equal(request.done, 5000);
	assert_int_equal(request.length, 8192);

	iov = (struct iovec){ buffer, sizeof(buffer) };
	request.offset = 5000;
	assert_ptr_equal(run_one(ring, &request), &request);
	assert_int_equal(request.result, -ENODATA);
	assert_int_equal(request.done, 0);

	iov.iov_len = 0;
	assert_ptr_equal(run_one(ring, &request), &request);
	assert_int_equal(request.result, 0);
	assert_int_equal(request.done, 0);
	close(fd);

	iov.iov_len = sizeof(buffer);
	request.fd = open("/dev/full", O_WRONLY);
	request.op = IO_WRITE;
	request.offset = 0;
	assert_ptr_equal(run_one(ring, &request), &request);
	assert_int_equal(request.result, -ENOSPC);
	close(request.fd);

	request.fd = -1;
	assert_ptr_equal(run_one(ring, &request), &request);
	assert_int_equal(request.result, -EBADF);
	io_ring_destroy(ring);
}

static void test_ends_and_errors(void **state)
{
	(void)state;
	check_ends(IO_RING_SYNC, false);
	check_ends(IO_RING_SYNC, true);
	check_ends(IO_RING_URING, false);
	check_ends(IO_RING_URING, true);
}

/* The rest of a direct read that met the end inside a block has no aligned offset. */
static void check_direct_end(enum io_ring_kind kind)
{
	struct io_ring_options options = { .kind = kind };
	struct io_request request;
	struct io_ring *ring;
	struct iovec iov = { NULL, 16384 };
	void *buffer = NULL;
	int fd = temporary_file();

	assert_int_equal(posix_memalign(&buffer, 4096, 16384), 0);
	iov.iov_base = buffer;
	assert_int_equal(ftruncate(fd, 5000), 0);
	if (!fcntl(fd, F_SETFL, O_DIRECT) && make_ring(&ring, &options)) {
		init_request(&request, IO_READ, fd, &iov);
		run_one(ring, &request);
		assert_int_equal(request.result, -ENODATA);
		assert_int_equal(request.done, 5000);
		io_ring_destroy(ring);
	}
	free(buffer);
	close(fd);
}

static void test_direct_end(void **state)
{
	(void)state;
	check_direct_end(IO_RING_SYNC);
	check_direct_end(IO_RING_URING);
}

static void test_advance(void **state)
{
	u8 buffer[30];
	struct iovec iov[3] = { { buffer, 10 }, { buffer + 10, 10 }, { buffer + 20, 10 } };
	struct io_request request = { .op = IO_WRITE, .offset = 1000, .iov = iov, .nr_iov = 3, .length = 30 };
	struct io_piece piece;

	(void)state;
	io_request_next_piece(&request, false, &piece);
	assert_int_equal(piece.offset, 1000);
	assert_int_equal(piece.nr_iov, 3);
	assert_false(io_request_advance(&request, -EINTR));
	assert_false(io_request_advance(&request, 13));
	io_request_next_piece(&request, false, &piece);
	assert_int_equal(piece.offset, 1013);
	assert_int_equal(piece.nr_iov, 2);
	assert_ptr_equal(piece.iov[0].iov_base, buffer + 13);
	assert_int_equal(piece.iov[0].iov_len, 7);
	assert_int_equal(piece.iov[1].iov_len, 10);
	assert_false(io_request_advance(&request, 7));
	io_request_next_piece(&request, false, &piece);
	assert_int_equal(piece.nr_iov, 1);
	assert_ptr_equal(piece.iov[0].iov_base, buffer + 20);
	assert_true(io_request_advance(&request, 10));
	assert_int_equal(request.result, 0);
	assert_int_equal(request.done, 30);
}

/* A device that takes no more bytes must not be asked for ever. */
static void test_write_of_nothing(void **state)
{
	u8 buffer[10];
	struct iovec iov = { buffer, 10 };
	struct io_request request = { .op = IO_WRITE, .iov = &iov, .nr_iov = 1, .length = 10 };

	(void)state;
	assert_false(io_request_advance(&request, 4));
	assert_true(io_request_advance(&request, 0));
	assert_int_equal(request.result, -EIO);
	assert_int_equal(request.done, 4);
}

static void test_short_pieces_stay_aligned(void **state)
{
	struct iovec iov = { NULL, 65536 };
	struct io_request request = { .iov = &iov, .nr_iov = 1, .length = 65536 };
	unsigned nr = 0;
	bool finished;

	(void)state;
	iov.iov_base = &iov;
	do {
		struct io_piece piece;

		io_request_next_piece(&request, true, &piece);
		assert_int_equal(piece.nr_iov, 1);
		assert_int_equal(piece.iov->iov_len % 4096, 0);
		assert_true(piece.iov->iov_len > 0);
		nr++;
		finished = io_request_advance(&request, (s64)piece.iov->iov_len);
	} while (!finished);
	assert_true(nr > 3);
}

static void test_null(void **state)
{
	struct io_ring_options options = { .kind = IO_RING_NULL };
	u8 buffer[16] = "untouched";
	struct iovec iov = { buffer, sizeof(buffer) };
	struct io_request request;
	struct io_ring *ring;

	(void)state;
	assert_true(make_ring(&ring, &options));
	assert_string_equal(io_ring_name(ring), "null");
	init_request(&request, IO_READ, -1, &iov);
	assert_ptr_equal(run_one(ring, &request), &request);
	assert_int_equal(request.result, 0);
	assert_int_equal(request.done, 16);
	assert_string_equal((char *)buffer, "untouched");
	io_ring_destroy(ring);
	io_ring_destroy(NULL);
}

static void check_failing(enum io_ring_kind kind)
{
	struct io_ring_options options = { .kind = kind, .fail_at = 3, .fail_errno = ENOSPC };
	struct io_request requests[5];
	struct iovec iov[5];
	u8 bytes[5] = "abcde", back[5] = { 0 };
	struct io_ring *ring;
	int fd;
	unsigned i;

	if (!make_ring(&ring, &options))
		return;
	fd = temporary_file();
	assert_int_equal(ftruncate(fd, 5), 0);
	for (i = 0; i < 5; i++) {
		iov[i] = (struct iovec){ &bytes[i], 1 };
		init_request(&requests[i], IO_WRITE, fd, &iov[i]);
		requests[i].offset = i;
		io_ring_submit(ring, &requests[i]);
	}
	for (i = 0; i < 5; i++)
		assert_non_null(io_ring_reap(ring, true));
	for (i = 0; i < 5; i++) {
		assert_int_equal(requests[i].result, i == 2 ? -ENOSPC : 0);
		assert_int_equal(requests[i].done, i == 2 ? 0 : 1);
	}
	assert_int_equal(pread(fd, back, 5, 0), 5);
	assert_memory_equal(back, "ab\0de", 5);
	io_ring_destroy(ring);
	close(fd);
}

static void test_failing(void **state)
{
	(void)state;
	check_failing(IO_RING_SYNC);
	check_failing(IO_RING_URING);
}

/* Destroy waits for what is under way: the bytes are there afterwards. */
static void test_destroy_waits(void **state)
{
	struct io_ring_options options = { .kind = IO_RING_AUTO };
	struct stream stream;
	struct io_ring *ring;
	unsigned i;
	int fd = temporary_file();

	(void)state;
	assert_true(make_ring(&ring, &options));
	fill_stream(&stream, fd, IO_WRITE);
	for (i = 0; i < NR_REQUESTS; i++)
		io_ring_submit(ring, &stream.requests[i]);
	io_ring_destroy(ring);
	for (i = 0; i < NR_REQUESTS; i++)
		assert_int_equal(stream.requests[i].done, REQUEST_SIZE);
	assert_int_equal(lseek(fd, 0, SEEK_END), (off_t)NR_REQUESTS * REQUEST_SIZE);
	free(stream.memory);
	close(fd);
}

/* Reaping without waiting gets there as well: nothing lies around unsubmitted. */
static void test_polling_finishes(void **state)
{
	struct io_ring_options options = { .kind = IO_RING_AUTO };
	u8 byte = 'x';
	struct iovec iov = { &byte, 1 };
	struct io_request request;
	struct io_ring *ring;
	int fd = temporary_file();

	(void)state;
	assert_true(make_ring(&ring, &options));
	init_request(&request, IO_WRITE, fd, &iov);
	io_ring_submit(ring, &request);
	while (!io_ring_reap(ring, false))
		;
	assert_int_equal(request.result, 0);
	assert_int_equal(request.done, 1);
	io_ring_destroy(ring);
	close(fd);
}

/* From here on the system call @nr fails with @err in this process. */
static bool refuse_syscall(unsigned nr, unsigned err)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = ARRAY_SIZE(code), .filter = code };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Runs @check in a child, since a filter cannot be taken off again. 77: not possible here. */
static void check_in_child(int (*check)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(check());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

static int without_setup(void)
{
	struct io_ring_options options = { .kind = IO_RING_URING };
	struct io_ring *ring;
	int ret;

	if (!refuse_syscall(__NR_io_uring_setup, EPERM))
		return 77;
	if (io_ring_create(&ring, &options) != -EPERM)
		return 1;
	options.kind = IO_RING_AUTO;
	if (io_ring_create(&ring, &options))
		return 2;
	ret = strcmp(io_ring_name(ring), "sync") ? 3 : 0;
	io_ring_destroy(ring);
	return ret;
}

static void test_falls_back(void **state)
{
	(void)state;
	check_in_child(without_setup);
}

static int without_enter(void)
{
	struct io_ring_options options = { .kind = IO_RING_URING };
	struct io_request requests[20];
	struct iovec iov[20];
	u8 byte = 0;
	struct io_ring *ring;
	unsigned i;

	if (io_ring_create(&ring, &options) || !refuse_syscall(__NR_io_uring_enter, EPERM))
		return 77;
	alarm(20);
	for (i = 0; i < 20; i++) {
		iov[i] = (struct iovec){ &byte, 1 };
		init_request(&requests[i], IO_WRITE, 1, &iov[i]);
		io_ring_submit(ring, &requests[i]);
	}
	for (i = 0; i < 20; i++) {
		struct io_request *request = io_ring_reap(ring, true);

		if (!request || request->result != -EPERM || request->done)
			return 1;
	}
	if (io_ring_reap(ring, true) || io_ring_inflight(ring))
		return 2;
	io_ring_destroy(ring);
	return 0;
}

/* A kernel that stops taking requests gives errors, not a hang. */
static void test_kernel_takes_no_more(void **state)
{
	(void)state;
	check_in_child(without_enter);
}

static void test_rate_arithmetic(void **state)
{
	const u64 second = 1000000000u;
	struct rate_limit *limit;
	u64 now = 5 * second;
	u64 start = 0;
	unsigned i;

	(void)state;
	assert_int_equal(rate_limit_create(&limit, 0, 1, now), -EINVAL);
	assert_int_equal(rate_limit_create(&limit, SZ_1M, 2, now), 0);
	/* 64 KiB at 1 MiB/s: a sixteenth of a second each, whether the caller comes late or not */
	for (i = 0; i < 33; i++) {
		start = rate_limit_book(limit, 0, SZ_64K, now);
		assert_true(start >= now);
		now = start + 50000;
	}
	assert_int_equal(start, 7 * second);
	/* the other device has its own account; beyond the last there is none */
	assert_int_equal(rate_limit_book(limit, 1, SZ_64K, now), now);
	assert_int_equal(rate_limit_book(limit, 2, SZ_1G, now), now);
	assert_int_equal(rate_limit_book(limit, 2, SZ_1G, now), now);
	/* after a long rest: only as much at once as the credit holds */
	now += 1000 * second;
	assert_int_equal(rate_limit_book(limit, 0, SZ_1M, now), now);
	assert_int_equal(rate_limit_book(limit, 0, SZ_1M, now), now + second - RATE_LIMIT_CREDIT_NS);
	/* absurd lengths do not wrap into the past */
	rate_limit_book(limit, 1, UINT64_MAX, now);
	assert_true(rate_limit_book(limit, 1, UINT64_MAX, now) > now + 1000000 * second);
	assert_true(rate_limit_book(limit, 1, 1, now) > now + 1000000 * second);
	rate_limit_destroy(limit);
}

/* Never faster than asked for, on the real clock. (Slower is up to the machine.) */
static void test_rate_is_kept(void **state)
{
	struct io_ring_options options = {
		.kind = IO_RING_NULL, .device_rate = 16 * SZ_1M, .nr_devices = 2,
	};
	struct io_request request;
	struct iovec iov = { NULL, SZ_64K };
	struct timespec before, after;
	struct io_ring *ring;
	unsigned i;
	double seconds;

	(void)state;
	iov.iov_base = &iov;
	assert_true(make_ring(&ring, &options));
	clock_gettime(CLOCK_MONOTONIC, &before);
	for (i = 0; i < 2 * 33; i++) {
		init_request(&request, IO_WRITE, -1, &iov);
		request.device = i % 2;
		assert_ptr_equal(run_one(ring, &request), &request);
	}
	clock_gettime(CLOCK_MONOTONIC, &after);
	seconds = (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) / 1e9;
	/* the 33rd request of a device starts when 2 MiB are through */
	assert_true(seconds >= 0.124);
	io_ring_destroy(ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip_sync),
		cmocka_unit_test(test_round_trip_uring),
		cmocka_unit_test(test_ends_and_errors),
		cmocka_unit_test(test_direct_end),
		cmocka_unit_test(test_advance),
		cmocka_unit_test(test_write_of_nothing),
		cmocka_unit_test(test_short_pieces_stay_aligned),
		cmocka_unit_test(test_null),
		cmocka_unit_test(test_failing),
		cmocka_unit_test(test_destroy_waits),
		cmocka_unit_test(test_polling_finishes),
		cmocka_unit_test(test_falls_back),
		cmocka_unit_test(test_kernel_takes_no_more),
		cmocka_unit_test(test_rate_arithmetic),
		cmocka_unit_test(test_rate_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
