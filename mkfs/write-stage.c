// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Windows of logical space to per-device runs: see write-stage.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "mkfs/parity-rows.h"
#include "mkfs/prealloc.h"

#define RUN_BYTES	SZ_1M	/* one write to one device */
#define RUN_MAX_IOV	512	/* then the run is issued shorter */
#define MAX_PARITY_ROWS	512	/* more only while no write is under way */

/* Part of a buffer in the current window. */
struct window_part {
	struct write_buffer *buffer;
	u32 offset;		/* into buffer->data */
	u32 len;
};

/* One write: physically contiguous on one device. */
struct write_run {
	struct io_request request;
	struct write_buffer **buffers;	/* whose memory it holds, one entry each */
	unsigned nr_buffers;
	unsigned max_buffers;
	unsigned max_iov;
	u64 bytes;
	struct write_run *next;		/* free list */
};

struct write_stage {
	const struct io_device_set *set;
	const struct btrfs_chunk_table *chunks;
	struct io_ring *ring;

	/* the window: parts in logical order without a gap, all of one chunk */
	const struct btrfs_chunk_map *map;
	u64 window_start;
	u64 window_end;		/* so far */
	u64 window_limit;
	struct window_part *parts;
	unsigned nr_parts;
	unsigned max_parts;

	struct parity_rows parity;
	struct write_buffer zeros;	/* one stripe element, made when it is needed */

	struct prealloc prealloc;
	struct write_run *free_runs;
	struct write_buffer *done;	/* to be reaped */
	struct write_buffer **done_tail;
	int error;
	u64 *device_bytes;

	bool must_clone;
	u64 *cloned_bytes;	/* of each device */
	int clone_error;	/* the first */
};

int write_stage_create(struct write_stage **out, const struct write_stage_options *options)
{
	struct write_stage *stage = calloc(1, sizeof(*stage));
	int ret = -ENOMEM;

	if (!stage)
		return ret;
	stage->set = options->set;
	stage->chunks = options->chunks;
	stage->prealloc.set = options->set;
	stage->prealloc.off = options->ring.kind == IO_RING_NULL || options->may_clone;
	stage->done_tail = &stage->done;
	stage->must_clone = options->must_clone;
	stage->device_bytes = calloc(options->set->nr, sizeof(*stage->device_bytes));
	stage->cloned_bytes = calloc(options->set->nr, sizeof(*stage->cloned_bytes));
	if (stage->device_bytes && stage->cloned_bytes)
		ret = io_ring_create(&stage->ring, &options->ring);
	if (ret) {
		error("cannot start the I/O engine: %s", strerror(-ret));
		write_stage_destroy(stage);
		return ret;
	}
	*out = stage;
	return 0;
}

static void run_free(struct write_run *run)
{
	free(run->request.iov);
	free(run->buffers);
	free(run);
}

void write_stage_destroy(struct write_stage *stage)
{
	struct io_request *request;

	if (!stage)
		return;
	while (stage->ring && (request = io_ring_reap(stage->ring, true)))
		run_free(request->user);
	if (stage->ring)
		io_ring_destroy(stage->ring);
	while (stage->free_runs) {
		struct write_run *run = stage->free_runs;

		stage->free_runs = run->next;
		run_free(run);
	}
	parity_rows_release(&stage->parity);
	free(stage->zeros.data);
	free(stage->parts);
	free(stage->device_bytes);
	free(stage->cloned_bytes);
	free(stage);
}

static void buffer_unref(struct write_stage *stage, struct write_buffer *buffer)
{
	if (--buffer->pending)
		return;
	if (buffer->parity) {
		parity_rows_written(&stage->parity, buffer->parity);
		return;
	}
	buffer->next = NULL;
	*stage->done_tail = buffer;
	stage->done_tail = &buffer->next;
}

/* ---- runs ---- */

static struct write_run *get_run(struct write_stage *stage)
{
	struct write_run *run = stage->free_runs;

	if (run) {
		stage->free_runs = run->next;
		run->nr_buffers = 0;
		run->bytes = 0;
		run->request.nr_iov = 0;
		return run;
	}
	run = calloc(1, sizeof(*run));
	if (run)
		run->request.user = run;
	return run;
}

static int grow(void **array, unsigned *max, unsigned need, size_t unit)
{
	unsigned want = MAX(need, *max * 2 + 16);
	void *grown;

	if (need <= *max)
		return 0;
	grown = realloc(*array, want * unit);
	if (!grown)
		return -ENOMEM;
	*array = grown;
	*max = want;
	return 0;
}

