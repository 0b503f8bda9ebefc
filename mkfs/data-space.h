/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Logical space for file data: ascending, one data chunk after the other. Each is filled to its end, but where
 * compressed data, which cannot be divided, does not fit in what is left.
 */
#ifndef BO_MKFS_DATA_SPACE_H
#define BO_MKFS_DATA_SPACE_H

#include "mkfs/chunk-alloc.h"

struct data_space {
	struct chunk_allocator *alloc;
	u64 type;
	struct btrfs_chunk_map *chunk;	/* the newest, or NULL */
	u64 chunk_used;			/* bytes of it */
	u64 total;			/* bytes claimed in all */
	u64 expected;			/* bytes that will be, as far as is known */
	struct data_gap {
		u64 chunk;		/* its logical address */
		u64 len;		/* unused bytes at its end */
	} *gaps;			/* ascending */
	size_t nr_gaps;
};

void data_space_release(struct data_space *space);

/*
 * Up to @len bytes in one piece; *got tells how many. Allocates chunks as needed. Returns 0 or -ENOSPC, -ENOMEM.
 */
int data_space_claim(struct data_space *space, u64 len, u64 *logical, u64 *got);

/* @len bytes (at most 1 MiB) in one piece, and not less. */
int data_space_claim_whole(struct data_space *space, u64 len, u64 *logical);

/*
 * A small chunk where there is no data: the kernel takes the profile of what is written later from the
 * chunks that it finds. Returns 0 (also where the devices have no room for it) or -ENOMEM.
 */
int data_space_keep_profile(struct data_space *space);

/* Bytes in use of a data chunk of this filesystem. */
u64 data_space_used(const struct data_space *space, const struct btrfs_chunk_map *chunk);

#endif
