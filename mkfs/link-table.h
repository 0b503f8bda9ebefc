/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inodes of the source with more than one name: which inodes they became. That is one in each tree
 * (subvolume) where they have names, since no btrfs inode has names in two. One entry for each, so memory
 * grows with them alone. Belongs to one thread.
 */
#ifndef BO_MKFS_LINK_TABLE_H
#define BO_MKFS_LINK_TABLE_H

#include "common/types.h"

struct link_entry {
	u64 dev;		/* of the source; never both 0 */
	u64 source_ino;
	u64 ino;		/* in the new tree; 0: just added */
	u64 parent;		/* of the newest name */
	u32 ref_bytes;		/* of its names in that directory, as INODE_REF */
	u32 nlink;
	u32 tree;
	bool split;		/* another tree had a name of this inode before */
};

/* Zero-initialised is empty. */
struct link_table {
	struct link_entry *slots;
	size_t nr;
	size_t capacity;	/* power of two */
};

/*
 * The entry, added with ->ino 0 when it is new: the caller fills in ->ino and ->nlink. Valid until the
 * next call. NULL: no memory.
 */
struct link_entry *link_table_find(struct link_table *table, u64 dev, u64 source_ino, u32 tree);
void link_table_release(struct link_table *table);

#endif
