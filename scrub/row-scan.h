/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ranges of a raid5 or raid6 chunk, gathered into groups of rows and sent on their way. All devices
 * are read from front to back at the same pace. Belongs to the main thread.
 */
#ifndef BO_SCRUB_ROW_SCAN_H
#define BO_SCRUB_ROW_SCAN_H

#include "scrub/data-stream.h"
#include "scrub/row-group.h"

struct row_scan {
	struct scrub *run;
	struct data_queue *queue;
	const struct btrfs_chunk_map *map;
	bool check_parity;
	struct row_group *group;	/* that is being filled, or NULL */
};

/* Whether groups of rows can hold this chunk: else its parity is not verified. */
bool row_scan_can(const struct btrfs_chunk_map *map);
/* Ranges come in ascending order. Returns 0 or -errno. */
int row_scan_add(struct row_scan *scan, const struct data_range *range);
/* Sends the last group. */
int row_scan_finish(struct row_scan *scan);
/* Drops it. */
void row_scan_abort(struct row_scan *scan);

#endif
