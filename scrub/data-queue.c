// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The verifier's pipeline: see data-queue.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io/buffer-pool.h"
#include "scrub/data-queue.h"

/* All that is under way; at one buffer a read it is also the depth of the ring. */
#define QUEUE_BYTES	(64 * SZ_1M)

struct data_queue {
	struct scrub *run;
	struct io_ring *ring;
	struct worker_pool *workers;
	struct buffer_pool *buffers;
	struct queue_item *head;	/* oldest */
	struct queue_item *tail;
};

static int create_ring(struct data_queue *queue)
{
	const struct scrub_options *options = queue->run->options;
	const struct io_ring_options ring_options = {
		.kind = IO_RING_AUTO,
		.depth = (unsigned)(QUEUE_BYTES / QUEUE_BUFFER_BYTES),
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
	ret = buffer_pool_create(&queue->buffers, QUEUE_BYTES, QUEUE_BUFFER_BYTES);
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
		struct queue_item *item = queue->head;

		queue->head = item->next;
		item->ops->destroy(item);
	}
	if (queue->buffers)
		buffer_pool_destroy(queue->buffers);
	free(queue);
}

static void to_worker(struct data_queue *queue, struct queue_item *item)
{
	item->with_worker = true;
	worker_pool_submit(queue->workers, &item->job);
}

/* What is read completely goes to the workers. */
static void dispatch(struct data_queue *queue, bool wait)
{
	struct io_request *request = io_ring_reap(queue->ring, wait);

	while (request) {
		struct queue_item *item = request->user;

		if (!--item->nr_reads)
			to_worker(queue, item);
		request = io_ring_reap(queue->ring, false);
	}
}

static void put_buffers(struct data_queue *queue, struct queue_item *item)
{
	unsigned i;

	for (i = 0; i < item->nr_buffers && item->buffers[i]; i++)
		buffer_pool_put(queue->buffers, item->buffers[i]);
}

/* The oldest item leaves; waits for it. */
static int retire(struct data_queue *queue)
{
	struct queue_item *item = queue->head;
	int ret;

	while (!item->with_worker)
		dispatch(queue, true);
	/* keep the workers busy while the oldest one is waited for */
	dispatch(queue, false);
	worker_pool_wait(queue->workers, &item->job);
	queue->head = item->next;
	if (!queue->head)
		queue->tail = NULL;
	ret = item->ops->report(item, queue->run);
	put_buffers(queue, item);
	item->ops->destroy(item);
	return ret;
}

static bool oldest_is_done(const struct data_queue *queue)
{
	return queue->head && queue->head->with_worker && worker_job_done(&queue->head->job);
}

static void start_reads(struct data_queue *queue, struct queue_item *item)
{
	const unsigned nr = item->ops->prepare(item, queue->run);
	unsigned i;

	/* all of them count from the beginning: those that are through early must not look like the last */
	item->nr_reads = nr;
	for (i = 0; i < nr; i++) {
		item->requests[i].user = item;
		io_ring_submit(queue->ring, &item->requests[i]);
	}
	if (!nr)
		to_worker(queue, item);
}

/* The order of buffers is the order of items, so that two of them cannot wait for each other. */
static int get_buffers(struct data_queue *queue, struct queue_item *item)
{
	unsigned i;
	int ret = 0;

	for (i = 0; i < item->nr_buffers && !ret; i++) {
		while (!ret && !(item->buffers[i] = buffer_pool_get(queue->buffers)))
			ret = retire(queue);
	}
	return ret;
}

int data_queue_submit(struct data_queue *queue, struct queue_item *item)
{
	int ret = 0;

	memset(item->buffers, 0, sizeof(item->buffers));
	dispatch(queue, false);
	while (!ret && oldest_is_done(queue))
		ret = retire(queue);
	if (!ret)
		ret = get_buffers(queue, item);
	if (ret) {
		put_buffers(queue, item);
		item->ops->destroy(item);
		return ret;
	}
	item->next = NULL;
	if (queue->tail)
		queue->tail->next = item;
	else
		queue->head = item;
	queue->tail = item;
	start_reads(queue, item);
	return 0;
}

int data_queue_drain(struct data_queue *queue)
{
	int ret = 0;

	while (queue->head && !ret)
		ret = retire(queue);
	return ret;
}
