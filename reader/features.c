// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Feature and flag bits: names and what they allow. See features.h.
 */
#include <stdio.h>
#include <string.h>

#include "reader/features.h"

enum {
	INCOMPAT_ZONED_BIT = 12,
	FLAG_CHANGING_FSID_BIT = 35,
	FLAG_CHANGING_FSID_V2_BIT = 36,
};

#define BIT(nr) (1ULL << (nr))

/* Incompatible features that every path of this program understands. */
#define SUPPORTED_INCOMPAT (BIT(13) - 1 + BIT(16))

/* Free space tree, its "valid" mark, verity, block group tree. */
#define KNOWN_COMPAT_RO (BIT(4) - 1)

const char *btrfs_incompat_bit_name(unsigned bit)
{
	static const char *const names[] = {
		"mixed-backref", "default-subvol", "mixed-bg", "compress-lzo", "compress-zstd",
		"big-metadata", "extref", "raid56", "skinny-metadata", "no-holes", "metadata-uuid",
		"raid1c34", "zoned", "extent-tree-v2", "raid-stripe-tree", NULL, "squota", "remap-tree",
	};

	return bit < ARRAY_SIZE(names) ? names[bit] : NULL;
}

const char *btrfs_compat_ro_bit_name(unsigned bit)
{
	static const char *const names[] = {
		"free-space-tree", "free-space-tree-valid", "verity", "block-group-tree",
	};

	return bit < ARRAY_SIZE(names) ? names[bit] : NULL;
}

const char *btrfs_super_flag_bit_name(unsigned bit)
{
	switch (bit) {
	case 0:
		return "WRITTEN";
	case 1:
		return "RELOC";
	case 2:
		return "ERROR";
	case 32:
		return "SEEDING";
	case 33:
		return "METADUMP";
	case 34:
		return "METADUMP_V2";
	case FLAG_CHANGING_FSID_BIT:
		return "CHANGING_FSID";
	case FLAG_CHANGING_FSID_V2_BIT:
		return "CHANGING_FSID_V2";
	case 38:
		return "CHANGING_BG_TREE";
	case 39:
		return "CHANGING_DATA_CSUM";
	case 40:
		return "CHANGING_META_CSUM";
	default:
		return NULL;
	}
}

static const char *or_unknown(const char *name)
{
	return name ? name : "unknown";
}

/* An operation was interrupted that leaves two formats side by side. */
static bool check_flags(u64 flags, struct btrfs_feature_verdict *verdict)
{
	const u64 pending = BIT(FLAG_CHANGING_FSID_BIT) | BIT(FLAG_CHANGING_FSID_V2_BIT) |
			    BTRFS_SUPER_FLAG_CHANGING_BG_TREE | BTRFS_SUPER_FLAG_CHANGING_DATA_CSUM |
			    BTRFS_SUPER_FLAG_CHANGING_META_CSUM;
	unsigned bit;

	for (bit = 0; bit < 64; bit++) {
		if (!(flags & pending & BIT(bit)))
			continue;
		snprintf(verdict->reason, sizeof(verdict->reason),
			 "superblock flag %s (bit %u) is set: a conversion was interrupted, finish it first",
			 btrfs_super_flag_bit_name(bit), bit);
		return false;
	}
	return true;
}

static bool check_incompat(u64 incompat, struct btrfs_feature_verdict *verdict)
{
	unsigned bit;

	for (bit = 0; bit < 64; bit++) {
		if (!(incompat & ~SUPPORTED_INCOMPAT & BIT(bit)))
			continue;
		snprintf(verdict->reason, sizeof(verdict->reason),
			 "incompatible feature %s (bit %u) is not supported",
			 or_unknown(btrfs_incompat_bit_name(bit)), bit);
		return false;
	}
	return true;
}

/* Writing in place would be wrong where the first of these holds. */
static void check_repair(const struct btrfs_super_block *super, struct btrfs_feature_verdict *verdict)
{
	const u64 unknown = le64_to_cpu(super->compat_ro_flags) & ~KNOWN_COMPAT_RO;

	verdict->repairable = false;
	if (unknown) {
		const unsigned bit = (unsigned)__builtin_ctzll(unknown);

		snprintf(verdict->reason, sizeof(verdict->reason),
			 "read-only compatible feature %s (bit %u) is not known, nothing may be written",
			 or_unknown(btrfs_compat_ro_bit_name(bit)), bit);
	} else if (le64_to_cpu(super->incompat_flags) & BIT(INCOMPAT_ZONED_BIT)) {
		snprintf(verdict->reason, sizeof(verdict->reason),
			 "zoned filesystems cannot be written in place");
	} else if (verdict->seeding) {
		snprintf(verdict->reason, sizeof(verdict->reason), "seed devices are read-only");
	} else if (verdict->metadump) {
		snprintf(verdict->reason, sizeof(verdict->reason),
			 "this is a metadata dump, file data is absent");
	} else {
		verdict->repairable = true;
	}
}

void btrfs_check_features(const struct btrfs_super_block *super, struct btrfs_feature_verdict *verdict)
{
	const u64 flags = le64_to_cpu(super->flags);

	memset(verdict, 0, sizeof(*verdict));
	verdict->metadump = flags & (BTRFS_SUPER_FLAG_METADUMP | BTRFS_SUPER_FLAG_METADUMP_V2);
	verdict->seeding = flags & BTRFS_SUPER_FLAG_SEEDING;
	verdict->had_error = flags & BTRFS_SUPER_FLAG_ERROR;
	verdict->readable = check_flags(flags, verdict) &&
			    check_incompat(le64_to_cpu(super->incompat_flags), verdict);
	if (verdict->readable)
		check_repair(super, verdict);
}
