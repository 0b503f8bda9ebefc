/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What io/ring.c and its back ends share. Nothing outside io/ includes this
 * (unit tests may).
 *
 * ring.c counts, limits and fails on purpose; a back end only moves bytes. What a
 * short or an interrupted transfer means is decided once, in io_request_advance().
 */
#ifndef BO_IO_RING_INTERNAL_H
#define BO_IO_RING_INTERNAL_H

#include "io/ring.h"

struct io_ring_backend {
	const char *name;
	/* Leaves its state in *@state. 0 or -errno. NULL: no state. */
	int (*create)(void **state, unsigned depth, bool short_io);
	/* Nothing is under way. NULL: nothing to do. */
	void (*destroy)(void *state);
	/* Takes a request that is not empty. True: it is finished already. */
	bool (*start)(void *state, struct io_request *request);
	/* Hands everything that was started to the kernel. NULL: start() does. */
	void (*flush)(void *state);
	/* A finished one of those that start() kept. NULL only without @wait. */
	struct io_request *(*reap)(void *state, bool wait);
};

extern const struct io_ring_backend io_ring_uring;
extern const struct io_ring_backend io_ring_sync;
extern const struct io_ring_backend io_ring_short_sync;
extern const struct io_ring_backend io_ring_null;

/* The next transfer of a request. */
struct io_piece {
	const struct iovec *iov;	/* valid as long as the piece and the request stand */
	unsigned nr_iov;
	u64 offset;
	struct iovec single;		/* .iov points here when the piece is (part of) one buffer */
};

/*
 * Everything that is left of @request or, where one buffer is left or with
 * @short_io, a part of one buffer. The part keeps the alignment of direct I/O
 * when the buffer has it.
 */
void io_request_next_piece(const struct io_request *request, bool short_io, struct io_piece *piece);

/*
 * Books one transfer that returned @res (bytes or -errno). True: the request is
 * finished and its result stands. False: the next piece is to be moved.
 */
bool io_request_advance(struct io_request *request, s64 res);

/* Moves the rest of a request with blocking calls; it is finished then. */
void io_request_run(struct io_request *request, bool short_io);

/* A pause before the kernel is asked again, for shortages that pass. */
void io_ring_pause(void);

/* How often a shortage (EAGAIN) may come in a row before it counts as an error: 5 s and more. */
#define IO_RING_MAX_PAUSES 5000

#endif
