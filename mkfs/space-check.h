/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Will it fit? Asked before anything is written, and answered in words when it did not after all.
 */
#ifndef BO_MKFS_SPACE_CHECK_H
#define BO_MKFS_SPACE_CHECK_H

#include "mkfs/chunk-alloc.h"
#include "mkfs/layout.h"

/* Logical bytes. */
struct space_need {
	u64 data;
	u64 metadata;
};

/* From the totals of the survey: data to the sector, metadata by the sizes of the items. */
struct space_need space_estimate(const struct mkfs_layout *layout, const struct source_totals *totals);

/* Allocates chunks for @need on imagined devices. Returns 0, or -ENOSPC after a message with both sizes. */
int space_check(const struct mkfs_layout *layout, const u64 *sizes, unsigned nr, const struct space_need *need);

/* How large the system chunk must be for all the chunks that these devices can get. */
u64 space_system_chunk(const struct mkfs_layout *layout, const struct chunk_allocator *alloc);

/* The message for a run that met the end of the devices: @what needs more than @used bytes. */
void space_exhausted(const struct mkfs_layout *layout, const struct chunk_allocator *alloc, const char *what,
		     u64 used);

#endif
