// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The verifier's pipeline: see data-queue.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/checked.h"
#include "io/buffer-pool.h"
#include "scrub/data-queue.h"

/* All that is under way; at one MiB a piece it is also the depth of the ring. */
#define QUEUE_BYTES	(64 * SZ_1M)

struct data_queue {
	struct scrub *run;
	struct io_ring *ring;
	struct worker_pool *workers;
	struct buffer_pool *buffers;
	struct data_piece *head;	/* oldest */
	struct data_piece *tail;
};

static int create_ring(struct data_queue *queue)
{
	const struct scrub_options *options = queue->run->options;
	const struct io_ring_options ring_options = {
		.kind = IO_RING_AUTO,
		.depth = (unsigned)(QUEUE_BYTES / PIECE_BYTES),
		.device_rate = options->device_rate,
		.nr_devices = queue->run->image->nr_devices,
		.fail_at = options->fail_read,
		.fail_errno = EIO,
	};
	int ret = io_ring_create(&queue->ring, &ring_options);

	if (ret)
		error("cannot set up reading of the devices: %s", strerror(-ret));
	else
		queue->run->report->ring = io_ring_name(queue->ring);
	return ret;
}

int data_queue_create(struct data_queue **result, struct scrub *run)
{
	struct data_queue *queue = calloc(1, sizeof(*queue));
	int ret;

	if (!queue)
		return -ENOMEM;
	queue->run = run;
	ret = buffer_pool_create(&queue->buffers, QUEUE_BYTES, PIECE_BYTES);
	if (!ret)
		ret = worker_pool_create(&queue->workers, run->options->threads);
	if (!ret)
		ret = create_ring(queue);
	if (ret) {
		data_queue_destroy(queue);
		return ret;
	}
	*result = queue;
	return 0;
}

void data_queue_destroy(struct data_queue *queue)
{
	if (!queue)
		return;
	if (queue->ring)
		io_ring_destroy(queue->ring);
	worker_pool_destroy(queue->workers);
	while (queue->head) {
		struct data_piece *piece = queue->head;

		queue->head = piece->next;
		data_piece_destroy(piece);
	}
	if (queue->buffers)
		buffer_pool_destroy(queue->buffers);
	free(queue);
}

static void report_run(struct scrub *run, const struct data_piece *piece, const struct bad_run *bad)
{
	struct scrub_finding finding = scrub_new_finding(bad->error ? SCRUB_READ : SCRUB_DATA);

	finding.correctable = bad->correctable;
	finding.logical = bad->logical;
	finding.length = (u64)bad->nr_sectors * run->image->check.sectorsize;
	finding.devid = piece->device->devid;
	finding.physical = bad->physical;
	finding.copy = piece->copy;
	if (bad->error == -ENODATA) {
		scrub_finding_text(&finding, "beyond the end of the device");
	} else if (bad->error) {
		scrub_finding_text(&finding, "read failed: %s", strerror(-bad->error));
	} else {
		scrub_finding_text(&finding, "checksum mismatch");
		finding.csum_size = (u8)run->image->check.csum_size;
		memcpy(finding.want, bad->want, finding.csum_size);
		memcpy(finding.got, bad->got, finding.csum_size);
	}
	scrub_add_finding(run->report, &finding);
}

static int report_piece(struct scrub *run, const struct data_piece *piece)
{
	struct scrub_counters *counters = scrub_device_counters(run->report, piece->device->devid);
	u32 i;

	counters->csum_errors += piece->sectors_bad;
	counters->read_errors += piece->sectors_unreadable;
	counters->data_bytes_scrubbed += (u64)piece->nr_sums * run->image->check.sectorsize;
	counters->last_physical = MAX(counters->last_physical, piece->physical + piece->length);
	for (i = 0; i < piece->nr_bad; i++) {
		if (piece->bad[i].correctable)
			counters->correctable_errors += piece->bad[i].nr_sectors;
		else
			counters->uncorrectable_errors += piece->bad[i].nr_sectors;
		report_run(run, piece, &piece->bad[i]);
	}
	if (piece->read_again) {
		counters->unverified_errors++;
		scrub_add_note(run->report,
			       "device %llu: a read at physical %llu failed, and worked when tried again",
			       (unsigned long long)piece->device->devid, (unsigned long long)piece->physical);
	}
	scrub_tick(run, (u64)piece->nr_sums * run->image->check.sectorsize);
	return piece->error;
}

/* Finished reads go to the workers. */
static void dispatch(struct data_queue *queue, bool wait)
{
	struct io_request *request = io_ring_reap(queue->ring, wait);

	while (request) {
		struct data_piece *piece = request->user;

		piece->with_worker = true;
		worker_pool_submit(queue->workers, &piece->job);
		request = io_ring_reap(queue->ring, false);
	}
}

/* The oldest piece leaves; waits for it. */
static int retire(struct data_queue *queue)
{
	struct data_piece *piece = queue->head;
	int ret;

	while (!piece->with_worker)
		dispatch(queue, true);
	/* keep the workers busy while the oldest one is waited for */
	dispatch(queue, false);
	worker_pool_wait(queue->workers, &piece->job);
	queue->head = piece->next;
	if (!queue->head)
		queue->tail = NULL;
	ret = report_piece(queue->run, piece);
	buffer_pool_put(queue->buffers, piece->buffer);
	data_piece_destroy(piece);
	return ret;
}

static bool oldest_is_done(const struct data_queue *queue)
{
	return queue->head && queue->head->with_worker && worker_job_done(&queue->head->job);
}

static void start_read(struct data_queue *queue, struct data_piece *piece)
{
	const struct io_device *io = piece->device->io;

	piece->no_read = range_exceeds(piece->physical, piece->length, io->size) ||
			 !IS_ALIGNED(piece->physical | piece->length, SZ_4K);
	if (piece->no_read) {
		piece->with_worker = true;
		worker_pool_submit(queue->workers, &piece->job);
		return;
	}
	piece->iov = (struct iovec){ .iov_base = piece->buffer, .iov_len = piece->length };
	piece->request = (struct io_request){
		.op = IO_READ,
		.fd = io->fd,
		.device = (unsigned)(piece->device - queue->run->image->devices),
		.offset = piece->physical,
		.iov = &piece->iov,
		.nr_iov = 1,
		.user = piece,
	};
	io_ring_submit(queue->ring, &piece->request);
}

int data_queue_submit(struct data_queue *queue, struct data_piece *piece)
{
	int ret = 0;

	dispatch(queue, false);
	while (!ret && oldest_is_done(queue))
		ret = retire(queue);
	while (!ret && !(piece->buffer = buffer_pool_get(queue->buffers)))
		ret = retire(queue);
	if (ret) {
		data_piece_destroy(piece);
		return ret;
	}
	if (queue->tail)
		queue->tail->next = piece;
	else
		queue->head = piece;
	queue->tail = piece;
	start_read(queue, piece);
	return 0;
}

int data_queue_drain(struct data_queue *queue)
{
	int ret = 0;

	while (queue->head && !ret)
		ret = retire(queue);
	return ret;
}
