/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Items of the trees of files, recorded in any order and read back tree by tree in key order. A tree
 * is a number: 0 is the top level, others are subvolumes as in mkfs/subvolumes.h.
 *
 * Several records of a tree may have one key. What then comes out is one item:
 *   INODE_REF, INODE_EXTREF, DIR_ITEM, XATTR_ITEM	the payloads one after the other, as recorded
 *   INODE_ITEM		the first record, with every struct inode_amendment after it added in
 *   any other		an error of the caller: -EEXIST
 *
 * Records beyond the memory bound are sorted and spilled as runs to a temporary file. Belongs to
 * one thread.
 */
#ifndef BO_MKFS_ITEM_LOG_H
#define BO_MKFS_ITEM_LOG_H

#include "kernel-shared/ctree.h"

struct item_log;

struct log_key {
	u32 tree;
	struct btrfs_key key;
};

/* Learned after the inode was recorded: added to the fields of the same name. */
struct inode_amendment {
	u64 size;
	u64 nbytes;
	u32 nlink;
};

/* Largest payload of one record, and of one item that comes out. */
#define ITEM_LOG_MAX_PAYLOAD	((u32)SZ_64K)

int item_log_create(struct item_log **log, size_t memory);
/* NULL is fine. */
void item_log_destroy(struct item_log *log);

/*
 * The payload is @head followed by @tail (either may be empty). Returns 0, -ENOMEM, -EMSGSIZE, or -errno after a
 * message when spilling fails.
 */
int item_log_add(struct item_log *log, const struct log_key *key, const void *head, size_t head_len,
		 const void *tail, size_t tail_len);

/* Takes the items of one tree, in key order. Returns 0 or -errno, which ends the feeding. */
typedef int (*item_sink)(void *arg, const struct btrfs_key *key, const void *payload, u32 size);
/* The same for several trees, one after the other. */
typedef int (*tree_item_sink)(void *arg, u32 tree, const struct btrfs_key *key, const void *payload, u32 size);

/* Feeds the sorted, combined items. May be called more than once, not between adds. */
int item_log_feed(struct item_log *log, tree_item_sink each, void *arg);

/* Records, and runs that were spilled. */
u64 item_log_records(const struct item_log *log);
size_t item_log_runs(const struct item_log *log);

#endif
