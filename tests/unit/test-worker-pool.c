// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The worker pool: every job runs once, starts in order, blocks where it
 * should, and the serial twin does the same inside submit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>

#include "io/worker-pool.h"

#define NR_JOBS 500

struct sum_job {
	struct worker_job job;
	unsigned input;
	unsigned output;	/* plain on purpose: the pool must make it visible */
	unsigned worker;
};

static void run_sum(struct worker_job *job, unsigned worker)
{
	struct sum_job *sum = (struct sum_job *)job;

	sum->output += sum->input * 2 + 1;
	sum->worker = worker;
}

static void check_sums(unsigned nr_threads)
{
	struct sum_job *jobs = calloc(NR_JOBS, sizeof(*jobs));
	struct worker_pool *pool;
	unsigned i;

	assert_non_null(jobs);
	assert_int_equal(worker_pool_create(&pool, nr_threads), 0);
	assert_int_equal(worker_pool_threads(pool), nr_threads);
	for (i = 0; i < NR_JOBS; i++) {
		jobs[i].job.run = run_sum;
		jobs[i].input = i;
		worker_pool_submit(pool, &jobs[i].job);
		if (!nr_threads)
			assert_true(worker_job_done(&jobs[i].job));
	}
	for (i = 0; i < NR_JOBS; i++) {
		worker_pool_wait(pool, &jobs[i].job);
		assert_true(worker_job_done(&jobs[i].job));
		assert_int_equal(jobs[i].output, i * 2 + 1);
		assert_true(jobs[i].worker < (nr_threads ? nr_threads : 1));
	}
	worker_pool_destroy(pool);
	free(jobs);
}

static void test_every_job_once(void **state)
{
	static const unsigned threads[] = { 0, 1, 2, 7 };
	unsigned i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		check_sums(threads[i]);
}

struct order_job {
	struct worker_job job;
	unsigned *next_start;
	unsigned started_as;
};

static void run_order(struct worker_job *job, unsigned worker)
{
	struct order_job *order = (struct order_job *)job;

	(void)worker;
	order->started_as = (*order->next_start)++;
}

/* One worker: no lock is needed around the counter, and submission order is start order. */
static void test_starts_in_order(void **state)
{
	struct order_job jobs[NR_JOBS] = { 0 };
	struct worker_pool *pool;
	unsigned next_start = 0;
	unsigned i;

	(void)state;
	assert_int_equal(worker_pool_create(&pool, 1), 0);
	for (i = 0; i < NR_JOBS; i++) {
		jobs[i].job.run = run_order;
		jobs[i].next_start = &next_start;
		worker_pool_submit(pool, &jobs[i].job);
	}
	worker_pool_wait(pool, &jobs[NR_JOBS - 1].job);
	for (i = 0; i < NR_JOBS; i++)
		assert_int_equal(jobs[i].started_as, i);
	worker_pool_destroy(pool);
}

struct gate_job {
	struct worker_job job;
	sem_t *enter;
	sem_t *leave;
	unsigned worker;
};

static void run_gate(struct worker_job *job, unsigned worker)
{
	struct gate_job *gate = (struct gate_job *)job;

	gate->worker = worker;
	sem_post(gate->enter);
	while (sem_wait(gate->leave))
		;
}

/* Two jobs are held inside run() at once: they really run side by side, on different workers. */
static void test_runs_in_parallel(void **state)
{
	struct gate_job gates[2] = { 0 };
	struct sum_job last = { .job.run = run_sum, .input = 1 };
	struct worker_pool *pool;
	sem_t enter, leave;
	unsigned i;

	(void)state;
	sem_init(&enter, 0, 0);
	sem_init(&leave, 0, 0);
	assert_int_equal(worker_pool_create(&pool, 2), 0);
	for (i = 0; i < 2; i++) {
		gates[i].job.run = run_gate;
		gates[i].enter = &enter;
		gates[i].leave = &leave;
		worker_pool_submit(pool, &gates[i].job);
	}
	worker_pool_submit(pool, &last.job);
	for (i = 0; i < 2; i++)
		while (sem_wait(&enter))
			;
	assert_false(worker_job_done(&gates[0].job));
	assert_false(worker_job_done(&gates[1].job));
	assert_false(worker_job_done(&last.job));
	sem_post(&leave);
	sem_post(&leave);
	worker_pool_wait(pool, &last.job);
	worker_pool_wait(pool, &gates[1].job);
	worker_pool_wait(pool, &gates[0].job);
	assert_int_not_equal(gates[0].worker, gates[1].worker);
	worker_pool_destroy(pool);
	sem_destroy(&enter);
	sem_destroy(&leave);
}

