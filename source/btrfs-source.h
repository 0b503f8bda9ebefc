/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a mounted btrfs, as the source, says of its subvolumes. Needs no privilege but for the default.
 */
#ifndef BO_SOURCE_BTRFS_SOURCE_H
#define BO_SOURCE_BTRFS_SOURCE_H

#include "source/source.h"

struct btrfs_source {
	u8 fsid[16];
	u64 top_id;		/* of the subvolume that is the top of the source */
	u64 default_id;		/* 0: not known, or of no interest */
};

/*
 * @fd: the top of the source, @path as the user wrote it. @find_default: ask for it, too; this user may not be
 * allowed to, then it is not known. Returns 0, or -errno after a message (it is no btrfs).
 */
int btrfs_source_init(struct btrfs_source *source, int fd, const char *path, bool find_default);

/* Is the directory @fd the root of a subvolume of the same filesystem? 1 (*type says which), 0 or -errno. */
int btrfs_source_subvolume(const struct btrfs_source *source, int fd, struct source_subvolume *type);

#endif