/* A failure leaves the run as it was. */
static int run_add(struct write_run *run, struct write_buffer *buffer, u8 *data, u64 len)
{
	struct io_request *request = &run->request;
	struct iovec *last;
	int ret = grow((void **)&request->iov, &run->max_iov, request->nr_iov + 1, sizeof(*request->iov));

	if (!ret)
		ret = grow((void **)&run->buffers, &run->max_buffers, run->nr_buffers + 1, sizeof(*run->buffers));
	if (ret)
		return ret;
	last = request->nr_iov ? &request->iov[request->nr_iov - 1] : NULL;
	if (last && (u8 *)last->iov_base + last->iov_len == data)
		last->iov_len += len;
	else
		request->iov[request->nr_iov++] = (struct iovec){ .iov_base = data, .iov_len = len };
	run->bytes += len;
	if (run->nr_buffers && run->buffers[run->nr_buffers - 1] == buffer)
		return 0;
	run->buffers[run->nr_buffers++] = buffer;
	buffer->pending++;
	return 0;
}

static void run_finished(struct write_stage *stage, struct write_run *run)
{
	const struct io_device *device = &stage->set->devices[run->request.device];
	unsigned i;

	if (run->request.result < 0) {
		if (!stage->error)
			error("writing %s at byte %llu: %s", device->path, (unsigned long long)run->request.offset,
			      strerror(-run->request.result));
		if (!stage->error)
			stage->error = run->request.result;
	} else {
		stage->device_bytes[run->request.device] += run->bytes;
	}
	for (i = 0; i < run->nr_buffers; i++) {
		if (run->request.result < 0)
			run->buffers[i]->error = run->request.result;
		buffer_unref(stage, run->buffers[i]);
	}
	run->next = stage->free_runs;
	stage->free_runs = run;
}

static void reap_requests(struct write_stage *stage, bool wait)
{
	struct io_request *request;

	while ((request = io_ring_reap(stage->ring, wait))) {
		run_finished(stage, request->user);
		wait = false;
	}
}

static void run_submit(struct write_stage *stage, struct write_run *run)
{
	const struct io_device *device = &stage->set->devices[run->request.device];

	run->request.op = IO_WRITE;
	run->request.fd = device->fd;
	run->request.offset += device->base;
	io_ring_submit(stage->ring, &run->request);
}

/* ---- windows ---- */

/* The open run of each stripe of a chunk while a window is cut up. */
struct run_set {
	const struct btrfs_chunk_map *map;
	struct write_run **open;
};

static int run_set_init(struct run_set *runs, const struct btrfs_chunk_map *map)
{
	runs->map = map;
	runs->open = calloc(map->num_stripes, sizeof(struct write_run *));
	return runs->open ? 0 : -ENOMEM;
}

static void run_set_submit(struct run_set *runs, struct write_stage *stage)
{
	u16 i;

	for (i = 0; i < runs->map->num_stripes; i++) {
		if (runs->open[i])
			run_submit(stage, runs->open[i]);
	}
	free(runs->open);
}

static int add_to_stripe(struct write_stage *stage, struct run_set *runs, const struct btrfs_io_stripe *place,
			 struct write_buffer *buffer, struct iovec piece)
{
	struct write_run *run = runs->open[place->index];

	if (run && (run->request.offset + run->bytes != place->physical || run->bytes + piece.iov_len > RUN_BYTES ||
		    run->request.nr_iov >= RUN_MAX_IOV)) {
		run_submit(stage, run);
		run = NULL;
	}
	if (!run) {
		run = get_run(stage);
		if (!run)
			return -ENOMEM;
		run->request.device = (unsigned)(place->devid - 1);
		run->request.offset = place->physical;
		runs->open[place->index] = run;
	}
	return run_add(run, buffer, piece.iov_base, piece.iov_len);
}

static int add_parity(struct write_stage *stage, struct run_set *runs, struct parity_row *row)
{
	const u16 nr = btrfs_raid_attr(row->map->type)->nparity;
	u16 i;
	int ret = 0;

	for (i = 0; i < nr; i++)
		row->buffers[i].pending = 1;	/* ours, until both are in runs */
	for (i = 0; i < nr && !ret; i++) {
		struct write_buffer *buffer = &row->buffers[i];
		const struct btrfs_io_stripe place = parity_row_place(row, i);

		ret = add_to_stripe(stage, runs, &place, buffer, (struct iovec){ buffer->data, buffer->len });
	}
	for (i = 0; i < nr; i++)
		buffer_unref(stage, &row->buffers[i]);
	return ret;
}