/* Nobody waits: destroy still runs the queue to its end. */
static void test_destroy_drains(void **state)
{
	struct sum_job *jobs = calloc(NR_JOBS, sizeof(*jobs));
	struct worker_pool *pool;
	unsigned i;

	(void)state;
	assert_int_equal(worker_pool_create(&pool, 3), 0);
	for (i = 0; i < NR_JOBS; i++) {
		jobs[i].job.run = run_sum;
		jobs[i].input = i;
		worker_pool_submit(pool, &jobs[i].job);
	}
	worker_pool_destroy(pool);
	for (i = 0; i < NR_JOBS; i++)
		assert_int_equal(jobs[i].output, i * 2 + 1);
	free(jobs);
	worker_pool_destroy(NULL);
}

/* A job may be submitted again, and freed, as soon as it is done. */
static void test_job_is_reusable(void **state)
{
	struct worker_pool *pool;
	unsigned i;

	(void)state;
	assert_int_equal(worker_pool_create(&pool, 2), 0);
	for (i = 0; i < NR_JOBS; i++) {
		struct sum_job *sum = calloc(1, sizeof(*sum));

		sum->job.run = run_sum;
		sum->input = i;
		worker_pool_submit(pool, &sum->job);
		worker_pool_wait(pool, &sum->job);
		worker_pool_submit(pool, &sum->job);
		worker_pool_wait(pool, &sum->job);
		assert_int_equal(sum->output, 2 * (i * 2 + 1));
		free(sum);
	}
	worker_pool_destroy(pool);
}

struct mask_job {
	struct worker_job job;
	sigset_t mask;
};

static void run_mask(struct worker_job *job, unsigned worker)
{
	(void)worker;
	pthread_sigmask(SIG_BLOCK, NULL, &((struct mask_job *)job)->mask);
}

static void test_signals_are_blocked(void **state)
{
	struct mask_job job = { .job.run = run_mask };
	struct worker_pool *pool;
	sigset_t before, after;

	(void)state;
	pthread_sigmask(SIG_BLOCK, NULL, &before);
	assert_int_equal(worker_pool_create(&pool, 1), 0);
	pthread_sigmask(SIG_BLOCK, NULL, &after);
	assert_int_equal(sigismember(&before, SIGINT), sigismember(&after, SIGINT));
	worker_pool_submit(pool, &job.job);
	worker_pool_wait(pool, &job.job);
	worker_pool_destroy(pool);
	assert_int_equal(sigismember(&job.mask, SIGINT), 1);
	assert_int_equal(sigismember(&job.mask, SIGTERM), 1);
	assert_int_equal(sigismember(&job.mask, SIGHUP), 1);
}

static void test_online_cpus(void **state)
{
	cpu_set_t mask, one;
	unsigned i;

	(void)state;
	assert_true(worker_pool_online_cpus() >= 1);
	if (sched_getaffinity(0, sizeof(mask), &mask))
		skip();
	for (i = 0; i < CPU_SETSIZE && !CPU_ISSET(i, &mask); i++)
		;
	CPU_ZERO(&one);
	CPU_SET(i, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(worker_pool_online_cpus(), 1);
	assert_int_equal(sched_setaffinity(0, sizeof(mask), &mask), 0);
	assert_int_equal(worker_pool_online_cpus(), CPU_COUNT(&mask));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_job_once),
		cmocka_unit_test(test_starts_in_order),
		cmocka_unit_test(test_runs_in_parallel),
		cmocka_unit_test(test_destroy_drains),
		cmocka_unit_test(test_job_is_reusable),
		cmocka_unit_test(test_signals_are_blocked),
		cmocka_unit_test(test_online_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
