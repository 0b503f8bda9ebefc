// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Superblocks, in the order that keeps a half-made target unmountable: see commit.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "kernel-shared/disk-io.h"
#include "mkfs/commit.h"

static void fill_roots(struct btrfs_super_block *super, const struct metadata *metadata)
{
	const struct tree_plan *root = &metadata->plans[MKFS_TREE_ROOT];
	const struct tree_plan *chunk = &metadata->plans[MKFS_TREE_CHUNK];

	super->root = cpu_to_le64(tree_plan_root(root));
	super->root_level = tree_plan_level(root);
	super->chunk_root = cpu_to_le64(tree_plan_root(chunk));
	super->chunk_root_level = tree_plan_level(chunk);
	super->chunk_root_generation = cpu_to_le64(MKFS_GENERATION);
}

/* System chunks are needed to find the chunk tree, so the superblock holds copies of their items. */
static int fill_sys_array(struct btrfs_super_block *super, const struct metadata *metadata)
{
	const struct btrfs_chunk_table *chunks = &metadata->alloc->chunks;
	u32 used = 0;
	size_t i;

	for (i = 0; i < chunks->nr; i++) {
		const struct btrfs_chunk_map *map = chunks->maps[i];
		const struct btrfs_key key = {
			.objectid = BTRFS_FIRST_CHUNK_TREE_OBJECTID,
			.type = BTRFS_CHUNK_ITEM_KEY,
			.offset = map->start,
		};
		const struct btrfs_disk_key disk_key = btrfs_cpu_key_to_disk(&key);
		size_t size = btrfs_chunk_item_size(map->num_stripes);

		if (!(map->type & BTRFS_BLOCK_GROUP_SYSTEM))
			continue;
		if (used + sizeof(disk_key) + size > BTRFS_SYSTEM_CHUNK_ARRAY_SIZE) {
			error("the superblock has no room for a system chunk over %u stripes; "
			      "choose a metadata profile with fewer, such as raid1",
			      map->num_stripes);
			return -ENOSPC;
		}
		memcpy(super->sys_chunk_array + used, &disk_key, sizeof(disk_key));
		btrfs_write_chunk_item(map, metadata->layout->sectorsize,
				       super->sys_chunk_array + used + sizeof(disk_key));
		used += (u32)(sizeof(disk_key) + size);
	}
	super->sys_chunk_array_size = cpu_to_le32(used);
	return 0;
}

static int fill_super(struct btrfs_super_block *super, const struct metadata *metadata)
{
	const struct mkfs_layout *layout = metadata->layout;

	memset(super, 0, sizeof(*super));
	memcpy(super->fsid, layout->fsid, BTRFS_FSID_SIZE);
	super->flags = cpu_to_le64(BTRFS_HEADER_FLAG_WRITTEN);
	super->magic = cpu_to_le64(BTRFS_MAGIC);
	super->generation = cpu_to_le64(MKFS_GENERATION);
	fill_roots(super, metadata);
	super->total_bytes = cpu_to_le64(metadata->alloc->total_bytes);
	super->bytes_used = cpu_to_le64(metadata_bytes_used(metadata));
	super->root_dir_objectid = cpu_to_le64(BTRFS_ROOT_TREE_DIR_OBJECTID);
	super->num_devices = cpu_to_le64(metadata->alloc->nr_devices);
	super->sectorsize = cpu_to_le32(layout->sectorsize);
	super->nodesize = cpu_to_le32(layout->nodesize);
	super->__unused_leafsize = cpu_to_le32(layout->nodesize);
	super->stripesize = cpu_to_le32(layout->sectorsize);
	super->compat_ro_flags = cpu_to_le64(layout->compat_ro);
	super->incompat_flags = cpu_to_le64(layout->incompat);
	super->csum_type = cpu_to_le16(layout->csum->type);
	memcpy(super->label, layout->label, BTRFS_LABEL_SIZE);
	/* -1: no space cache was ever written; with the free space tree the field stays 0 */
	super->cache_generation = layout_has_free_space_tree(layout) ? 0 : cpu_to_le64((u64)-1);
	super->uuid_tree_generation = cpu_to_le64(MKFS_GENERATION);
	return fill_sys_array(super, metadata);
}

/* What a commit writes: one superblock in memory, adapted to each device and copy. */
struct super_writer {
	struct io_device_set *set;
	const struct metadata *metadata;
	struct btrfs_super_block *super;	/* aligned for direct I/O */
};

static int write_super(const struct super_writer *writer, unsigned nr, int mirror)
{
	const struct io_device *device = &writer->set->devices[nr];
	int ret;

	writer->super->dev_item = metadata_dev_item(writer->metadata, nr);
	btrfs_sign_super(writer->metadata->layout->csum, writer->super, mirror);
	ret = io_device_pwrite(device, writer->super, BTRFS_SUPER_INFO_SIZE, btrfs_sb_offset(mirror));
	if (ret)
		error("writing superblock copy %d of %s: %s", mirror, device->path, strerror(-ret));
	return ret;
}

/* Copies lie inside the bytes that the filesystem uses, which may be fewer than the device has. */
static int write_backups(const struct super_writer *writer)
{
	unsigned nr;
	int mirror, ret = 0;

	for (nr = 0; !ret && nr < writer->set->nr; nr++) {
		u64 size = writer->metadata->alloc->devices[nr].total_bytes;

		for (mirror = btrfs_sb_copies(size) - 1; !ret && mirror > 0; mirror--)
			ret = write_super(writer, nr, mirror);
	}
	return ret;
}

static int write_primaries(const struct super_writer *writer)
{
	unsigned nr;
	int ret = 0;

	for (nr = writer->set->nr - 1; !ret && nr > 0; nr--)
		ret = write_super(writer, nr, 0);
	if (!ret && writer->set->nr > 1)
		ret = io_device_set_flush(writer->set);
	return ret ? ret : write_super(writer, 0, 0);
}

int commit_supers(struct io_device_set *set, const struct metadata *metadata)
{
	struct super_writer writer = { .set = set, .metadata = metadata };
	int ret;

	writer.super = aligned_alloc(SZ_4K, sizeof(*writer.super));
	if (!writer.super)
		return -ENOMEM;
	ret = fill_super(writer.super, metadata);
	if (!ret)
		ret = io_device_set_flush(set);
	if (!ret)
		ret = write_backups(&writer);
	if (!ret)
		ret = io_device_set_flush(set);
	if (!ret)
		ret = write_primaries(&writer);
	if (!ret)
		ret = io_device_set_flush(set);
	free(writer.super);
	return ret;
}
