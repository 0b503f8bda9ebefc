// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Drives blocks through the stages: see pipeline.h. Two queues, both in submission
 * order: `reading` (with the workers) and `writing` (placed, on the way to the devices).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "mkfs/pipeline-internal.h"

static void queue_add(struct block_queue *queue, struct data_block *block)
{
	block->next = NULL;
	if (queue->last)
		queue->last->next = block;
	else
		queue->first = block;
	queue->last = block;
}

static struct data_block *queue_take(struct block_queue *queue)
{
	struct data_block *block = queue->first;

	queue->first = block->next;
	if (!queue->first)
		queue->last = NULL;
	return block;
}

int pipeline_create(struct pipeline **out, const struct pipeline_options *options)
{
	struct pipeline *pipeline = calloc(1, sizeof(*pipeline));

	if (!pipeline)
		return -ENOMEM;
	pipeline->options = *options;
	if (options->compress) {
		pipeline->nr_compressors = MAX(worker_pool_threads(options->workers), 1U);
		pipeline->compressors = calloc(pipeline->nr_compressors, sizeof(struct compressor *));
		if (!pipeline->compressors) {
			free(pipeline);
			return -ENOMEM;
		}
	}
	*out = pipeline;
	return 0;
}

static void free_block(struct data_block *block)
{
	data_block_drop_sources(block);
	free(block->csums);
	free(block->hashes);
	free(block);
}

static void drop_queue(struct pipeline *pipeline, struct block_queue *queue)
{
	while (queue->first) {
		struct data_block *block = queue_take(queue);

		if (block->data)
			buffer_pool_put(pipeline->options.buffers, block->data);
		free_block(block);
	}
}

void pipeline_destroy(struct pipeline *pipeline)
{
	struct data_block *block;
	unsigned i;

	if (!pipeline)
		return;
	for (block = pipeline->reading.first; block; block = block->next)
		worker_pool_wait(pipeline->options.workers, &block->job);
	for (block = pipeline->writing.first; block; block = block->next) {
		if (block->csum_job)
			worker_pool_wait(pipeline->options.workers, &block->job);
	}
	write_stage_flush(pipeline->options.write);
	while (write_stage_reap(pipeline->options.write, true))
		;
	drop_queue(pipeline, &pipeline->reading);
	drop_queue(pipeline, &pipeline->writing);
	drop_queue(pipeline, &pipeline->idle);
	for (i = 0; i < pipeline->nr_compressors; i++)
		compressor_destroy(pipeline->compressors[i]);
	free(pipeline->compressors);
	free(pipeline);
}

u64 pipeline_bytes(const struct pipeline *pipeline)
{
	return pipeline->bytes;
}

static int pipeline_error(const struct pipeline *pipeline)
{
	if (pipeline->error)
		return pipeline->error;
	return write_stage_error(pipeline->options.write);
}

/* ---- RETIRE ---- */

static bool parts_written(const struct data_block *block)
{
	unsigned i;

	for (i = 0; i < block->nr_parts; i++) {
		if (block->parts[i].pending)
			return false;
	}
	return true;
}

static void recycle(struct pipeline *pipeline, struct data_block *block)
{
	data_block_drop_sources(block);
	buffer_pool_put(pipeline->options.buffers, block->data);
	block->data = NULL;
	queue_add(&pipeline->idle, block);
}

/* The oldest placed block, if it is finished. Returns 1: retired, 0: not yet, or -errno. */
static int retire_one(struct pipeline *pipeline)
{
	const struct place_ops *ops = &pipeline->options.ops;
	struct data_block *block = pipeline->writing.first;
	int ret = 0;

	if (!block || !parts_written(block))
		return 0;
	if (block->csum_job) {
		worker_pool_wait(pipeline->options.workers, &block->job);
		block->csum_job = false;
	}
	queue_take(&pipeline->writing);
	if (block->kind == DATA_BLOCK_REGULAR)
		pipeline->bytes += block->read;
	if (block->used && block->kind == DATA_BLOCK_REGULAR) {
		ret = ops->csums(ops->arg, block->csums, block->used / pipeline->options.layout->sectorsize);
	}
	recycle(pipeline, block);
	return ret ? ret : 1;
}

static int retire_finished(struct pipeline *pipeline, bool wait)
{
	int ret;

	while (write_stage_reap(pipeline->options.write, wait))
		wait = false;
	ret = write_stage_error(pipeline->options.write);
	while (!ret || ret == 1) {
		ret = retire_one(pipeline);
		if (!ret)
			break;
	}
	return ret;
}

/* ---- driving ---- */

static void job_csum(struct worker_job *job, unsigned worker)
{
	(void)worker;
	data_block_csum((struct data_block *)job);
}

static void job_read(struct worker_job *job, unsigned worker)
{
	struct data_block *block = (struct data_block *)job;
	struct compressor **compressor = block->compressors ? &block->compressors[worker] : NULL;

	if (compressor && !*compressor && compressor_create(compressor, block->layout->sectorsize)) {
		block->segments[0].error = -ENOMEM;
		return;
	}
	data_block_read(block, compressor ? *compressor : NULL);
}

static void start_job(struct pipeline *pipeline, struct data_block *block,
		      void (*run)(struct worker_job *, unsigned))
{
	block->job.run = run;
	atomic_store(&block->job.done, false);
	worker_pool_submit(pipeline->options.workers, &block->job);
}

