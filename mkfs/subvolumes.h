/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trees of files of the new filesystem: the top level and every subvolume below it, in the order in
 * which the source gives them. A parent comes before its children. Belongs to one thread.
 */
#ifndef BO_MKFS_SUBVOLUMES_H
#define BO_MKFS_SUBVOLUMES_H

#include "kernel-shared/ctree.h"

/* The number of the top level. It is in the list from the start. */
#define SUBVOLUME_TOP	((u32)0)

struct mkfs_subvolume {
	u64 id;			/* of its tree */
	u32 parent;		/* number of the one that it lies in; the top level: itself */
	/* numbers of subvolumes that lie in this one, ascending; 0: none */
	u32 first_child;
	u32 last_child;
	u32 next_sibling;
	/* its name in a directory of the parent */
	u64 dirid;
	u64 dir_index;
	char *name;
	u16 name_len;
	bool read_only;
	u8 uuid[BTRFS_UUID_SIZE];
	u64 next_ino;
};

struct mkfs_subvolumes {
	struct mkfs_subvolume *list;
	u32 nr;
	u32 capacity;
	u32 default_number;	/* what is mounted unless another one is asked for */
};

/* The list with the top level in it. 0 or -ENOMEM. */
int mkfs_subvolumes_init(struct mkfs_subvolumes *subvolumes, const u8 *top_uuid);
void mkfs_subvolumes_release(struct mkfs_subvolumes *subvolumes);

/*
 * The next subvolume, as @new has it but for the id, the name (a copy of @name, ->name_len bytes), the numbers of
 * children and siblings and ->next_ino, which are filled in. 0 or -ENOMEM.
 */
int mkfs_subvolumes_add(struct mkfs_subvolumes *subvolumes, const struct mkfs_subvolume *new, const char *name,
			u32 *number);

static inline u64 mkfs_subvolume_id(u32 number)
{
	return number == SUBVOLUME_TOP ? BTRFS_FS_TREE_OBJECTID : BTRFS_FIRST_FREE_OBJECTID + number - 1;
}

static inline u32 mkfs_subvolume_number(u64 id)
{
	return id == BTRFS_FS_TREE_OBJECTID ? SUBVOLUME_TOP : (u32)(id - BTRFS_FIRST_FREE_OBJECTID) + 1;
}

#endif
