/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that run jobs; one owner submits and waits. With 0 threads the job
 * runs inside worker_pool_submit(): the serial twin that tests compare with.
 *
 * A job is owned by the pool from submit until it is done. Jobs start in the order of
 * submission and end in any order. Only the owner may call anything here;
 * what run() touches is the job's own business.
 */
#ifndef BO_IO_WORKER_POOL_H
#define BO_IO_WORKER_POOL_H

#include <stdatomic.h>

#include "common/types.h"

struct worker_job {
	/* @worker: 0 .. threads - 1 (0 in the serial twin), for per-thread state. */
	void (*run)(struct worker_job *job, unsigned worker);
	struct worker_job *next;
	atomic_bool done;
};

struct worker_pool;

/* Returns 0 or -errno. Signals are blocked in the threads. */
int worker_pool_create(struct worker_pool **pool, unsigned nr_threads);
/* Runs what was submitted to its end, then joins the threads. NULL is fine. */
void worker_pool_destroy(struct worker_pool *pool);

void worker_pool_submit(struct worker_pool *pool, struct worker_job *job);
bool worker_job_done(const struct worker_job *job);
/* Returns when @job is done; all its writes are then visible to the caller. */
void worker_pool_wait(struct worker_pool *pool, struct worker_job *job);
unsigned worker_pool_threads(const struct worker_pool *pool);

/* Processors this process may run on (its affinity mask), at least 1. */
unsigned worker_pool_online_cpus(void);

#endif
