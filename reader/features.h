/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of feature and flag bits, and which of them this program can read
 * (reliability rules R-SB5 and R-SB6). Source of the names: btrfs(5), FILESYSTEM
 * FEATURES, and the option -O of mkfs.btrfs(8).
 */
#ifndef BO_READER_FEATURES_H
#define BO_READER_FEATURES_H

#include "kernel-shared/ctree.h"

/* Name of bit number @bit, or NULL when it has none. */
const char *btrfs_incompat_bit_name(unsigned bit);
const char *btrfs_compat_ro_bit_name(unsigned bit);
const char *btrfs_super_flag_bit_name(unsigned bit);

/* What the features and flags of a superblock allow. */
struct btrfs_feature_verdict {
	bool readable;		/* false: @reason names the bit and its number */
	bool repairable;	/* false: @reason says why nothing may be written (when readable) */
	bool metadump;		/* a metadata dump: file data is not there */
	bool seeding;
	bool had_error;		/* the kernel recorded an error in the flags */
	char reason[160];
};

void btrfs_check_features(const struct btrfs_super_block *super, struct btrfs_feature_verdict *verdict);

#endif
