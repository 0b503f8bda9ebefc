// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recording half of the item log: an arena of payloads with an index that is sorted
 * when it is read or when memory runs out. Merging is in item-merge.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "mkfs/item-log-internal.h"

#define MIN_MEMORY	((size_t)1 << 20)

int item_log_create(struct item_log **out, size_t memory)
{
	struct item_log *log = calloc(1, sizeof(*log));

	if (!log)
		return -ENOMEM;
	log->memory = MAX(memory, MIN_MEMORY);
	*out = log;
	return 0;
}

void item_log_destroy(struct item_log *log)
{
	if (!log)
		return;
	spool_destroy(log->spilled);
	free(log->runs);
	free(log->index);
	free(log->arena);
	free(log);
}

u64 item_log_records(const struct item_log *log)
{
	return log->nr_records;
}

size_t item_log_runs(const struct item_log *log)
{
	return log->nr_runs;
}

static int compare_records(const void *a, const void *b)
{
	const struct log_record *x = a, *y = b;

	if (x->tree != y->tree)
		return x->tree < y->tree ? -1 : 1;
	if (x->objectid != y->objectid)
		return x->objectid < y->objectid ? -1 : 1;
	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	/* equal keys stay in the order of recording */
	return x->position < y->position ? -1 : 1;
}

void item_log_sort(struct item_log *log)
{
	if (log->sorted)
		return;
	if (log->nr)
		qsort(log->index, log->nr, sizeof(*log->index), compare_records);
	log->sorted = true;
}

static int add_run(struct item_log *log)
{
	struct log_run *runs = realloc(log->runs, (log->nr_runs + 1) * sizeof(*runs));

	if (!runs)
		return -ENOMEM;
	log->runs = runs;
	runs[log->nr_runs].start = spool_size(log->spilled);
	runs[log->nr_runs].records = log->nr;
	runs[log->nr_runs].largest = log->largest;
	log->nr_runs++;
	return 0;
}

static int write_run(struct item_log *log)
{
	size_t i;
	int ret = add_run(log);

	for (i = 0; !ret && i < log->nr; i++) {
		const struct log_record *record = &log->index[i];
		const struct run_record head = {
			.objectid = record->objectid,
			.offset = record->offset,
			.tree = record->tree,
			.size = record->size,
			.type = record->type,
		};

		ret = spool_append(log->spilled, &head, sizeof(head));
		if (!ret)
			ret = spool_append(log->spilled, log->arena + record->position, record->size);
	}
	return ret;
}

static int spill(struct item_log *log)
{
	int ret = 0;

	if (!log->spilled)
		ret = spool_create(&log->spilled, SZ_1M);
	if (ret)
		return ret;
	item_log_sort(log);
	ret = write_run(log);
	if (ret)
		return ret;
	log->nr = 0;
	log->arena_len = 0;
	log->largest = 0;
	log->sorted = false;
	return 0;
}

/* Grows by half, never beyond what the log may hold in all. */
static int reserve(void **array, size_t *capacity, size_t need, size_t unit)
{
	size_t want = MAX(need, *capacity + *capacity / 2 + 1024);
	void *grown;

	if (need <= *capacity)
		return 0;
	grown = realloc(*array, want * unit);
	if (!grown)
		return -ENOMEM;
	*array = grown;
	*capacity = want;
	return 0;
}

/* The index counts twice: sorting takes a copy of it. */
static size_t memory_in_use(const struct item_log *log)
{
	return log->arena_len + 2 * log->nr * sizeof(*log->index);
}

int item_log_add(struct item_log *log, const struct log_key *key, const void *head, size_t head_len,
		 const void *tail, size_t tail_len)
{
	size_t size = head_len + tail_len;
	int ret;

	if (size > ITEM_LOG_MAX_PAYLOAD)
		return -EMSGSIZE;
	if (memory_in_use(log) + size + sizeof(*log->index) > log->memory && log->nr) {
		ret = spill(log);
		if (ret)
			return ret;
	}
	ret = reserve((void **)&log->index, &log->capacity, log->nr + 1, sizeof(*log->index));
	if (!ret)
		ret = reserve((void **)&log->arena, &log->arena_capacity, log->arena_len + size, 1);
	if (ret)
		return ret;
	log->index[log->nr++] = (struct log_record){
		.objectid = key->key.objectid,
		.offset = key->key.offset,
		.position = log->arena_len,
		.tree = key->tree,
		.size = (u32)size & 0xffffff,
		.type = key->key.type,
	};
	if (head_len)
		memcpy(log->arena + log->arena_len, head, head_len);
	if (tail_len)
		memcpy(log->arena + log->arena_len + head_len, tail, tail_len);
	log->arena_len += size;
	log->largest = MAX(log->largest, (u32)size);
	log->nr_records++;
	log->sorted = false;
	return 0;
}