/* The piece goes into its row; parity follows as soon as the row is complete, so that runs stay whole. */
static int sum_up(struct write_stage *stage, struct run_set *runs, u64 logical, struct iovec piece)
{
	struct parity_row *row;
	int ret;

	while (stage->parity.nr_used >= MAX_PARITY_ROWS && io_ring_inflight(stage->ring))
		reap_requests(stage, true);
	ret = parity_rows_add(&stage->parity, runs->map, logical, piece, &row);
	return ret || !row ? ret : add_parity(stage, runs, row);
}

/* 1: cloned, 0: to be written, or -errno after a message. */
static int clone_range(struct write_stage *stage, const struct btrfs_io_stripe *place,
		       const struct write_buffer *buffer, u32 offset, u32 len)
{
	const unsigned nr = (unsigned)(place->devid - 1);
	const struct io_device *device = &stage->set->devices[nr];
	int ret = buffer->clones->clone(buffer, offset, len, device->fd, device->base + place->physical);

	if (!ret) {
		stage->cloned_bytes[nr] += len;
		return 1;
	}
	if (ret == -EBUSY)
		return 0;
	if (!stage->clone_error)
		stage->clone_error = ret;
	if (!stage->must_clone)
		return 0;
	if (!stage->error)
		error("%s: blocks of the source tree cannot be shared with it: %s", device->path, strerror(-ret));
	stage->error = ret;
	return ret;
}

/* A piece that is contiguous on its device: what can be cloned of it is, the rest is written. */
static int put_piece(struct write_stage *stage, struct run_set *runs, struct btrfs_io_stripe place,
		     struct write_buffer *buffer, struct iovec piece)
{
	u32 offset = (u32)((u8 *)piece.iov_base - buffer->data), end = offset + (u32)piece.iov_len;
	int ret = 0;

	while (ret >= 0 && offset < end) {
		u32 start = offset, len = 0;
		bool found = buffer->clones && buffer->clones->next(buffer, &start, &len, end);
		const u32 plain = (found ? start : end) - offset;

		ret = 0;
		if (plain)
			ret = add_to_stripe(stage, runs, &place, buffer,
					    (struct iovec){ buffer->data + offset, plain });
		place.physical += plain;
		offset += plain;
		if (ret || !found)
			continue;
		ret = clone_range(stage, &place, buffer, start, len);
		if (!ret)
			ret = add_to_stripe(stage, runs, &place, buffer,
					    (struct iovec){ buffer->data + start, len });
		place.physical += len;
		offset += len;
	}
	return MIN(ret, 0);
}

static int cut_part(struct write_stage *stage, struct run_set *runs, const struct window_part *part, int copy)
{
	u64 logical = part->buffer->logical + part->offset;
	u8 *data = part->buffer->data + part->offset;
	u64 left = part->len;

	while (left) {
		u64 len;
		struct btrfs_io_stripe place = btrfs_map_logical(runs->map, logical, copy, &len);
		struct iovec piece;
		int ret;

		len = MIN(len, left);
		len = MIN(len, RUN_BYTES);
		piece = (struct iovec){ data, len };
		ret = put_piece(stage, runs, place, part->buffer, piece);
		if (!ret && btrfs_is_raid56(runs->map))
			ret = sum_up(stage, runs, logical, piece);
		if (ret)
			return ret;
		logical += len;
		data += len;
		left -= len;
	}
	return 0;
}

static int cut_window(struct write_stage *stage, struct run_set *runs)
{
	int copy, copies = btrfs_chunk_copies(stage->map), ret = 0;
	unsigned i;

	for (copy = 0; copy < copies && !ret; copy++) {
		for (i = 0; i < stage->nr_parts && !ret; i++)
			ret = cut_part(stage, runs, &stage->parts[i], copy);
	}
	return ret;
}

int write_stage_flush(struct write_stage *stage)
{
	struct run_set runs;
	unsigned i;
	int ret;

	if (!stage->nr_parts)
		return 0;
	ret = run_set_init(&runs, stage->map);
	if (!ret) {
		ret = cut_window(stage, &runs);
		run_set_submit(&runs, stage);
	}
	for (i = 0; i < stage->nr_parts; i++)
		buffer_unref(stage, stage->parts[i].buffer);
	stage->nr_parts = 0;
	reap_requests(stage, false);
	return ret;
}

