/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which kernel mounts what: --compat, and warnings about the running one.
 */
#ifndef BO_MKFS_COMPAT_H
#define BO_MKFS_COMPAT_H

#include <linux/version.h>

#include "mkfs/layout.h"

struct kernel_version_text {
	char text[16];
};

/* Of a KERNEL_VERSION(): "6.1". */
struct kernel_version_text kernel_version_text(u32 version);

/*
 * Does the kernel of --compat (if there is one) mount this layout, read and write? Returns 0, or -EINVAL after a
 * message that names what it lacks. Warns where that depends on the machine, or where this one cannot.
 */
int compat_check(const struct mkfs_layout *layout, u32 kernel);

#endif
