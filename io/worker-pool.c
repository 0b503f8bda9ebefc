// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A queue of jobs, a mutex, and threads that take from its head: see
 * worker-pool.h. One job is meant to be some hundred microseconds of work, so
 * a plain lock is never the bottleneck.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/worker-pool.h"

struct worker {
	struct worker_pool *pool;
	pthread_t thread;
	unsigned number;
};

struct worker_pool {
	/* owner only */
	struct worker *workers;
	unsigned nr_threads;

	/* under the lock */
	pthread_mutex_t lock;
	pthread_cond_t work;		/* a job came, or stop */
	pthread_cond_t finished;	/* a job ended while the owner waits */
	struct worker_job *head;
	struct worker_job *tail;
	unsigned nr_idle;
	bool owner_waits;
	bool stop;
};

/* With the lock held. NULL: no more work will come. */
static struct worker_job *next_job(struct worker_pool *pool)
{
	struct worker_job *job;

	while (!pool->head && !pool->stop) {
		pool->nr_idle++;
		pthread_cond_wait(&pool->work, &pool->lock);
		pool->nr_idle--;
	}
	job = pool->head;
	if (job) {
		pool->head = job->next;
		if (!pool->head)
			pool->tail = NULL;
	}
	return job;
}

static void run_job(struct worker_job *job, unsigned number)
{
	job->next = NULL;
	job->run(job, number);
	/* From here the job is the owner's again, who may free it at once. */
	atomic_store_explicit(&job->done, true, memory_order_release);
}

static void *worker_main(void *arg)
{
	struct worker *worker = arg;
	struct worker_pool *pool = worker->pool;
	struct worker_job *job;

	pthread_mutex_lock(&pool->lock);
	while ((job = next_job(pool))) {
		pthread_mutex_unlock(&pool->lock);
		run_job(job, worker->number);
		pthread_mutex_lock(&pool->lock);
		if (pool->owner_waits)
			pthread_cond_signal(&pool->finished);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

/* Threads inherit the mask of their creator: block everything while they are made. */
static int start_threads(struct worker_pool *pool, unsigned nr_threads)
{
	sigset_t all, old;
	int ret;

	sigfillset(&all);
	ret = pthread_sigmask(SIG_SETMASK, &all, &old);
	if (ret)
		return -ret;
	while (pool->nr_threads < nr_threads) {
		struct worker *worker = &pool->workers[pool->nr_threads];

		worker->pool = pool;
		worker->number = pool->nr_threads;
		ret = pthread_create(&worker->thread, NULL, worker_main, worker);
		if (ret)
			break;
		pool->nr_threads++;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -ret;
}

int worker_pool_create(struct worker_pool **result, unsigned nr_threads)
{
	struct worker_pool *pool = calloc(1, sizeof(*pool));
	int ret = 0;

	if (!pool)
		return -ENOMEM;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->work, NULL);
	pthread_cond_init(&pool->finished, NULL);
	if (nr_threads) {
		pool->workers = calloc(nr_threads, sizeof(*pool->workers));
		ret = pool->workers ? start_threads(pool, nr_threads) : -ENOMEM;
	}
	if (ret) {
		worker_pool_destroy(pool);
		return ret;
	}
	*result = pool;
	return 0;
}

void worker_pool_destroy(struct worker_pool *pool)
{
	unsigned i;

	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->stop = true;
	pthread_cond_broadcast(&pool->work);
	pthread_mutex_unlock(&pool->lock);
	for (i = 0; i < pool->nr_threads; i++)
		pthread_join(pool->workers[i].thread, NULL);
	pthread_cond_destroy(&pool->finished);
	pthread_cond_destroy(&pool->work);
	pthread_mutex_destroy(&pool->lock);
	free(pool->workers);
	free(pool);
}

void worker_pool_submit(struct worker_pool *pool, struct worker_job *job)
{
	atomic_store_explicit(&job->done, false, memory_order_relaxed);
	job->next = NULL;
	if (!pool->nr_threads) {
		run_job(job, 0);
		return;
	}
	pthread_mutex_lock(&pool->lock);
	if (pool->tail)
		pool->tail->next = job;
	else
		pool->head = job;
	pool->tail = job;
	if (pool->nr_idle)
		pthread_cond_signal(&pool->work);
	pthread_mutex_unlock(&pool->lock);
}

bool worker_job_done(const struct worker_job *job)
{
	return atomic_load_explicit(&job->done, memory_order_acquire);
}

void worker_pool_wait(struct worker_pool *pool, struct worker_job *job)
{
	if (worker_job_done(job))
		return;
	/*
	 * A worker sets done before it takes the lock, so either it is seen here or
	 * the worker sees owner_waits afterwards: no wake-up is lost.
	 */
	pthread_mutex_lock(&pool->lock);
	pool->owner_waits = true;
	while (!worker_job_done(job))
		pthread_cond_wait(&pool->finished, &pool->lock);
	pool->owner_waits = false;
	pthread_mutex_unlock(&pool->lock);
}

unsigned worker_pool_threads(const struct worker_pool *pool)
{
	return pool->nr_threads;
}

unsigned worker_pool_online_cpus(void)
{
	unsigned nr_cpus;
	int count = 0;

	/* The kernel refuses a mask smaller than its own; machines beyond 1024 processors exist. */
	for (nr_cpus = 1024; nr_cpus <= 65536 && count <= 0; nr_cpus *= 2) {
		cpu_set_t *mask = CPU_ALLOC(nr_cpus);
		size_t size = CPU_ALLOC_SIZE(nr_cpus);

		if (!mask)
			break;
		if (!sched_getaffinity(0, size, mask))
			count = CPU_COUNT_S(size, mask);
		CPU_FREE(mask);
	}
	if (count <= 0)
		count = (int)sysconf(_SC_NPROCESSORS_ONLN);
	return count > 0 ? (unsigned)count : 1;
}
