// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How a request moves in parts: what the next transfer is, and what the result of
 * one means. The same for every back end; see ring-internal.h.
 */
#include <errno.h>
#include <sys/stat.h>

#include "io/ring-internal.h"

/* The kernel moves no more than 2 GiB - 4 KiB at once, and io_uring counts one buffer in 32 bits. */
#define MAX_SINGLE	((size_t)1 << 30)

/* About half of @len, a multiple of 4096 where @len is one; never 0. */
static size_t short_part(size_t len)
{
	if (!IS_ALIGNED(len, (size_t)4096))
		return (len + 1) / 2;
	return len > 4096 ? ALIGN_UP(len / 2, (size_t)4096) : len;
}

/* io_request_advance() leaves the used entries in place, empty. */
static unsigned first_left(const struct io_request *request)
{
	unsigned i = 0;

	while (i + 1 < request->nr_iov && !request->iov[i].iov_len)
		i++;
	return i;
}

void io_request_next_piece(const struct io_request *request, bool short_io, struct io_piece *piece)
{
	unsigned first = first_left(request);

	piece->offset = request->offset + request->done;
	piece->iov = &request->iov[first];
	piece->nr_iov = request->nr_iov - first;
	if (piece->nr_iov > 1 && !short_io)
		return;
	piece->single.iov_base = piece->iov->iov_base;
	piece->single.iov_len = MIN(piece->iov->iov_len, MAX_SINGLE);
	if (short_io)
		piece->single.iov_len = short_part(piece->single.iov_len);
	piece->iov = &piece->single;
	piece->nr_iov = 1;
}

/*
 * Direct I/O that met the end of a file in the middle of a block cannot ask for
 * the rest: the offset is not aligned any more, and EINVAL takes the place of 0.
 */
static bool at_end_of_file(const struct io_request *request)
{
	struct stat st;

	return request->op == IO_READ && request->done && !fstat(request->fd, &st) &&
	       S_ISREG(st.st_mode) && request->offset + request->done >= (u64)st.st_size;
}

static void consume(struct io_request *request, u64 bytes)
{
	unsigned i;

	request->done += bytes;
	for (i = 0; bytes && i < request->nr_iov; i++) {
		struct iovec *iov = &request->iov[i];
		size_t used = (size_t)MIN(bytes, (u64)iov->iov_len);

		iov->iov_base = (u8 *)iov->iov_base + used;
		iov->iov_len -= used;
		bytes -= used;
	}
}

bool io_request_advance(struct io_request *request, s64 res)
{
	if (res == -EINTR)
		return false;
	if (res < 0) {
		request->result = res == -EINVAL && at_end_of_file(request) ? -ENODATA : (int)res;
		return true;
	}
	if (res == 0) {
		request->result = request->op == IO_READ ? -ENODATA : -EIO;
		return true;
	}
	/* Most requests move at once: their iovecs stay as they are. */
	if ((u64)res == request->length) {
		request->done = request->length;
		return true;
	}
	consume(request, (u64)res);
	return request->done == request->length;
}
