/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The targets of a run, from first look to wiped: signatures that are there, sizes, and the point
 * of no return.
 */
#ifndef BO_MKFS_TARGETS_H
#define BO_MKFS_TARGETS_H

#include "io/device-set.h"
#include "mkfs/layout.h"

/* Stands for the size of a new image file that will be as long as its content. */
#define FIT_SIZE	((u64)1 << 50)

/*
 * Refuses targets that hold a filesystem, RAID member or partition table (unless --force), or are smaller than
 * they must be. @sizes gets the bytes that the filesystem may use on each, or FIT_SIZE. Writes nothing. 0, or -errno
 * printed.
 */
int targets_check(const struct io_device_set *set, const struct mkfs_options *options, u32 sectorsize, u64 *sizes);

/*
 * Makes every target void: superblock places first (and on stable storage), then all signatures, then
 * the content (discarded or punched out unless options->discard is false). Behind the first @sizes bytes
 * of each only signatures go. 0, or -errno printed.
 */
int targets_wipe(struct io_device_set *set, const struct mkfs_options *options, const u64 *sizes);

/* After a failure: no magic may stay. Best effort, says nothing. */
void targets_void(struct io_device_set *set, const u64 *sizes);

#endif
