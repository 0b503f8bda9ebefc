/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From an inode to its names: every path that leads to it from the top level of the filesystem, found by back
 * references alone (INODE_REF, INODE_EXTREF, ROOT_BACKREF).
 *
 * Names are bytes of the image: nothing here looks them up on the host, and whoever prints one escapes it. Belongs to
 * one thread.
 */
#ifndef BO_READER_INODE_PATHS_H
#define BO_READER_INODE_PATHS_H

#include "reader/tree-search.h"

/* Limits of one path, and for the life of a finder: what lies beyond is a path that is not complete. */
#define BTRFS_PATH_MAX_DEPTH	4096
#define BTRFS_PATH_MAX_BYTES	65536
#define BTRFS_PATH_MAX_STEPS	((u64)4 << 20)	/* directories that were asked for their name */

struct btrfs_path_finder;

/* Returns 0 or -ENOMEM. @image outlives the finder. */
int btrfs_path_finder_create(struct btrfs_path_finder **finder, const struct btrfs_image *image);
void btrfs_path_finder_destroy(struct btrfs_path_finder *finder);

struct btrfs_inode_number {
	u64 rootid;
	u64 ino;
};

/*
 * One path, valid during the call. It begins with "/", which is the top level, unless @complete is false: a directory
 * on the way is lost, the subvolume is, or a limit was met. Then it is what is known of its end.
 * Returns 0, or non-zero to stop.
 */
typedef int (*btrfs_path_sink)(void *arg, const char *path, size_t len, bool complete);

/*
 * Calls @each for the first @limit names of @inode, in the order of their keys; never for an inode without names.
 * *total is how many names it has, as far as they can be read. Returns 0, what @each returned, or -ENOMEM.
 */
int btrfs_inode_paths(struct btrfs_path_finder *finder, const struct btrfs_inode_number *inode, u64 limit, u64 *total,
		      btrfs_path_sink each, void *arg);

#endif
