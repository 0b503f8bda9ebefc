/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A set of inodes in subvolumes: which hard-linked files were seen already. One thread.
 */
#ifndef BO_SOURCE_LINK_SET_H
#define BO_SOURCE_LINK_SET_H

#include "common/types.h"

struct link_slot {
	u64 dev;
	u64 ino;
	u32 subvolume;
	bool used;
};

struct link_set {
	struct link_slot *slots;
	size_t nr_slots;	/* power of two, or 0 */
	size_t nr;
};

/* 1: was not in there, is now; 0: was in there; -ENOMEM. A zeroed set is empty. */
int link_set_add(struct link_set *set, u64 dev, u64 ino, u32 subvolume);
void link_set_release(struct link_set *set);

#endif
