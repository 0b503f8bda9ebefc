/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data pipeline: READ and checksums in workers, PLACE in submission order, WRITE behind it.
 *
 * One thread (the one that calls) drives it; see data-block.h for who owns a block when. The
 * order of what PLACE reports depends on the order of submission alone.
 */
#ifndef BO_MKFS_PIPELINE_H
#define BO_MKFS_PIPELINE_H

#include "io/buffer-pool.h"
#include "mkfs/data-block.h"
#include "mkfs/data-space.h"

struct pipeline;

/* What PLACE tells the importer, in order. Each returns 0 or -errno. */
struct place_ops {
	/* Data of @file from @offset on lies at @logical; all of it inside one chunk. */
	int (*extent)(void *arg, struct import_file *file, u64 offset, u64 logical, u64 len);
	/* The same for compressed data: an extent of @extent->disk_len bytes for @extent->len bytes of the file. */
	int (*compressed)(void *arg, struct import_file *file, const struct data_extent *extent);
	/* The same for data that @file shares: it lies at @place, which is part of an extent that was reported. */
	int (*shared)(void *arg, struct import_file *file, u64 offset, const struct dedupe_place *place, u64 len);
	/* A whole inline file, in @segment->stored bytes. */
	int (*inline_data)(void *arg, struct import_file *file, const void *data, const struct data_segment *segment);
	/* A segment of @file is done: read up to file offset @end. The file may be gone afterwards. */
	int (*segment)(void *arg, struct import_file *file, const struct data_segment *segment);
	/* Checksums of the next @nr sectors of data space, in the order of addresses. */
	int (*csums)(void *arg, const u8 *csums, u32 nr);
	void *arg;
};

struct pipeline_options {
	const struct mkfs_layout *layout;
	struct buffer_pool *buffers;	/* of DATA_BLOCK_SIZE */
	struct worker_pool *workers;
	struct write_stage *write;
	struct data_space *space;
	enum mkfs_csum_mode mode;	/* not AUTO */
	u32 inline_max;
	bool reflink;			/* data may be shared with the files that it comes from */
	bool compress;			/* some files may be compressed */
	enum mkfs_dedupe dedupe;
	struct dedupe_table *dedupe_table;	/* unless ->dedupe is off */
	struct place_ops ops;
	const volatile sig_atomic_t *stop;
	void (*tick)(void *arg);	/* now and then, also by the importer; NULL: never */
	void *tick_arg;
};

/* Returns 0 or -ENOMEM. */
int pipeline_create(struct pipeline **pipeline, const struct pipeline_options *options);
/* Waits for the workers and writes under way; blocks that were not retired are dropped. */
void pipeline_destroy(struct pipeline *pipeline);

/*
 * An empty block of the kind, or NULL with *error: a failure further down the pipeline (printed already),
 * or -EINTR. Waits when all buffers are in use.
 */
struct data_block *pipeline_get(struct pipeline *pipeline, enum data_block_kind kind, int *error);
/* Gives the block to READ. Returns 0, or the -errno of an earlier block. */
int pipeline_submit(struct pipeline *pipeline, struct data_block *block);
/* The block will not be submitted after all. */
void pipeline_put_back(struct pipeline *pipeline, struct data_block *block);
/* Everything submitted is placed, written and retired. */
int pipeline_drain(struct pipeline *pipeline);
/* Bytes of file data that the devices have, or that are kept for inline extents. */
u64 pipeline_bytes(const struct pipeline *pipeline);

#endif
