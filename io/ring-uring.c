// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The io_uring back end. Requests wait in a short queue until there are a few,
 * or until somebody reaps, and then enter the kernel with one call.
 */
#include <errno.h>
#include <liburing.h>
#include <stdlib.h>

#include "io/ring-internal.h"

#define BATCH	8

struct uring {
	struct io_uring ring;
	bool short_io;
	int broken;			/* -errno that all requests get once the kernel takes no more */
	struct io_request *queued;	/* oldest first, not in the kernel yet */
	struct io_request **queued_tail;
	unsigned nr_queued;
	struct io_request *failed;	/* taken out of the queue by break_down() */
};

static int uring_create(void **state, unsigned depth, bool short_io)
{
	struct io_uring_params params = { 0 };
	struct uring *uring = calloc(1, sizeof(*uring));
	int ret;

	if (!uring)
		return -ENOMEM;
	uring->short_io = short_io;
	uring->queued_tail = &uring->queued;
	ret = io_uring_queue_init_params(depth, &uring->ring, &params);
	if (ret) {
		free(uring);
		return ret;
	}
	/* Came with the plain read and write operations (5.6), which older kernels lack. */
	if (!(params.features & IORING_FEAT_RW_CUR_POS)) {
		io_uring_queue_exit(&uring->ring);
		free(uring);
		return -ENOSYS;
	}
	*state = uring;
	return 0;
}

static void uring_destroy(void *state)
{
	struct uring *uring = state;

	io_uring_queue_exit(&uring->ring);
	free(uring);
}

static void add_queued(struct uring *uring, struct io_request *request)
{
	request->next = NULL;
	*uring->queued_tail = request;
	uring->queued_tail = &request->next;
	uring->nr_queued++;
}

/* @piece may go out of scope: one buffer is copied into the entry, an array belongs to the request. */
static void fill_sqe(struct io_uring_sqe *sqe, struct io_request *request, const struct io_piece *piece)
{
	bool read = request->op == IO_READ;

	if (piece->nr_iov == 1 && read)
		io_uring_prep_read(sqe, request->fd, piece->iov->iov_base, (unsigned)piece->iov->iov_len,
				   piece->offset);
	else if (piece->nr_iov == 1)
		io_uring_prep_write(sqe, request->fd, piece->iov->iov_base, (unsigned)piece->iov->iov_len,
				    piece->offset);
	else if (read)
		io_uring_prep_readv(sqe, request->fd, piece->iov, piece->nr_iov, piece->offset);
	else
		io_uring_prep_writev(sqe, request->fd, piece->iov, piece->nr_iov, piece->offset);
	io_uring_sqe_set_data(sqe, request);
}

/*
 * The kernel refuses what is in the submission queue, for good. Nothing is
 * submitted any more after this, so those buffers are ours again.
 */
static void break_down(struct uring *uring, unsigned nr_accepted, int err)
{
	uring->broken = err;
	while (nr_accepted--) {
		uring->queued = uring->queued->next;
		uring->nr_queued--;
	}
	if (uring->queued) {
		*uring->queued_tail = uring->failed;
		uring->failed = uring->queued;
	}
	uring->queued = NULL;
	uring->queued_tail = &uring->queued;
	uring->nr_queued = 0;
}

/* Hands @count prepared entries to the kernel. Returns how many it took, *@err says why not all. */
static unsigned submit_all(struct uring *uring, unsigned count, int *err)
{
	unsigned nr_accepted = 0;
	unsigned pauses = 0;

	*err = 0;
	while (nr_accepted < count) {
		int ret = io_uring_submit(&uring->ring);

		if (ret > 0) {
			nr_accepted += (unsigned)ret;
		} else if (ret == -EINTR) {
			continue;
		} else if ((ret == 0 || ret == -EAGAIN || ret == -EBUSY) && pauses++ < IO_RING_MAX_PAUSES) {
			io_ring_pause();
		} else {
			*err = ret ? ret : -EAGAIN;
			break;
		}
	}
	return nr_accepted;
}

static void uring_flush(void *state)
{
	struct uring *uring = state;
	struct io_request *request;
	unsigned count = 0;
	unsigned nr_accepted;
	int err;

	if (!uring->nr_queued)
		return;
	/* The submission queue has an entry for every request that may be under way. */
	for (request = uring->queued; request; request = request->next) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(&uring->ring);
		struct io_piece piece;

		if (!sqe)
			break;
		io_request_next_piece(request, uring->short_io, &piece);
		fill_sqe(sqe, request, &piece);
		count++;
	}
	nr_accepted = submit_all(uring, count, &err);
	if (err) {
		break_down(uring, nr_accepted, err);
		return;
	}
	while (count--) {
		uring->queued = uring->queued->next;
		uring->nr_queued--;
	}
	if (!uring->queued)
		uring->queued_tail = &uring->queued;
}

static bool uring_start(void *state, struct io_request *request)
{
	struct uring *uring = state;

	if (uring->broken) {
		request->result = uring->broken;
		return true;
	}
	add_queued(uring, request);
	if (uring->nr_queued >= BATCH)
		uring_flush(uring);
	return false;
}

static struct io_request *take_failed(struct uring *uring)
{
	struct io_request *request = uring->failed;

	if (request) {
		uring->failed = request->next;
		request->result = uring->broken;
	}
	return request;
}

/* NULL: none there. The kernel owns what is under way, so waiting for it is never given up. */
static struct io_uring_cqe *next_cqe(struct uring *uring, bool wait)
{
	struct io_uring_cqe *cqe = NULL;
	int ret = io_uring_peek_cqe(&uring->ring, &cqe);

	while (wait && ret) {
		if (ret != -EINTR && ret != -EAGAIN)
			io_ring_pause();
		ret = io_uring_wait_cqe(&uring->ring, &cqe);
	}
	return ret ? NULL : cqe;
}

/* True when the request is finished; otherwise its rest is queued. */
static bool end_piece(struct uring *uring, struct io_request *request, int res)
{
	/* A file that cannot be asked without blocking: the blocking call is the way. */
	if (res == -EAGAIN) {
		io_request_run(request, uring->short_io);
		return true;
	}
	if (io_request_advance(request, res))
		return true;
	if (uring->broken) {
		request->result = uring->broken;
		return true;
	}
	add_queued(uring, request);
	return false;
}

static struct io_request *uring_reap(void *state, bool wait)
{
	struct uring *uring = state;

	for (;;) {
		struct io_request *request;
		struct io_uring_cqe *cqe;
		int res;

		uring_flush(uring);
		request = take_failed(uring);
		if (request)
			return request;
		cqe = next_cqe(uring, wait);
		if (!cqe)
			return NULL;
		request = io_uring_cqe_get_data(cqe);
		res = cqe->res;
		io_uring_cqe_seen(&uring->ring, cqe);
		if (end_piece(uring, request, res))
			return request;
	}
}

const struct io_ring_backend io_ring_uring = {
	.name = "io_uring",
	.create = uring_create,
	.destroy = uring_destroy,
	.start = uring_start,
	.flush = uring_flush,
	.reap = uring_reap,
};
