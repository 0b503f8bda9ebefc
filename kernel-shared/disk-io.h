/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Superblocks and tree block headers: checksums, identity, places. Pure
 * functions on bytes; any thread.
 */
#ifndef BO_KERNEL_SHARED_DISK_IO_H
#define BO_KERNEL_SHARED_DISK_IO_H

#include "common/message.h"
#include "crypto/csum.h"
#include "kernel-shared/ctree.h"

/* Byte offset on a device of superblock copy @mirror: 64 KiB, 64 MiB, 256 GiB. */
static inline u64 btrfs_sb_offset(int mirror)
{
	if (!mirror)
		return BTRFS_SUPER_INFO_OFFSET;
	return SZ_16K << (BTRFS_SUPER_MIRROR_SHIFT * mirror);
}

/* How many copies lie fully inside a device of @device_size bytes. */
int btrfs_sb_copies(u64 device_size);

/* Does [physical, physical + len) touch the place of a superblock copy? Each copy's 64 KiB counts. */
bool btrfs_overlaps_super(u64 physical, u64 len);

/* Sets bytenr and csum for the copy at @mirror. */
void btrfs_sign_super(const struct csum_algorithm *algo, struct btrfs_super_block *super, int mirror);

enum btrfs_super_fault {
	BTRFS_SUPER_OK = 0,
	BTRFS_SUPER_NO_MAGIC,
	BTRFS_SUPER_UNFINISHED,		/* BTRFS_MAGIC_TEMPORARY */
	BTRFS_SUPER_BAD_CSUM_TYPE,
	BTRFS_SUPER_BAD_CSUM,
	BTRFS_SUPER_BAD_BYTENR,
	BTRFS_SUPER_BAD_FIELD,
};

struct btrfs_reason {
	char text[160];
};

/* Writes the line; too long a line is cut. @reason may be NULL, here and wherever a reason is asked for. */
void btrfs_set_reason(struct btrfs_reason *reason, const char *fmt, ...) PRINTF_FORMAT(2, 3);

/*
 * All checks of a superblock that need no other block (reliability rule R-SB2
 * but for the content of the system chunk array, see volumes.h). The order is
 * that of the enum. @reason gets one line for a person when not OK.
 */
enum btrfs_super_fault btrfs_check_super(const struct btrfs_super_block *super, int mirror,
					 struct btrfs_reason *reason);

/* The uuid that block headers carry: metadata_uuid where that feature is set, else fsid. */
const u8 *btrfs_super_metadata_uuid(const struct btrfs_super_block *super);

/* ---- tree blocks ---- */

/* Computes and stores the checksum over everything behind it. */
void btrfs_sign_tree_block(const struct csum_algorithm *algo, void *block, u32 nodesize);

/* What the reader of a tree block knows beforehand. */
struct btrfs_block_expect {
	u64 bytenr;
	const u8 (*fsids)[BTRFS_FSID_SIZE];	/* any of these */
	unsigned nr_fsids;
	const u8 *chunk_tree_uuid;	/* NULL: not checked */
	int level;			/* -1: unknown */
	u64 generation;			/* 0: unknown */
	u64 max_generation;		/* 0: unknown; for roots whose generation is not known */
	u64 owner;			/* 0: any; btrfs_is_fstree(owner): any file tree */
	const struct btrfs_key *first_key;	/* NULL: unknown */
};

enum btrfs_block_fault {
	BTRFS_BLOCK_OK = 0,
	BTRFS_BLOCK_BAD_CSUM,
	BTRFS_BLOCK_BAD_BYTENR,
	BTRFS_BLOCK_BAD_FSID,
	BTRFS_BLOCK_BAD_CHUNK_TREE_UUID,
	BTRFS_BLOCK_NOT_WRITTEN,
	BTRFS_BLOCK_BAD_LEVEL,
	BTRFS_BLOCK_BAD_GENERATION,
	BTRFS_BLOCK_BAD_OWNER,
	BTRFS_BLOCK_BAD_NRITEMS,
	BTRFS_BLOCK_BAD_FIRST_KEY,
};

/*
 * Identity checks of one copy of a block, in the order of the enum
 * (reliability rule R-TB1: a copy that fails any of them is bad). @reason says
 * wanted and found values.
 */
enum btrfs_block_fault btrfs_check_tree_block(const struct csum_algorithm *algo, const void *block,
					      u32 nodesize, const struct btrfs_block_expect *expect,
					      struct btrfs_reason *reason);

#endif
