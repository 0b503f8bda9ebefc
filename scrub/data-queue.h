/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is verified, on its way: read by the ring, judged by workers, and reported in the order of
 * submission, so that the report does not depend on who was faster.
 */
#ifndef BO_SCRUB_DATA_QUEUE_H
#define BO_SCRUB_DATA_QUEUE_H

#include "io/ring.h"
#include "io/worker-pool.h"
#include "scrub/run.h"

#define QUEUE_BUFFER_BYTES	((u32)SZ_1M)
#define QUEUE_ITEM_BUFFERS	16

struct queue_item;

struct queue_item_ops {
	/* ->buffers are there: sets ->requests up. Returns how many; 0: the worker comes without. */
	unsigned (*prepare)(struct queue_item *item, struct scrub *run);
	/* The worker is through; the buffers are there still. Returns 0 or -errno. */
	int (*report)(struct queue_item *item, struct scrub *run);
	void (*destroy)(struct queue_item *item);
};

/*
 * Embedded in what travels. The main thread fills it and submits it, a worker runs the job, the main
 * thread takes the verdict. Who holds it owns it; there is no lock in it.
 */
struct queue_item {
	/* set by the owner */
	struct worker_job job;
	const struct queue_item_ops *ops;
	struct io_request *requests;	/* ->user is set by the queue */
	unsigned nr_buffers;		/* wanted: 1 .. QUEUE_ITEM_BUFFERS */
	/* set by the queue */
	u8 *buffers[QUEUE_ITEM_BUFFERS];
	struct queue_item *next;	/* in order of submission */
	unsigned nr_reads;		/* under way */
	bool with_worker;
};

struct data_queue;

/* Returns 0 or -errno after a message. */
int data_queue_create(struct data_queue **queue, struct scrub *run);
/* Waits for what is under way and drops it. NULL is fine. */
void data_queue_destroy(struct data_queue *queue);

/* Takes over @item in any case. Waits when enough is under way. Returns 0 or -errno. */
int data_queue_submit(struct data_queue *queue, struct queue_item *item);
/* Returns when everything submitted is in the report: 0 or -errno. */
int data_queue_drain(struct data_queue *queue);

#endif
