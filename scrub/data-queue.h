/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pieces on their way: read by the ring, verified by workers, and reported in the order in which
 * they were submitted, so that the report does not depend on who was faster.
 */
#ifndef BO_SCRUB_DATA_QUEUE_H
#define BO_SCRUB_DATA_QUEUE_H

#include "scrub/data-piece.h"
#include "scrub/run.h"

struct data_queue;

/* Returns 0 or -errno after a message. */
int data_queue_create(struct data_queue **queue, struct scrub *run);
/* Waits for what is under way and drops it. NULL is fine. */
void data_queue_destroy(struct data_queue *queue);

/* Takes over @piece in any case. Waits when enough is under way. Returns 0 or -errno. */
int data_queue_submit(struct data_queue *queue, struct data_piece *piece);
/* Returns when everything submitted is in the report: 0 or -errno. */
int data_queue_drain(struct data_queue *queue);

#endif
