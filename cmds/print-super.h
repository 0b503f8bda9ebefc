/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A superblock in words, for `inspect super`.
 */
#ifndef BO_CMDS_PRINT_SUPER_H
#define BO_CMDS_PRINT_SUPER_H

#include "kernel-shared/ctree.h"

/*
 * Every field, one per line; @full: the system chunk array and the backup roots as well. The bytes may
 * be hostile.
 */
void print_super(const struct btrfs_super_block *super, bool full);

/* Length of the label, which need not end with a zero byte. */
size_t super_label_len(const struct btrfs_super_block *super);

#endif
