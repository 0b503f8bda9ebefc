/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asynchronous reads and writes behind one table: io_uring, a synchronous
 * twin (the reference in tests), a null ring (completes at once, moves
 * nothing) and a failing one (for tests).
 *
 * A ring belongs to one thread. A request belongs to its submitter until
 * io_ring_submit(), to the ring until io_ring_reap() returns it, then to the
 * submitter again; its iovecs and buffers as well.
 */
#ifndef BO_IO_RING_H
#define BO_IO_RING_H

#include <sys/uio.h>

#include "common/types.h"

enum io_op {
	IO_READ,
	IO_WRITE,
};

struct io_request {
	/* set by the submitter */
	enum io_op op;
	int fd;
	unsigned device;	/* number for the rate limit and the failing ring */
	u64 offset;		/* bytes on the device */
	struct iovec *iov;	/* the ring may change the entries of a request that moves in parts */
	unsigned nr_iov;	/* 1 .. IOV_MAX */
	void *user;
	/* set by the ring */
	u64 length;		/* sum of the iovecs */
	u64 done;		/* bytes moved; == length unless result is an error or a read met the end */
	int result;		/* 0 or -errno; a read past the end of the file is -ENODATA */
	struct io_request *next;
};

enum io_ring_kind {
	IO_RING_AUTO,		/* io_uring; synchronous where the kernel refuses it */
	IO_RING_URING,
	IO_RING_SYNC,
	IO_RING_NULL,
};

struct io_ring;

struct io_ring_options {
	enum io_ring_kind kind;
	unsigned depth;		/* requests under way at most; 0: 64 */
	u64 device_rate;	/* bytes per second and device, 0: unlimited */
	unsigned nr_devices;
	/* Tests: the request number @fail_at (from 1, counted over submissions; 0: none) ends with
	 * @fail_errno without touching the device; @short_io: every transfer is cut into pieces. */
	u64 fail_at;
	int fail_errno;
	bool short_io;
};

/* Returns 0, or -errno without a message (-ENOSYS: asked for io_uring, kernel has none). */
int io_ring_create(struct io_ring **ring, const struct io_ring_options *options);

/* Waits for all requests under way first. */
void io_ring_destroy(struct io_ring *ring);

/* Blocks only when @depth requests are under way. Never fails: errors come with the request. */
void io_ring_submit(struct io_ring *ring, struct io_request *request);

/* A finished request, or NULL: none yet (@wait false), or none under way. */
struct io_request *io_ring_reap(struct io_ring *ring, bool wait);

unsigned io_ring_inflight(const struct io_ring *ring);
const char *io_ring_name(const struct io_ring *ring);	/* "io_uring", "sync", "null" */

#endif
