/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading by logical address: any bytes of one copy, and tree blocks with their
 * identity checks.
 *
 * Any thread. Buffers belong to the caller and are aligned to 4096 (block.h gives
 * some: btrfs_block_buffer()).
 */
#ifndef BO_READER_BLOCK_H
#define BO_READER_BLOCK_H

#include "reader/fs.h"

/* Where one copy of something lies, for messages and repair. */
struct btrfs_place {
	u64 devid;
	u64 physical;
	const struct btrfs_device *device;	/* NULL: missing */
};

/* A buffer of @bytes, aligned for direct I/O; release with free(). NULL: no memory. */
void *btrfs_block_buffer(size_t bytes);

/*
 * Reads @len bytes of a device. Any place and buffer. Returns 0; -ENODEV missing; -ENODATA beyond the end of
 * the device as it is; other -errno from the device; -ENOMEM.
 */
int btrfs_read_place(const struct btrfs_place *place, void *buf, size_t len);

/*
 * How many copies [@logical, +@len) has: 1 .. 4; -ENOENT when not all of it is mapped by one
 * chunk; -EOPNOTSUPP for a chunk whose profile cannot be read yet.
 */
int btrfs_nr_copies(const struct btrfs_image *image, u64 logical, u64 len);

/*
 * In how many ways the range can be had: its copies, and for raid5 and raid6 behind them what parity and the
 * other stripes give (raid56.h has the order). At least the number of copies; -ENOENT as above.
 */
int btrfs_nr_ways(const struct btrfs_image *image, u64 logical, u64 len);

/* Place of the first byte of copy @copy. Returns 0, -ENOENT, -EOPNOTSUPP; -EINVAL: no such copy. */
int btrfs_locate(const struct btrfs_image *image, u64 logical, int copy, struct btrfs_place *place);

/*
 * Reads [@logical, +@len) of copy number @copy, piece by piece where it crosses stripe
 * elements. @logical and @len are multiples of the sector size. *place (may be NULL) is where the
 * copy begins, or the piece that failed. From btrfs_nr_copies() up to btrfs_nr_ways() @copy is computed,
 * and *place is that of the copy which it stands for.
 * Returns 0; -ENOENT not mapped; -EOPNOTSUPP (profile); -ENODEV device missing; -EINVAL no such
 * copy; -ENODATA beyond the end of the device as it is; other -errno from the device; -ENOMEM.
 */
int btrfs_read_copy(const struct btrfs_image *image, u64 logical, size_t len, int copy, void *buf,
		    struct btrfs_place *place);

/* ---- tree blocks ---- */

/* A reference to a tree block: what its parent (or root item, or superblock) says of it. */
struct btrfs_block_ref {
	u64 tree;		/* id of the tree that is walked; whose blocks these must be */
	u64 bytenr;
	u64 generation;		/* 0: unknown */
	u64 max_generation;	/* 0: unknown; upper bound where generation is unknown */
	int level;		/* -1: unknown */
	bool has_first_key;	/* false for roots */
	bool has_limit;		/* false on the right edge of the tree */
	struct btrfs_key first_key;
	struct btrfs_key limit;	/* every key is below it */
	u64 parent;		/* bytenr of the parent; 0 for roots */
	int slot;		/* in the parent; -1 for roots */
};

enum btrfs_copy_status {
	BTRFS_COPY_GOOD = 0,
	BTRFS_COPY_BAD,		/* read, but ->fault */
	BTRFS_COPY_UNREADABLE,	/* the device failed: ->error */
	BTRFS_COPY_MISSING,	/* on a device that is not there */
	BTRFS_COPY_UNMAPPED,	/* no chunk, or a profile that cannot be read yet */
};

struct btrfs_copy_result {
	enum btrfs_copy_status status;
	enum btrfs_block_fault fault;	/* when BAD */
	int error;			/* -errno when UNREADABLE, MISSING, UNMAPPED */
	struct btrfs_place place;	/* devid BTRFS_FINDING_NO_DEVICE when UNMAPPED */
	struct btrfs_reason reason;	/* one line for a person unless GOOD */
};

/*
 * All identity checks of a block in memory: btrfs_check_tree_block(), and last key below the limit
 * (BTRFS_BLOCK_BAD_FIRST_KEY as well).
 */
enum btrfs_block_fault btrfs_check_identity(const struct btrfs_image *image,
					    const struct btrfs_block_ref *ref, const void *block,
					    struct btrfs_reason *reason);

/*
 * Reads and judges one copy (nodesize bytes to @buf). Returns the status that is also in *result.
 * A GOOD block still needs btrfs_check_leaf() or btrfs_check_node() before its slots are used.
 */
enum btrfs_copy_status btrfs_read_block_copy(const struct btrfs_image *image,
					     const struct btrfs_block_ref *ref, int copy, void *buf,
					     struct btrfs_copy_result *result);

/*
 * Any good copy, the first of them, read or computed, with a good item table (leaf) or good pointers (node): its slots
 * may be used. Returns 0; -EUCLEAN with the first copy's failure in *result (may be NULL); -ENOMEM.
 */
int btrfs_read_block(const struct btrfs_image *image, const struct btrfs_block_ref *ref, void *buf,
		     struct btrfs_copy_result *result);

/* Key of a slot, leaf or node. @slot below nritems, which was checked. */
static inline struct btrfs_key btrfs_slot_key(const void *block, u32 slot)
{
	return btrfs_block_header(block)->level ? btrfs_node_key(block, slot) : btrfs_item_key(block, slot);
}

/* The reference that @node's @slot makes; @ref is the reference that led to @node. */
struct btrfs_block_ref btrfs_child_ref(const struct btrfs_block_ref *ref, const void *node, u32 slot);

#endif
