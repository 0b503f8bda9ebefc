/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A filesystem on one or more devices or image files, opened for reading: the
 * superblock that counts, the devices, and the chunk map.
 *
 * Opened and closed by one thread. In between nothing in here changes, and any
 * number of threads may read through it.
 */
#ifndef BO_READER_FS_H
#define BO_READER_FS_H

#include "io/device-set.h"
#include "kernel-shared/disk-io.h"
#include "kernel-shared/tree-checker.h"
#include "kernel-shared/volumes.h"
#include "reader/features.h"
#include "reader/finding.h"
#include "reader/super.h"

/* One device that was given. Number i belongs to set.devices[i] of the image. */
struct btrfs_device {
	const struct io_device *io;		/* path, fd, measured size */
	struct btrfs_super_copies *supers;	/* all copies; never NULL, .chosen is never -1 */
	u64 devid;
	u8 uuid[BTRFS_UUID_SIZE];
	u8 fsid[BTRFS_FSID_SIZE];		/* a seed's differs from the filesystem's */
	u64 generation;				/* of its chosen superblock */
	bool stale;				/* generation is behind the newest: R-DEV3 */
	bool seed;				/* belongs to a seed of this filesystem: never written */
	bool known;				/* the chunk tree has a DEV_ITEM for it */
	u64 item_bytes;				/* DEV_ITEM total_bytes; 0 unless known */
	u64 item_bytes_used;
};

struct btrfs_image {
	struct io_device_set set;
	struct btrfs_device *devices;
	unsigned nr_devices;
	u64 *missing;				/* devids that the filesystem has and nobody gave */
	unsigned nr_missing;

	struct btrfs_super_block super;		/* the newest device's chosen copy */
	unsigned super_device;			/* whose: index into devices */
	struct btrfs_feature_verdict features;

	const struct csum_algorithm *csum;
	struct btrfs_check_context check;	/* for tree-checker.h, and the sizes */
	u8 (*fsids)[BTRFS_FSID_SIZE];		/* what block headers may carry: own and seeds' */
	unsigned nr_fsids;
	u8 chunk_tree_uuid[BTRFS_UUID_SIZE];	/* as the chunk root's header says */

	struct btrfs_chunk_table chunks;	/* good chunk items only */
	u64 nr_bad_chunks;			/* chunk items left out */
	bool chunks_share_space;		/* stripes overlap on a device */
	bool chunk_tree_damaged;		/* a block of it is lost: chunks may lack */
	u64 metadata_bytes;			/* logical bytes of all metadata and system chunks */
};

struct btrfs_open_options {
	enum io_direct_mode direct;
	bool degraded;			/* go on without missing devices */
	bool allow_busy;		/* see io_device_set_open_read() */
	/* Devices that the caller has open for writing: read these, whatever the paths; or NULL. */
	const struct io_device_set *held;
	bool any_features;		/* warn instead of refusing unknown features (inspect) */
	struct btrfs_finding_sink findings;
};

/*
 * Opens @paths read-only, chooses the superblock, checks the set of devices, loads the chunk tree.
 * csum_init() was called before. Bad superblock copies, stale devices, bad chunk and device items are
 * findings (each exactly once) and do not stop it; blocks of the chunk tree that are bad in some copy
 * are not reported here: whoever walks the chunk tree finds them again.
 * Bad CHUNK_ITEMs and DEV_ITEMs are reported here only: who walks the chunk tree later
 * must not count items of these two types a second time.
 *
 * Returns 0 and *image (close with btrfs_image_close()), or -errno after one error()
 * that names path and structure: no valid superblock, unfinished mkfs, unsupported
 * feature, wrong set of devices, chunk root or tree root without any good copy.
 */
int btrfs_image_open(struct btrfs_image **image, char *const *paths, unsigned nr,
		     const struct btrfs_open_options *options);
/* NULL is fine. */
void btrfs_image_close(struct btrfs_image *image);

/* NULL: missing (or not part of the filesystem at all). */
const struct btrfs_device *btrfs_find_device(const struct btrfs_image *image, u64 devid);

static inline u64 btrfs_image_generation(const struct btrfs_image *image)
{
	return le64_to_cpu(image->super.generation);
}

static inline bool btrfs_image_incompat(const struct btrfs_image *image, u64 flag)
{
	return le64_to_cpu(image->super.incompat_flags) & flag;
}

#endif
