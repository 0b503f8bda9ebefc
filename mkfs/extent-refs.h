/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The items of a data extent with any number of references: as many as fit inside its EXTENT_ITEM, the
 * others as EXTENT_DATA_REF items behind it.
 */
#ifndef BO_MKFS_EXTENT_REFS_H
#define BO_MKFS_EXTENT_REFS_H

#include "mkfs/item-log.h"

struct extent_ref {
	u64 root;
	u64 ino;
	u64 offset;
	u64 hash;	/* set by extent_refs_feed() */
	u32 count;
};

/* A list that is used again for each extent. Zeroed: empty. */
struct extent_refs {
	struct extent_ref *list;
	size_t nr;
	size_t capacity;
	u64 owner;	/* root that made the extent, for simple quotas; 0: none is recorded */
};

/* One more file extent item; 0 or -ENOMEM. */
int extent_refs_add(struct extent_refs *refs, u64 root, u64 ino, u64 offset);
void extent_refs_release(struct extent_refs *refs);

/* The items of an extent, that of @key (EXTENT_ITEM) first, in key order. Empties the list. */
int extent_refs_feed(struct extent_refs *refs, u32 nodesize, u64 generation, const struct btrfs_key *key,
		     item_sink each, void *arg);

#endif