/* Windows end at multiples of 1 MiB for each data stripe, counted from the chunk's start. */
static int open_window(struct write_stage *stage, u64 logical)
{
	u64 size, nr;

	if (!stage->map || logical < stage->map->start || logical - stage->map->start >= stage->map->length)
		stage->map = btrfs_find_chunk(stage->chunks, logical);
	if (!stage->map)
		return -EINVAL;
	size = RUN_BYTES * btrfs_chunk_data_stripes(stage->map->type, stage->map->num_stripes);
	nr = (logical - stage->map->start) / size;
	stage->window_start = stage->window_end = logical;
	stage->window_limit = stage->map->start + MIN((nr + 1) * size, stage->map->length);
	/* a chunk that will hold trees as well is not worth it */
	if ((stage->map->type & BTRFS_BLOCK_GROUP_TYPE_MASK) == BTRFS_BLOCK_GROUP_DATA)
		prealloc_ahead(&stage->prealloc, stage->map, stage->window_limit);
	return 0;
}

static int add_part(struct write_stage *stage, struct write_buffer *buffer, u32 offset, u32 len)
{
	int ret = grow((void **)&stage->parts, &stage->max_parts, stage->nr_parts + 1, sizeof(*stage->parts));

	if (ret)
		return ret;
	stage->parts[stage->nr_parts++] = (struct window_part){ .buffer = buffer, .offset = offset, .len = len };
	buffer->pending++;
	stage->window_end += len;
	return 0;
}

int write_stage_add(struct write_stage *stage, struct write_buffer *buffer)
{
	u32 offset = 0;
	int ret = 0;

	buffer->error = 0;
	buffer->parity = NULL;
	buffer->pending = 1;	/* ours, until all parts are in windows */
	while (!ret && offset < buffer->len) {
		u64 logical = buffer->logical + offset;
		u32 len;

		if (stage->nr_parts && logical != stage->window_end)
			ret = write_stage_flush(stage);
		if (!ret && !stage->nr_parts)
			ret = open_window(stage, logical);
		if (ret)
			break;
		len = (u32)MIN((u64)(buffer->len - offset), stage->window_limit - logical);
		ret = add_part(stage, buffer, offset, len);
		offset += len;
		if (!ret && stage->window_end == stage->window_limit)
			ret = write_stage_flush(stage);
	}
	buffer_unref(stage, buffer);
	return ret;
}

static int need_zeros(struct write_stage *stage)
{
	if (stage->zeros.data)
		return 0;
	stage->zeros.data = aligned_alloc(SZ_4K, BTRFS_STRIPE_LEN);
	if (!stage->zeros.data)
		return -ENOMEM;
	memset(stage->zeros.data, 0, BTRFS_STRIPE_LEN);
	stage->zeros.pending = 1;	/* never given back */
	return 0;
}

/* Zeros add nothing to parity, so the row is what it has to be as soon as they are written. */
static int finish_row(struct write_stage *stage, struct parity_row *row)
{
	struct run_set runs;
	u64 logical = 0, contiguous;
	u32 len;
	int ret = run_set_init(&runs, row->map);

	if (ret) {
		parity_rows_drop(&stage->parity, row);
		return ret;
	}
	for (; !ret && parity_row_gap(row, &logical, &len); logical += len) {
		struct btrfs_io_stripe place = btrfs_map_logical(row->map, logical, 0, &contiguous);

		ret = add_to_stripe(stage, &runs, &place, &stage->zeros, (struct iovec){ stage->zeros.data, len });
	}
	if (ret)
		parity_rows_drop(&stage->parity, row);
	else
		ret = add_parity(stage, &runs, row);
	run_set_submit(&runs, stage);
	return ret;
}

int write_stage_finish(struct write_stage *stage)
{
	int ret = write_stage_flush(stage);
	struct parity_row *row;

	if (!ret && stage->parity.open)
		ret = need_zeros(stage);
	while (!ret && (row = parity_rows_take(&stage->parity)))
		ret = finish_row(stage, row);
	return ret;
}

void write_stage_finish_data(struct write_stage *stage, u64 logical)
{
	prealloc_finish(&stage->prealloc, logical);
}

struct write_buffer *write_stage_reap(struct write_stage *stage, bool wait)
{
	struct write_buffer *buffer;

	reap_requests(stage, false);
	while (!stage->done && wait && io_ring_inflight(stage->ring))
		reap_requests(stage, true);
	buffer = stage->done;
	if (buffer) {
		stage->done = buffer->next;
		if (!stage->done)
			stage->done_tail = &stage->done;
	}
	return buffer;
}

u64 write_stage_cloned(const struct write_stage *stage, unsigned device)
{
	return stage->cloned_bytes[device];
}

int write_stage_clone_error(const struct write_stage *stage)
{
	return stage->clone_error;
}

int write_stage_error(const struct write_stage *stage)
{
	return stage->error;
}

u64 write_stage_bytes(const struct write_stage *stage, unsigned device)
{
	return stage->device_bytes[device];
}

const char *write_stage_ring_name(const struct write_stage *stage)
{
	return io_ring_name(stage->ring);
}
