/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads and judges every copy of tree blocks, some of them ahead of time in threads of its own.
 *
 * Belongs to one thread. Results come in the order in which they are asked for, so a report made of
 * them does not depend on the number of threads.
 */
#ifndef BO_SCRUB_BLOCK_READER_H
#define BO_SCRUB_BLOCK_READER_H

#include "reader/block.h"

#define SCRUB_MAX_COPIES	4

struct block_copies {
	struct btrfs_block_ref ref;
	int nr;				/* at least 1: an address that is not mapped has one result as well */
	/*
	 * The first copy whose identity holds and whose slots may be used; -1: none. ->nr: it was computed from
	 * parity, since the one that was read is bad.
	 */
	int good;
	struct btrfs_copy_result result[SCRUB_MAX_COPIES];	/* of ->nr copies, and of ->good */
	void *buf[SCRUB_MAX_COPIES];
};

struct block_reader;

/* @threads 0: nothing is read ahead. Returns 0 or -errno. @image outlives the reader. */
int block_reader_create(struct block_reader **reader, const struct btrfs_image *image, unsigned threads);
void block_reader_destroy(struct block_reader *reader);

/* Starts to read @ref, which will be asked for later. False: enough is under way. */
bool block_reader_hint(struct block_reader *reader, const struct btrfs_block_ref *ref);
/*
 * All copies of the block at @ref. What was hinted before @ref and not asked for is dropped.
 * Never NULL; valid until the next call of any function here. .result[0].error is -ENOMEM when memory
 * is short.
 */
const struct block_copies *block_reader_get(struct block_reader *reader, const struct btrfs_block_ref *ref);

#endif
