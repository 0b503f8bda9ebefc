// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The part of a ring that does not move bytes: choice of the back end, the bound
 * on requests under way, the rate limit, and failures on demand. See ring.h.
 */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <time.h>

#include "io/rate-limit.h"
#include "io/ring-internal.h"

#define DEFAULT_DEPTH	64
#define MAX_DEPTH	4096

struct io_ring {
	const struct io_ring_backend *backend;
	void *state;
	struct rate_limit *limit;	/* NULL: unlimited */
	struct io_request *finished;	/* oldest first, not reaped yet */
	struct io_request **finished_tail;
	unsigned depth;
	unsigned nr_active;		/* with the back end */
	unsigned nr_inflight;		/* active and finished */
	u64 nr_submitted;
	u64 fail_at;
	int fail_errno;
};

static u64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000000u + (u64)now.tv_nsec;
}

static void sleep_until(u64 ns)
{
	struct timespec until = {
		.tv_sec = (time_t)(ns / 1000000000u),
		.tv_nsec = (long)(ns % 1000000000u),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

void io_ring_pause(void)
{
	sleep_until(now_ns() + 1000000);
}

static int open_backend(struct io_ring *ring, const struct io_ring_backend *backend, bool short_io)
{
	ring->backend = backend;
	return backend->create ? backend->create(&ring->state, ring->depth, short_io) : 0;
}

static int choose_backend(struct io_ring *ring, enum io_ring_kind kind, bool short_io)
{
	const struct io_ring_backend *sync = short_io ? &io_ring_short_sync : &io_ring_sync;

	switch (kind) {
	case IO_RING_AUTO:
		/* Kernels, containers and sandboxes refuse it in several ways; none is a reason to fail. */
		if (!open_backend(ring, &io_ring_uring, short_io))
			return 0;
		return open_backend(ring, sync, short_io);
	case IO_RING_URING:
		return open_backend(ring, &io_ring_uring, short_io);
	case IO_RING_SYNC:
		return open_backend(ring, sync, short_io);
	case IO_RING_NULL:
		return open_backend(ring, &io_ring_null, short_io);
	}
	return -EINVAL;
}

int io_ring_create(struct io_ring **result, const struct io_ring_options *options)
{
	struct io_ring *ring = calloc(1, sizeof(*ring));
	int ret;

	if (!ring)
		return -ENOMEM;
	ring->finished_tail = &ring->finished;
	ring->depth = MIN(options->depth ? options->depth : DEFAULT_DEPTH, MAX_DEPTH);
	ring->fail_at = options->fail_at;
	ring->fail_errno = options->fail_errno;
	if (options->device_rate) {
		ret = rate_limit_create(&ring->limit, options->device_rate, options->nr_devices, now_ns());
		if (ret)
			goto fail_limit;
	}
	ret = choose_backend(ring, options->kind, options->short_io);
	if (ret)
		goto fail_backend;
	*result = ring;
	return 0;

fail_backend:
	rate_limit_destroy(ring->limit);
fail_limit:
	free(ring);
	return ret;
}

void io_ring_destroy(struct io_ring *ring)
{
	if (!ring)
		return;
	while (io_ring_reap(ring, true))
		;
	if (ring->backend->destroy)
		ring->backend->destroy(ring->state);
	rate_limit_destroy(ring->limit);
	free(ring);
}

static void add_finished(struct io_ring *ring, struct io_request *request)
{
	request->next = NULL;
	*ring->finished_tail = request;
	ring->finished_tail = &request->next;
}

static void prepare(struct io_request *request)
{
	unsigned i;

	assert(request->nr_iov >= 1 && request->nr_iov <= IOV_MAX);
	request->length = 0;
	for (i = 0; i < request->nr_iov; i++)
		request->length += request->iov[i].iov_len;
	request->done = 0;
	request->result = 0;
	request->next = NULL;
}

/* Sleeps until the device's turn; what was started before must not wait with us. */
static void wait_for_turn(struct io_ring *ring, const struct io_request *request)
{
	u64 now = now_ns();
	u64 start = rate_limit_book(ring->limit, request->device, request->length, now);

	if (start <= now)
		return;
	if (ring->backend->flush)
		ring->backend->flush(ring->state);
	sleep_until(start);
}

static void reap_active(struct io_ring *ring, bool wait)
{
	struct io_request *request = ring->backend->reap(ring->state, wait);

	if (!request)
		return;
	ring->nr_active--;
	add_finished(ring, request);
}

void io_ring_submit(struct io_ring *ring, struct io_request *request)
{
	prepare(request);
	ring->nr_inflight++;
	if (++ring->nr_submitted == ring->fail_at) {
		request->result = -ring->fail_errno;
		add_finished(ring, request);
		return;
	}
	if (!request->length) {
		add_finished(ring, request);
		return;
	}
	while (ring->nr_active >= ring->depth)
		reap_active(ring, true);
	if (ring->limit)
		wait_for_turn(ring, request);
	if (ring->backend->start(ring->state, request))
		add_finished(ring, request);
	else
		ring->nr_active++;
}

struct io_request *io_ring_reap(struct io_ring *ring, bool wait)
{
	struct io_request *request;

	/* Whoever reaps will look away next, at least for a while: let nothing lie around. */
	if (ring->nr_active && ring->backend->flush)
		ring->backend->flush(ring->state);
	if (!ring->finished && ring->nr_active)
		reap_active(ring, wait);
	request = ring->finished;
	if (!request)
		return NULL;
	ring->finished = request->next;
	if (!ring->finished)
		ring->finished_tail = &ring->finished;
	request->next = NULL;
	ring->nr_inflight--;
	return request;
}

unsigned io_ring_inflight(const struct io_ring *ring)
{
	return ring->nr_inflight;
}

const char *io_ring_name(const struct io_ring *ring)
{
	return ring->backend->name;
}
