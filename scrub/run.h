/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the phases of one run share, and the phases. Everything here belongs to the thread that
 * called scrub_run(); workers see only their jobs and the image.
 *
 * A phase returns 0, -EINTR when it was asked to stop, or another -errno for an error of the run.
 */
#ifndef BO_SCRUB_RUN_H
#define BO_SCRUB_RUN_H

#include <time.h>

#include "reader/roots.h"
#include "scrub/accounting.h"
#include "scrub/report.h"
#include "scrub/seen-blocks.h"

struct scrub {
	const struct scrub_options *options;
	struct scrub_report *report;
	struct btrfs_image *image;
	struct seen_blocks seen;
	u64 tree_blocks;		/* verified, but for those of log trees, which no extent describes */
	struct scrub_accounting accounting;
	/* false: a block or an item of that tree is lost, so that what it lacks proves nothing */
	bool extent_tree_sound;
	bool csum_tree_sound;
	bool dev_tree_sound;
	bool block_groups_sound;
	/* parity of data without checksums that does not match: told once, when all is verified */
	u64 doubtful_sectors;
	u64 doubtful_devid;		/* of the first */
	u64 doubtful_physical;
	/* progress */
	const char *phase;
	struct timespec started;
	u64 bytes_done;
	u64 bytes_total;
	u64 next_tick_ns;
};

/* phase-open.c: sets ->image. Returns -errno after a message when there is nothing to verify. */
int scrub_open(struct scrub *run);
/* phase-metadata.c: every block of every tree that a root leads to. */
int scrub_metadata(struct scrub *run);
/* phase-extents.c: blocks that only the extent tree knows, and how much each block group holds. */
int scrub_extents(struct scrub *run);
/* phase-data.c: every checksummed sector, and the parity of data. */
int scrub_data(struct scrub *run);
/* phase-parity.c: the parity of trees. */
int scrub_tree_parity(struct scrub *run);
/* phase-accounting.c: do the trees that describe space agree? */
int scrub_check_accounting(struct scrub *run);

/* phase-paths.c: the files that bad data belongs to. */
int scrub_name_files(struct scrub *run);

/* -EINTR when the run is to stop, else 0. */
int scrub_stopped(const struct scrub *run);
/* @bytes more are done. Calls the progress function when it is time. */
void scrub_tick(struct scrub *run, u64 bytes);

struct bad_run;
/* phase-parity.c: remembers such parity; tells of it, and of parity that was not verified. */
void scrub_doubtful_parity(struct scrub *run, u64 devid, const struct bad_run *bad);
void scrub_note_parity(struct scrub *run);

/* Remembers that something of tree @tree is lost. */
void scrub_tree_damaged(struct scrub *run, u64 tree);

static inline u32 scrub_sectors_per_node(const struct scrub *run)
{
	return MAX(run->image->check.nodesize / run->image->check.sectorsize, 1U);
}

#endif
