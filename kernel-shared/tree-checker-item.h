/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of the tree-checker: one item under test, and the checks by kind. Only
 * tree-checker*.c include this; everybody else uses tree-checker.h.
 *
 * A check returns 0, or -EUCLEAN after exactly one item_fault().
 */
#ifndef BO_KERNEL_SHARED_TREE_CHECKER_ITEM_H
#define BO_KERNEL_SHARED_TREE_CHECKER_ITEM_H

#include "common/message.h"
#include "kernel-shared/tree-checker.h"

struct checked_item {
	const struct btrfs_check_context *ctx;
	const void *leaf;
	u32 slot;
	struct btrfs_key key;
	const u8 *data;
	u32 size;
	btrfs_check_report report;	/* NULL: only the verdict is wanted */
	void *arg;
};

/* @slot of a leaf whose item table is good. */
struct checked_item checked_item_at(const struct btrfs_check_context *ctx, const void *leaf, u32 slot);

/* Reports @item; returns -EUCLEAN, so that a check can end with it. */
int item_fault(const struct checked_item *item, const char *fmt, ...) PRINTF_FORMAT(2, 3);

/* The item before @item in its leaf, without a report. False when there is none. */
bool previous_item(const struct checked_item *item, struct checked_item *previous);

/* The tree that the leaf was written for. */
static inline u64 item_owner(const struct checked_item *item)
{
	return le64_to_cpu(btrfs_block_header(item->leaf)->owner);
}

/* Log trees hold copies of some items of an inode: what holds between items elsewhere does not hold there. */
static inline bool item_is_logged(const struct checked_item *item)
{
	return item_owner(item) == BTRFS_TREE_LOG_OBJECTID;
}

/* ---- building blocks ---- */

int check_item_size(const struct checked_item *item, size_t size);
/* @generation of the field @what: the running transaction is one ahead of the superblock. */
int check_generation(const struct checked_item *item, const char *what, u64 generation);
int check_aligned(const struct checked_item *item, const char *what, u64 value);
/* [start, start + length): positive, aligned, without wrap-around. */
int check_range(const struct checked_item *item, const char *what, u64 start, u64 length);
/* A name of @len bytes, @left bytes before the end of the item: length, no NUL. */
int check_name(const struct checked_item *item, const u8 *name, u32 len, u32 left);
/* Does the item before belong to the same inode, as it must? */
int check_previous_inode(const struct checked_item *item);

/* ---- tree-checker-inode.c ---- */

int check_inode_item(const struct checked_item *item);
int check_inode_ref(const struct checked_item *item);
int check_inode_extref(const struct checked_item *item);
int check_orphan_item(const struct checked_item *item);
int check_dir_log(const struct checked_item *item);

/* ---- tree-checker-dir.c ---- */

int check_dir_item(const struct checked_item *item);
int check_dir_index(const struct checked_item *item);
int check_xattr_item(const struct checked_item *item);

/* ---- tree-checker-file.c ---- */

int check_extent_data(const struct checked_item *item);
int check_extent_csum(const struct checked_item *item);

/* ---- tree-checker-extent.c ---- */

int check_extent_item(const struct checked_item *item);
int check_keyed_block_ref(const struct checked_item *item);
int check_keyed_extent_data_ref(const struct checked_item *item);
int check_keyed_shared_data_ref(const struct checked_item *item);

/* ---- tree-checker-space.c ---- */

int check_block_group_item(const struct checked_item *item);
int check_free_space_info(const struct checked_item *item);
int check_free_space_extent(const struct checked_item *item);
int check_free_space_bitmap(const struct checked_item *item);
int check_free_space_header(const struct checked_item *item);
int check_chunk_item(const struct checked_item *item);
int check_dev_item(const struct checked_item *item);
int check_dev_extent(const struct checked_item *item);

/* ---- tree-checker-root.c ---- */

int check_root_item(const struct checked_item *item);
int check_root_ref(const struct checked_item *item);
int check_uuid_item(const struct checked_item *item);
int check_qgroup_status(const struct checked_item *item);
int check_qgroup_info(const struct checked_item *item);
int check_qgroup_limit(const struct checked_item *item);
int check_qgroup_relation(const struct checked_item *item);
int check_temporary_item(const struct checked_item *item);
int check_persistent_item(const struct checked_item *item);
int check_dev_replace(const struct checked_item *item);

#endif
