/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices that were given, before the chunk tree is known: who they are by their
 * own superblocks, and which superblock counts. Steps of btrfs_image_open(), in this
 * order; image->set is open before.
 */
#ifndef BO_READER_MEMBERS_H
#define BO_READER_MEMBERS_H

#include "reader/fs.h"

/*
 * Fills image->devices from the superblocks. Returns 0, -ENOMEM, or another -errno after a message
 * that names the device without a valid superblock.
 */
int btrfs_read_members(struct btrfs_image *image);

/*
 * Refuses features and flags of any device that cannot be read; duplicates; devices of another
 * filesystem (seeds pass until the chunk tree is known). Then sets image->super, features, csum,
 * check, fsids and marks stale devices. 0, -ENOMEM, or -errno after a message.
 */
int btrfs_choose_super(struct btrfs_image *image, const struct btrfs_open_options *options);

/* Bad superblock copies and stale devices to @sink. */
void btrfs_report_members(const struct btrfs_image *image, const struct btrfs_finding_sink *sink);

#endif
