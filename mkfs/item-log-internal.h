/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the two halves of the item log: item-log.c records, item-merge.c reads back.
 */
#ifndef BO_MKFS_ITEM_LOG_INTERNAL_H
#define BO_MKFS_ITEM_LOG_INTERNAL_H

#include "mkfs/item-log.h"
#include "mkfs/spool.h"

struct log_record {
	u64 objectid;
	u64 offset;
	u64 position;		/* of the payload in the arena; also the order of recording */
	u32 tree;
	u32 size : 24;		/* at most ITEM_LOG_MAX_PAYLOAD */
	u32 type : 8;
};

/* Head of a record in a spilled run; the payload follows. */
struct run_record {
	u64 objectid;
	u64 offset;
	u32 tree;
	u32 size : 24;
	u32 type : 8;
};

struct log_run {
	u64 start;		/* in the spool */
	u64 records;
	u32 largest;		/* payload of any record */
};

struct item_log {
	size_t memory;
	u64 nr_records;		/* ever */

	/* what is in memory */
	struct log_record *index;
	size_t nr;
	size_t capacity;
	u8 *arena;
	size_t arena_len;
	size_t arena_capacity;
	u32 largest;		/* payload in the arena */
	bool sorted;

	/* older records, sorted runs one after the other */
	struct spool *spilled;
	struct log_run *runs;
	size_t nr_runs;
};

void item_log_sort(struct item_log *log);

#endif
