/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by pipeline.c (driving) and stage-place.c.
 */
#ifndef BO_MKFS_PIPELINE_INTERNAL_H
#define BO_MKFS_PIPELINE_INTERNAL_H

#include "mkfs/pipeline.h"

struct block_queue {
	struct data_block *first;
	struct data_block *last;
};

struct pipeline {
	struct pipeline_options options;
	struct block_queue reading;
	struct block_queue writing;
	struct block_queue idle;	/* no buffer */
	struct compressor **compressors;	/* one for each worker, made by it when it is needed; or NULL */
	unsigned nr_compressors;
	u64 bytes;
	int error;			/* first one; nothing goes on after it */
};

/*
 * PLACE: addresses for the block's data, reports to the importer, ->parts ready for the write stage.
 * Returns 0 or -errno, printed.
 */
int place_block(struct pipeline *pipeline, struct data_block *block);
/* The part of PLACE that finds equal data: addresses for what is new, ->extents and ->parts as they are then. */
int dedupe_block(struct pipeline *pipeline, struct data_block *block);
/*
 * The next @len bytes of the buffer, behind those of all parts so far, lie at @logical: they go on with the last part
 * or begin one. Returns 0 or -EFBIG.
 */
int place_part(struct pipeline *pipeline, struct data_block *block, u64 logical, u32 len);

#endif
