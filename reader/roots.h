/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where trees begin: the superblock's three roots and the ROOT_ITEMs.
 */
#ifndef BO_READER_ROOTS_H
#define BO_READER_ROOTS_H

#include "reader/block.h"

struct btrfs_tree_root {
	u64 objectid;		/* of the tree: what its blocks have as owner */
	u64 offset;		/* key offset of its ROOT_ITEM (log, reloc: the subvolume) */
	u64 bytenr;
	u64 generation;		/* of the root block */
	u8 level;
	u32 refs;		/* 0: deleted, its blocks go one by one */
	u64 flags;		/* BTRFS_ROOT_SUBVOL_* */
	/* How far the removal went (R-TB5); drop_progress.objectid 0: not begun */
	struct btrfs_key drop_progress;
	u8 drop_level;
};

struct btrfs_tree_root btrfs_chunk_tree_root(const struct btrfs_image *image);
struct btrfs_tree_root btrfs_root_tree_root(const struct btrfs_image *image);
/* The tree of log trees. False: the filesystem has no log. */
bool btrfs_log_tree_root(const struct btrfs_image *image, struct btrfs_tree_root *root);

/* The reference to @root's first block, for block.h, tree-walk.h. */
struct btrfs_block_ref btrfs_root_ref(const struct btrfs_tree_root *root);

/* A ROOT_ITEM that passed btrfs_check_item(). Returns 0, or -EUCLEAN: too short, or level >= 8. */
int btrfs_parse_root_item(const struct btrfs_key *key, const void *item, u32 size,
			  struct btrfs_tree_root *root);

/*
 * The tree with id @objectid (the newest, where several ROOT_ITEMs have it); superblock's trees too.
 * Returns 0, -ENOENT, -EUCLEAN (its item is bad, or the path to it is lost), -ENOMEM.
 */
int btrfs_find_root(const struct btrfs_image *image, u64 objectid, struct btrfs_tree_root *root);

/*
 * Calls @each for every usable ROOT_ITEM of the tree @of (root tree, or log root tree), in order of keys.
 * Bad blocks and bad items are skipped without a report: they are found by walking @of.
 * @each returns 0, or non-zero to stop, which is then the result. 0 or -ENOMEM otherwise.
 */
int btrfs_each_root(const struct btrfs_image *image, const struct btrfs_tree_root *of,
		    int (*each)(void *arg, const struct btrfs_tree_root *root), void *arg);

#endif
