// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The synchronous twin: a request is finished when it is submitted. The reference
 * that the asynchronous ring is compared with, and the way out where a kernel has
 * no io_uring.
 */
#include <errno.h>

#include "io/ring-internal.h"

static s64 transfer(const struct io_request *request, bool short_io)
{
	struct io_piece piece;
	ssize_t ret;

	io_request_next_piece(request, short_io, &piece);
	if (request->op == IO_READ)
		ret = preadv(request->fd, piece.iov, (int)piece.nr_iov, (off_t)piece.offset);
	else
		ret = pwritev(request->fd, piece.iov, (int)piece.nr_iov, (off_t)piece.offset);
	return ret < 0 ? -errno : ret;
}

void io_request_run(struct io_request *request, bool short_io)
{
	unsigned pauses = 0;
	s64 res;

	do {
		res = transfer(request, short_io);
		while (res == -EAGAIN && pauses++ < IO_RING_MAX_PAUSES) {
			io_ring_pause();
			res = transfer(request, short_io);
		}
	} while (!io_request_advance(request, res));
}

static bool start(void *state, struct io_request *request)
{
	(void)state;
	io_request_run(request, false);
	return true;
}

static bool start_short(void *state, struct io_request *request)
{
	(void)state;
	io_request_run(request, true);
	return true;
}

const struct io_ring_backend io_ring_sync = {
	.name = "sync",
	.start = start,
};

const struct io_ring_backend io_ring_short_sync = {
	.name = "sync",
	.start = start_short,
};
