// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Generators of the trees about space: chunks, devices, block groups, free space.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel-shared/extent-item.h"
#include "kernel-shared/free-space-tree.h"
#include "mkfs/metadata.h"

/* ---- chunk tree ---- */

struct btrfs_dev_item metadata_dev_item(const struct metadata *metadata, unsigned nr)
{
	const struct device_space *space = &metadata->alloc->devices[nr];
	const struct mkfs_layout *layout = metadata->layout;
	struct btrfs_dev_item item = {
		.devid = cpu_to_le64(space->devid),
		.total_bytes = cpu_to_le64(space->total_bytes),
		.bytes_used = cpu_to_le64(space->bytes_used),
		.io_align = cpu_to_le32(layout->sectorsize),
		.io_width = cpu_to_le32(layout->sectorsize),
		.sector_size = cpu_to_le32(layout->sectorsize),
	};

	memcpy(item.uuid, space->uuid, BTRFS_UUID_SIZE);
	memcpy(item.fsid, layout->fsid, BTRFS_FSID_SIZE);
	return item;
}

static int feed_chunk(const struct metadata *metadata, const struct btrfs_chunk_map *map, item_sink each, void *arg)
{
	const struct btrfs_key key = {
		.objectid = BTRFS_FIRST_CHUNK_TREE_OBJECTID, .type = BTRFS_CHUNK_ITEM_KEY, .offset = map->start,
	};
	const size_t size = btrfs_chunk_item_size(map->num_stripes);
	void *item = malloc(size);
	int ret;

	if (!item)
		return -ENOMEM;
	btrfs_write_chunk_item(map, metadata->layout->sectorsize, item);
	ret = each(arg, &key, item, (u32)size);
	free(item);
	return ret;
}

int generate_chunk_tree(const struct metadata *metadata, item_sink each, void *arg)
{
	const struct chunk_allocator *alloc = metadata->alloc;
	unsigned i;
	size_t c;
	int ret = 0;

	for (i = 0; !ret && i < alloc->nr_devices; i++) {
		const struct btrfs_key key = {
			.objectid = BTRFS_DEV_ITEMS_OBJECTID,
			.type = BTRFS_DEV_ITEM_KEY,
			.offset = alloc->devices[i].devid,
		};
		struct btrfs_dev_item item = metadata_dev_item(metadata, i);

		ret = each(arg, &key, &item, sizeof(item));
	}
	for (c = 0; !ret && c < alloc->chunks.nr; c++)
		ret = feed_chunk(metadata, alloc->chunks.maps[c], each, arg);
	return ret;
}

/* ---- device tree ---- */

struct dev_extent {
	u64 devid;
	u64 physical;
	u64 logical;
	u64 length;
};

static int by_place(const void *a, const void *b)
{
	const struct dev_extent *x = a, *y = b;

	if (x->devid != y->devid)
		return x->devid < y->devid ? -1 : 1;
	return x->physical < y->physical ? -1 : x->physical > y->physical;
}

static struct dev_extent *collect_dev_extents(const struct btrfs_chunk_table *chunks, size_t *nr)
{
	struct dev_extent *list;
	size_t c, total = 0;
	u16 i;

	for (c = 0; c < chunks->nr; c++)
		total += chunks->maps[c]->num_stripes;
	list = calloc(total ? total : 1, sizeof(*list));
	*nr = 0;
	for (c = 0; list && c < chunks->nr; c++) {
		const struct btrfs_chunk_map *map = chunks->maps[c];

		for (i = 0; i < map->num_stripes; i++)
			list[(*nr)++] = (struct dev_extent){
				.devid = map->stripes[i].devid,
				.physical = map->stripes[i].physical,
				.logical = map->start,
				.length = map->stripe_size,
			};
	}
	if (list)
		qsort(list, *nr, sizeof(*list), by_place);
	return list;
}

int generate_dev_tree(const struct metadata *metadata, item_sink each, void *arg)
{
	size_t i, nr;
	struct dev_extent *list = collect_dev_extents(&metadata->alloc->chunks, &nr);
	int ret = list ? 0 : -ENOMEM;

	for (i = 0; !ret && i < nr; i++) {
		const struct btrfs_key key = {
			.objectid = list[i].devid, .type = BTRFS_DEV_EXTENT_KEY, .offset = list[i].physical,
		};
		struct btrfs_dev_extent item = {
			.chunk_tree = cpu_to_le64(BTRFS_CHUNK_TREE_OBJECTID),
			.chunk_objectid = cpu_to_le64(BTRFS_FIRST_CHUNK_TREE_OBJECTID),
			.chunk_offset = cpu_to_le64(list[i].logical),
			.length = cpu_to_le64(list[i].length),
		};

		memcpy(item.chunk_tree_uuid, metadata->layout->chunk_tree_uuid, BTRFS_UUID_SIZE);
		ret = each(arg, &key, &item, sizeof(item));
	}
	free(list);
	return ret;
}

/* ---- block groups and free space ---- */

int generate_block_group_tree(const struct metadata *metadata, item_sink each, void *arg)
{
	const struct btrfs_chunk_table *chunks = &metadata->alloc->chunks;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < chunks->nr; i++) {
		const struct btrfs_chunk_map *map = chunks->maps[i];
		const struct btrfs_key key = {
			.objectid = map->start, .type = BTRFS_BLOCK_GROUP_ITEM_KEY, .offset = map->length,
		};
		struct btrfs_block_group_item item;

		btrfs_fill_block_group(&item, metadata_chunk_used(metadata, map), map->type);
		ret = each(arg, &key, &item, sizeof(item));
	}
	return ret;
}

/* Chunks are filled front to back, so each has one free range at most: its end. */
int generate_free_space_tree(const struct metadata *metadata, item_sink each, void *arg)
{
	const struct btrfs_chunk_table *chunks = &metadata->alloc->chunks;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < chunks->nr; i++) {
		const struct btrfs_chunk_map *map = chunks->maps[i];
		u64 used = metadata_chunk_used(metadata, map);
		struct btrfs_free_space_info info = { .extent_count = cpu_to_le32(used < map->length ? 1 : 0) };
		struct btrfs_key key = btrfs_free_space_info_key(map->start, map->length);

		ret = each(arg, &key, &info, sizeof(info));
		if (ret || used == map->length)
			continue;
		key = btrfs_free_space_extent_key(map->start + used, map->length - used);
		ret = each(arg, &key, NULL, 0);
	}
	return ret;
}
