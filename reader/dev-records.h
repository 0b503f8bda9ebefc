/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The DEV_ITEMs of the chunk tree against the devices that were given: who is missing,
 * who is a seed, who does not belong (reliability rules R-DEV2, R-DEV4, R-DEV5).
 */
#ifndef BO_READER_DEV_RECORDS_H
#define BO_READER_DEV_RECORDS_H

#include "reader/fs.h"

/* One DEV_ITEM. */
struct btrfs_dev_record {
	u64 devid;
	u64 total_bytes;
	u64 bytes_used;
	u8 uuid[BTRFS_UUID_SIZE];
	u8 fsid[BTRFS_FSID_SIZE];
};

/* In the order of the tree, so sorted by devid. Zero-initialised is empty. */
struct btrfs_dev_records {
	struct btrfs_dev_record *records;
	size_t nr;
	size_t capacity;
};

/* Returns 0 or -ENOMEM. */
int btrfs_dev_records_add(struct btrfs_dev_records *list, const struct btrfs_dev_item *item);
/* NULL: none. */
const struct btrfs_dev_record *btrfs_dev_records_find(const struct btrfs_dev_records *list, u64 devid);
void btrfs_dev_records_release(struct btrfs_dev_records *list);

/*
 * Fills the devices' known, item_bytes and the image's missing and fsids. Returns 0, -ENOMEM, or -errno
 * after a message: a seed of another filesystem, or missing devices without options->degraded.
 */
int btrfs_match_devices(struct btrfs_image *image, const struct btrfs_dev_records *list,
			const struct btrfs_open_options *options);

#endif
