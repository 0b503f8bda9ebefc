/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads the chunk tree: from the superblock's system chunk array to the whole map. Steps
 * of btrfs_image_open().
 */
#ifndef BO_READER_CHUNK_TREE_H
#define BO_READER_CHUNK_TREE_H

#include "reader/dev-records.h"

/*
 * Fills image->chunks, chunk_tree_uuid, nr_bad_chunks, chunk_tree_damaged, metadata_bytes, and @devices.
 * Bad items are findings. Returns 0, -ENOMEM, or -errno after a message (no copy of the root is good).
 */
int btrfs_load_chunk_tree(struct btrfs_image *image, struct btrfs_dev_records *devices,
			  const struct btrfs_finding_sink *sink);

/*
 * Chunks against devices: stripes on unknown devices, beyond a device's end, with a wrong device uuid, or
 * over each other (sets image->chunks_share_space). One finding per chunk. Returns 0 or -ENOMEM.
 */
int btrfs_check_chunk_places(struct btrfs_image *image, const struct btrfs_dev_records *devices,
			     const struct btrfs_finding_sink *sink);

#endif