static bool hash_inline(const struct pipeline *pipeline, u32 bytes)
{
	return pipeline->options.mode == MKFS_CSUM_INLINE || bytes <= pipeline->options.inline_max;
}

/* The oldest block that is with a worker: wait for it, place it, send it on to the devices. */
static int advance(struct pipeline *pipeline)
{
	struct data_block *block = pipeline->reading.first;
	unsigned i;
	int ret;

	worker_pool_wait(pipeline->options.workers, &block->job);
	queue_take(&pipeline->reading);
	queue_add(&pipeline->writing, block);
	if (block->kind == DATA_BLOCK_REGULAR && !block->csum_done && hash_inline(pipeline, block->used))
		data_block_csum(block);
	ret = place_block(pipeline, block);
	for (i = 0; !ret && i < block->nr_parts; i++)
		ret = write_stage_add(pipeline->options.write, &block->parts[i]);
	if (!ret && block->kind == DATA_BLOCK_REGULAR && !block->csum_done) {
		block->csum_job = true;
		start_job(pipeline, block, job_csum);
	}
	return ret;
}

static int advance_ready(struct pipeline *pipeline)
{
	int ret = 0;

	while (!ret && pipeline->reading.first && worker_job_done(&pipeline->reading.first->job))
		ret = advance(pipeline);
	return ret;
}

/* Makes a buffer come free, or finds out why none does. */
static int make_room(struct pipeline *pipeline)
{
	int ret;

	if (pipeline->options.stop && *pipeline->options.stop)
		return -EINTR;
	ret = advance_ready(pipeline);
	if (!ret)
		ret = retire_finished(pipeline, false);
	if (ret || buffer_pool_free(pipeline->options.buffers))
		return ret;
	if (pipeline->reading.first)
		ret = advance(pipeline);
	else
		ret = write_stage_flush(pipeline->options.write);
	if (ret)
		return ret;
	return retire_finished(pipeline, !pipeline->reading.first);
}

static struct data_block *new_block(struct pipeline *pipeline)
{
	const struct mkfs_layout *layout = pipeline->options.layout;
	struct data_block *block;

	if (pipeline->idle.first)
		return queue_take(&pipeline->idle);
	block = calloc(1, sizeof(*block));
	if (!block)
		return NULL;
	block->layout = layout;
	block->csums = malloc((size_t)DATA_BLOCK_SIZE / layout->sectorsize * layout->csum->size);
	block->compressors = pipeline->compressors;
	block->dedupe = pipeline->options.dedupe;
	if (block->dedupe)
		block->hashes = malloc((DATA_BLOCK_EXTENTS + DATA_BLOCK_PIECES) * DEDUPE_HASH_SIZE);
	if (!block->csums || (block->dedupe && !block->hashes)) {
		free_block(block);
		return NULL;
	}
	return block;
}

struct data_block *pipeline_get(struct pipeline *pipeline, enum data_block_kind kind, int *error_out)
{
	struct data_block *block;
	int ret = pipeline_error(pipeline);

	while (!ret && !buffer_pool_free(pipeline->options.buffers))
		ret = make_room(pipeline);
	if (!ret && pipeline->options.stop && *pipeline->options.stop)
		ret = -EINTR;
	block = ret ? NULL : new_block(pipeline);
	if (!block) {
		*error_out = pipeline->error = ret ? ret : -ENOMEM;
		return NULL;
	}
	block->kind = kind;
	block->data = buffer_pool_get(pipeline->options.buffers);
	block->planned = block->used = 0;
	block->nr_segments = block->nr_extents = 0;
	block->nr_parts = 0;
	block->csum_job = false;
	return block;
}

void pipeline_put_back(struct pipeline *pipeline, struct data_block *block)
{
	recycle(pipeline, block);
}

int pipeline_submit(struct pipeline *pipeline, struct data_block *block)
{
	int ret = pipeline_error(pipeline);

	block->csum_in_worker = block->kind == DATA_BLOCK_REGULAR &&
				pipeline->options.mode == MKFS_CSUM_OFFLOAD &&
				block->planned > pipeline->options.inline_max;
	queue_add(&pipeline->reading, block);
	start_job(pipeline, block, job_read);
	if (!ret)
		ret = advance_ready(pipeline);
	if (!ret)
		ret = retire_finished(pipeline, false);
	if (ret < 0)
		pipeline->error = ret;
	return ret;
}

/* With @wait: waits for writes under way. */
static int retire_and_tick(struct pipeline *pipeline, bool wait)
{
	if (pipeline->options.tick)
		pipeline->options.tick(pipeline->options.tick_arg);
	return retire_finished(pipeline, wait);
}

int pipeline_drain(struct pipeline *pipeline)
{
	int ret = pipeline_error(pipeline);

	while (!ret && pipeline->reading.first) {
		if (pipeline->options.stop && *pipeline->options.stop)
			ret = -EINTR;
		else
			ret = advance(pipeline);
		if (!ret)
			ret = retire_and_tick(pipeline, false);
	}
	if (!ret)
		ret = write_stage_flush(pipeline->options.write);
	while (!ret && pipeline->writing.first)
		ret = retire_and_tick(pipeline, true);
	if (ret)
		pipeline->error = ret;
	return ret;
}
