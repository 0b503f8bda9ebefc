/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * References to data extents beside the first one, which goes with the extent: recorded in any order, read
 * back by the address of the extent. Bounded as an item log is. Belongs to one thread.
 */
#ifndef BO_MKFS_SHARED_REFS_H
#define BO_MKFS_SHARED_REFS_H

#include "mkfs/item-log.h"
#include "mkfs/spool.h"

/* One file extent item that refers to the extent at ->bytenr. */
struct shared_ref {
	u64 bytenr;
	u64 root;
	u64 ino;
	u64 offset;	/* in the file, of the start of the whole extent: wraps around below 0 */
};

struct shared_refs;

int shared_refs_create(struct shared_refs **refs, size_t memory);
void shared_refs_destroy(struct shared_refs *refs);
/* Returns 0 or -errno, as item_log_add(). */
int shared_refs_add(struct shared_refs *refs, const struct shared_ref *ref);
/* After the last one. Returns 0 or -errno; *sorted belongs to @refs. */
int shared_refs_sort(struct shared_refs *refs, struct spool **sorted);

#endif
