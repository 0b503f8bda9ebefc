// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A ring of jobs, each for one tree block: see block-reader.h. Jobs finish in any order and are
 * taken in the order of the hints.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io/worker-pool.h"
#include "scrub/block-reader.h"

#define WINDOW		64

/* Threads wait for devices here more than they compute. */
#define MIN_THREADS	8
#define MAX_THREADS	32

struct block_job {
	struct worker_job job;
	const struct btrfs_image *image;
	struct block_copies copies;
};

struct block_reader {
	const struct btrfs_image *image;
	struct worker_pool *pool;
	unsigned threads;
	struct block_job *jobs;		/* WINDOW of the ring, and one more for what was not hinted */
	unsigned head;			/* oldest hint */
	unsigned nr;			/* hints in the ring */
	u8 *memory;
};

/* Keeps the first complaint of the tree-checker. */
static void first_complaint(void *arg, int slot, const struct btrfs_key *key, const char *text)
{
	struct btrfs_reason *reason = arg;

	if (reason->text[0])
		return;
	if (slot < 0)
		btrfs_set_reason(reason, "%s", text);
	else
		btrfs_set_reason(reason, "slot %d %s: %s", slot, btrfs_format_key(key).text, text);
}

/* A copy whose item table cannot be used is as bad as one with a wrong checksum. */
static void check_table(const struct btrfs_image *image, const void *block, struct btrfs_copy_result *result)
{
	struct btrfs_reason reason = { .text = "" };
	int ret;

	if (btrfs_block_header(block)->level)
		ret = btrfs_check_node(&image->check, block, first_complaint, &reason);
	else
		ret = btrfs_check_leaf_items(&image->check, block, first_complaint, &reason);
	if (!ret)
		return;
	result->status = BTRFS_COPY_BAD;
	result->fault = BTRFS_BLOCK_BAD_NRITEMS;
	result->reason = reason;
}

/* Reads and judges copy number @copy to slot @slot. */
static void read_copy(const struct btrfs_image *image, struct block_copies *copies, int copy, int slot)
{
	struct btrfs_copy_result *result = &copies->result[slot];

	if (!btrfs_read_block_copy(image, &copies->ref, copy, copies->buf[slot], result))
		check_table(image, copies->buf[slot], result);
	if (result->status == BTRFS_COPY_GOOD && copies->good < 0)
		copies->good = slot;
	if (result->error == -ENOMEM)
		copies->result[0].error = -ENOMEM;
}

static void read_copies(const struct btrfs_image *image, struct block_copies *copies)
{
	const int nr = btrfs_nr_copies(image, copies->ref.bytenr, image->check.nodesize);
	const int ways = btrfs_nr_ways(image, copies->ref.bytenr, image->check.nodesize);
	int i;

	copies->nr = nr < 1 ? 1 : MIN(nr, SCRUB_MAX_COPIES);
	copies->good = -1;
	for (i = 0; i < copies->nr; i++)
		read_copy(image, copies, i, i);
	/* raid5 and raid6 have one copy, so there is a slot for what parity gives */
	for (i = copies->nr; i < ways && copies->good < 0; i++)
		read_copy(image, copies, i, copies->nr);
}

static void run_job(struct worker_job *job, unsigned worker)
{
	struct block_job *block = (struct block_job *)((char *)job - offsetof(struct block_job, job));

	(void)worker;
	read_copies(block->image, &block->copies);
}

static int init_jobs(struct block_reader *reader)
{
	const size_t nodesize = ALIGN_UP((size_t)reader->image->check.nodesize, (size_t)SZ_4K);
	u8 *buf;
	int i, copy;

	reader->jobs = calloc(WINDOW + 1, sizeof(*reader->jobs));
	reader->memory = btrfs_block_buffer((WINDOW + 1) * SCRUB_MAX_COPIES * nodesize);
	if (!reader->jobs || !reader->memory)
		return -ENOMEM;
	buf = reader->memory;
	for (i = 0; i <= WINDOW; i++) {
		reader->jobs[i].job.run = run_job;
		reader->jobs[i].image = reader->image;
		for (copy = 0; copy < SCRUB_MAX_COPIES; copy++, buf += nodesize)
			reader->jobs[i].copies.buf[copy] = buf;
	}
	return 0;
}

int block_reader_create(struct block_reader **result, const struct btrfs_image *image, unsigned threads)
{
	struct block_reader *reader = calloc(1, sizeof(*reader));
	int ret;

	if (!reader)
		return -ENOMEM;
	reader->image = image;
	if (threads)
		reader->threads = MIN(MAX(threads, MIN_THREADS), MAX_THREADS);
	ret = init_jobs(reader);
	if (!ret)
		ret = worker_pool_create(&reader->pool, reader->threads);
	if (ret) {
		block_reader_destroy(reader);
		return ret;
	}
	*result = reader;
	return 0;
}

void block_reader_destroy(struct block_reader *reader)
{
	if (!reader)
		return;
	worker_pool_destroy(reader->pool);
	free(reader->jobs);
	free(reader->memory);
	free(reader);
}

bool block_reader_hint(struct block_reader *reader, const struct btrfs_block_ref *ref)
{
	struct block_job *job;

	if (!reader->threads || reader->nr == WINDOW)
		return false;
	job = &reader->jobs[(reader->head + reader->nr++) % WINDOW];
	job->copies.ref = *ref;
	worker_pool_submit(reader->pool, &job->job);
	return true;
}

/* The oldest hint, finished, out of the ring. */
static struct block_job *take_oldest(struct block_reader *reader)
{
	struct block_job *job = &reader->jobs[reader->head];

	worker_pool_wait(reader->pool, &job->job);
	reader->head = (reader->head + 1) % WINDOW;
	reader->nr--;
	return job;
}

static bool is_hinted(const struct block_reader *reader, const struct btrfs_block_ref *ref)
{
	unsigned i;

	for (i = 0; i < reader->nr; i++) {
		const struct btrfs_block_ref *hint = &reader->jobs[(reader->head + i) % WINDOW].copies.ref;

		if (hint->bytenr == ref->bytenr && hint->parent == ref->parent && hint->slot == ref->slot &&
		    hint->tree == ref->tree)
			return true;
	}
	return false;
}

const struct block_copies *block_reader_get(struct block_reader *reader, const struct btrfs_block_ref *ref)
{
	struct block_job *job;

	if (is_hinted(reader, ref)) {
		do {
			job = take_oldest(reader);
		} while (job->copies.ref.bytenr != ref->bytenr || job->copies.ref.parent != ref->parent ||
			 job->copies.ref.slot != ref->slot || job->copies.ref.tree != ref->tree);
		return &job->copies;
	}
	job = &reader->jobs[WINDOW];
	job->copies.ref = *ref;
	read_copies(reader->image, &job->copies);
	return &job->copies;
}
