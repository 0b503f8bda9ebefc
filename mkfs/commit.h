/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last step: everything on stable storage, then the superblocks that make it a filesystem.
 */
#ifndef BO_MKFS_COMMIT_H
#define BO_MKFS_COMMIT_H

#include "io/device-set.h"
#include "mkfs/metadata.h"

/*
 * Flush; backup superblocks of all devices; flush; primary superblocks of the devices N..2; flush; primary
 * of device 1; flush. The filesystem is there when this returns 0, and not before the last write. -errno is printed.
 */
int commit_supers(struct io_device_set *set, const struct metadata *metadata);

#endif
