/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ROOT_ITEM: where a tree's root block is, and what kind of tree it is.
 */
#ifndef BO_KERNEL_SHARED_ROOT_ITEM_H
#define BO_KERNEL_SHARED_ROOT_ITEM_H

#include <time.h>

#include "kernel-shared/ctree.h"

/* Size of a root item before the fields from generation_v2 on were added. */
#define BTRFS_ROOT_ITEM_SIZE_V1		offsetof(struct btrfs_root_item, generation_v2)

struct btrfs_root_meta {
	u64 bytenr;
	u64 generation;
	u8 level;
	u64 bytes_used;		/* of the tree's blocks */
	u32 nodesize;
	u64 root_dirid;		/* 0 for trees without files */
	const u8 *uuid;		/* of a subvolume, or NULL */
	bool read_only;
	struct timespec otime;
};

void btrfs_fill_root_item(struct btrfs_root_item *item, const struct btrfs_root_meta *meta);

/* A ROOT_REF or ROOT_BACKREF before the name, which follows: entry @index of directory @dirid in the parent. */
void btrfs_fill_root_ref(struct btrfs_root_ref *ref, u64 dirid, u64 index, u16 name_len);

/* Key of a UUID tree item: the uuid's two halves as little-endian numbers around the type. */
struct btrfs_key btrfs_uuid_key(const u8 uuid[BTRFS_UUID_SIZE], u8 type);

#endif
