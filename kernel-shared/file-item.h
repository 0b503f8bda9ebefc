/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * File extents (EXTENT_DATA) and data checksums (EXTENT_CSUM).
 */
#ifndef BO_KERNEL_SHARED_FILE_ITEM_H
#define BO_KERNEL_SHARED_FILE_ITEM_H

#include "kernel-shared/ctree.h"

/* Bytes of an EXTENT_DATA item before inline data. */
#define BTRFS_FILE_EXTENT_INLINE_DATA_START	offsetof(struct btrfs_file_extent_item, disk_bytenr)

/* The kernel's default for the largest inline file (mount option max_inline). */
#define BTRFS_DEFAULT_MAX_INLINE	2048

/* Largest file that is stored inside its EXTENT_DATA item. */
u32 btrfs_max_inline(u32 nodesize, u32 sectorsize);

/* Longest symlink target that a tree of @nodesize takes (targets are inline, below one page). */
u32 btrfs_max_symlink(u32 nodesize);

/* The head of an inline extent: the data follows, @compression (0: none) being what it has to be undone by. */
void btrfs_fill_inline_extent(struct btrfs_file_extent_item *item, u64 generation, u64 ram_bytes, u8 compression);

/* Plain (not compressed) data of @len bytes, all of one extent. */
void btrfs_fill_reg_extent(struct btrfs_file_extent_item *item, u64 generation, u64 disk_bytenr, u64 len);

/* All of an extent of @disk_len bytes that become @ram_len bytes; @compression 0: as they are. */
void btrfs_fill_compressed_extent(struct btrfs_file_extent_item *item, u64 generation, u64 disk_bytenr, u64 disk_len,
				  u64 ram_len, u8 compression);

/* A hole of @len bytes, where the filesystem lacks the no-holes feature. */
void btrfs_fill_hole_extent(struct btrfs_file_extent_item *item, u64 generation, u64 len);

/* Most checksums that one EXTENT_CSUM item holds, so that the kernel can still extend or split it. */
u32 btrfs_max_csum_items(u32 nodesize, u32 csum_size);

#endif
