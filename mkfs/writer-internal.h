/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of one run, for the files that the writer consists of: writer.c, writer-sizes.c, writer-report.c.
 */
#ifndef BO_MKFS_WRITER_INTERNAL_H
#define BO_MKFS_WRITER_INTERNAL_H

#include <time.h>

#include "mkfs/commit.h"
#include "mkfs/importer.h"
#include "mkfs/metadata.h"
#include "mkfs/space-check.h"
#include "mkfs/targets.h"

struct writer {
	const struct mkfs_options *options;
	struct mkfs_report *report;
	struct mkfs_layout layout;
	struct io_device_set set;
	bool opened;
	bool wiped;		/* from here on a failure leaves void targets */
	u64 *sizes;		/* of the targets; those that are still to be fitted: FIT_SIZE */
	bool imagined;		/* nothing is written: only to see what would be */
	bool silent;		/* nobody wants to hear of it either */
	bool fitted;		/* the policy of the chunks */
	bool inexact;		/* compression and dedupe: less may come than is expected */
	u64 headroom;		/* bytes that fitted metadata is longer than needed, if there is room */
	u64 least_headroom;	/* and at least */
	struct space_need expected;
	u64 smallest;		/* bytes that each device needs at least; 0: not known */
	struct source_identity *identities;
	struct source_subvolumes *subvolumes;
	struct source_totals totals;
	struct source *source;
	struct chunk_allocator alloc;
	struct data_space data;
	struct btrfs_chunk_map *system;
	struct buffer_pool *buffers;
	struct worker_pool *workers;
	struct write_stage *write;
	struct dedupe_table *dedupe;
	struct importer *importer;
	struct metadata metadata;
	struct timespec start;
	double last_progress;
};

/*
 * writer-sizes.c: how large everything is. Each returns 0 or -errno, printed.
 */
/* Plenty of room, or chunks fitted to the content? Refuses what cannot fit. */
int writer_choose_policy(struct writer *writer);
/* The content is known: targets that are to be fitted get their sizes. */
int writer_settle_sizes(struct writer *writer);

/* writer.c: from the layout on, all phases but those that are skipped for this run. 0 or -errno, printed. */
int writer_run_phases(struct writer *writer);
void writer_release(struct writer *writer, bool failed);

/* writer-report.c: 0 or -ENOMEM. */
int writer_fill_report(const struct writer *writer, struct mkfs_report *report);

double seconds_since(const struct timespec *start);

#endif
