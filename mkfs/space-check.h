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

/*
 * From the totals of the survey: data to the sector, metadata by the sizes of the items. @pieces: bytes of the longest
 * extent, where it is short; else 0.
 */
struct space_need space_estimate(const struct mkfs_layout *layout, const struct source_totals *totals, u32 pieces);

/* Do chunks for @need fit on the devices without doubt, with room to spare? */
bool space_fits(const struct mkfs_layout *layout, const u64 *sizes, unsigned nr, const struct space_need *need,
		bool fitted);
/* Is it worth a closer look, when @least is certain? */
bool space_may_fit(const struct mkfs_layout *layout, const u64 *sizes, unsigned nr, const struct space_need *least);

/* Bytes on all devices together, if all take part. */
u64 space_raw_bytes(const struct mkfs_layout *layout, const struct space_need *need, unsigned nr);

/* What stays free among fitted metadata: little, or what the kernel needs to write more. */
u64 space_headroom(const struct mkfs_layout *layout, bool writable);

/*
 * How large the system chunk must be: for all the chunks that these devices can get, or where they are fitted, for
 * those that are there, those of the @metadata bytes that follow, and what the kernel adds.
 */
u64 space_system_chunk(const struct mkfs_layout *layout, const struct chunk_allocator *alloc, u64 metadata);

/* The message for a run that met the end of the devices: @what needs more than @used bytes. */
void space_exhausted(const struct mkfs_layout *layout, const struct chunk_allocator *alloc, const char *what,
		     u64 used);

#endif
