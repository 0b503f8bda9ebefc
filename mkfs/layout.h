/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the filesystem will look like: options with every default filled in and
 * checked. Constant once made; any thread may read it.
 */
#ifndef BO_MKFS_LAYOUT_H
#define BO_MKFS_LAYOUT_H

#include "kernel-shared/volumes.h"
#include "mkfs/mkfs.h"

/* The generation of everything that a fresh filesystem holds. */
#define MKFS_GENERATION		((u64)1)

/*
 * Bytes that a device must have, whatever is on it. An empty filesystem on less than 32 MiB mounts, but the kernel
 * finds no room to write; with a tree in it, the tree says how much is needed.
 */
u64 mkfs_min_device_size(const struct mkfs_options *options);

struct mkfs_layout {
	u32 nodesize;
	u32 sectorsize;
	const struct csum_algorithm *csum;
	u64 incompat;
	u64 compat_ro;
	enum mkfs_quota quota;
	u64 data_type;		/* BTRFS_BLOCK_GROUP_* type and profile */
	u64 metadata_type;
	u64 system_type;
	char label[BTRFS_LABEL_SIZE];
	struct timespec now;
	bool has_epoch;
	s64 epoch;

	bool has_seed;
	u8 seed[BTRFS_UUID_SIZE];	/* uuids are derived from it */
	u8 fsid[BTRFS_FSID_SIZE];
	u8 chunk_tree_uuid[BTRFS_UUID_SIZE];
	u8 subvolume_uuid[BTRFS_UUID_SIZE];	/* of the top level */
	u8 (*device_uuids)[BTRFS_UUID_SIZE];	/* one each */
	unsigned nr_devices;
};

/* Returns 0, or -EINVAL after a message that names option, limit and remedy. */
int mkfs_layout_init(struct mkfs_layout *layout, const struct mkfs_options *options);
void mkfs_layout_release(struct mkfs_layout *layout);

/* A bit (1 << BTRFS_COMPRESS_*) for each kind of compression that options or a manifest ask for. */
u32 mkfs_compression_types(const struct mkfs_options *options);
/* Sets the feature flags of these kinds. */
void mkfs_layout_mark_compression(struct mkfs_layout *layout, u32 types);

/* The uuid of @name: derived from the seed, or random without one. */
void mkfs_make_uuid(const struct mkfs_layout *layout, const char *name, u8 *uuid);

/* @time, but not later than SOURCE_DATE_EPOCH. */
struct timespec mkfs_clamp_time(const struct mkfs_layout *layout, struct timespec time);

/* Data and metadata share their block groups. */
static inline bool layout_is_mixed(const struct mkfs_layout *layout)
{
	return layout->incompat & BTRFS_FEATURE_INCOMPAT_MIXED_GROUPS;
}

static inline bool layout_has_no_holes(const struct mkfs_layout *layout)
{
	return layout->incompat & BTRFS_FEATURE_INCOMPAT_NO_HOLES;
}

static inline bool layout_has_extref(const struct mkfs_layout *layout)
{
	return layout->incompat & BTRFS_FEATURE_INCOMPAT_EXTENDED_IREF;
}

static inline bool layout_has_skinny_metadata(const struct mkfs_layout *layout)
{
	return layout->incompat & BTRFS_FEATURE_INCOMPAT_SKINNY_METADATA;
}

static inline bool layout_has_free_space_tree(const struct mkfs_layout *layout)
{
	return layout->compat_ro & BTRFS_FEATURE_COMPAT_RO_FREE_SPACE_TREE;
}

static inline bool layout_has_block_group_tree(const struct mkfs_layout *layout)
{
	return layout->compat_ro & BTRFS_FEATURE_COMPAT_RO_BLOCK_GROUP_TREE;
}

#endif
