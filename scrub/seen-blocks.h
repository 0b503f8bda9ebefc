/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tree blocks that were verified, so that blocks which several trees share are read once.
 * Beside the address it keeps a digest of what the block is: a later reference must expect the
 * same (reliability rule R-TB6). 16 bytes a block, at most three quarters full.
 *
 * Belongs to one thread.
 */
#ifndef BO_SCRUB_SEEN_BLOCKS_H
#define BO_SCRUB_SEEN_BLOCKS_H

#include "reader/block.h"

struct seen_block;

/* Zero-initialised is empty. */
struct seen_blocks {
	struct seen_block *slots;
	size_t nr;
	size_t capacity;		/* power of two */
};

enum seen_verdict {
	SEEN_NEVER,
	SEEN_GOOD,			/* verified, and it is what @ref expects */
	SEEN_OTHER,			/* verified, but as something else */
	SEEN_BAD,			/* no copy was good; that was reported */
};

enum seen_verdict seen_blocks_find(const struct seen_blocks *seen, const struct btrfs_block_ref *ref);
/* @block is a good copy, or NULL: there is none. Replaces an earlier verdict. Returns 0 or -ENOMEM. */
int seen_blocks_add(struct seen_blocks *seen, const struct btrfs_block_ref *ref, const void *block);
bool seen_blocks_has(const struct seen_blocks *seen, u64 bytenr);
void seen_blocks_release(struct seen_blocks *seen);

#endif
