// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads chunks and device items: see chunk-tree.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/chunk-tree.h"
#include "reader/tree-search.h"

/* What one load needs. */
struct chunk_load {
	struct btrfs_image *image;
	struct btrfs_chunk_table table;		/* from the tree; replaces the system chunk array's */
	struct btrfs_dev_records *devices;
	const struct btrfs_finding_sink *sink;
};

static struct btrfs_finding about_chunk(u64 logical)
{
	return (struct btrfs_finding){
		.kind = BTRFS_FINDING_CHUNK,
		.devid = BTRFS_FINDING_NO_DEVICE,
		.physical = BTRFS_FINDING_NO_ADDRESS,
		.logical = logical,
	};
}

static int refuse_chunk_root(const struct btrfs_image *image, const struct btrfs_copy_result *result)
{
	const char *path = image->devices[image->super_device].io->path;
	const u64 claimed = le64_to_cpu(image->super.num_devices);
	const unsigned long long bytenr = le64_to_cpu(image->super.chunk_root);

	if (claimed > image->nr_devices)
		error("%s: chunk tree root at %llu cannot be used: %s (%u of %llu devices were given)", path,
		      bytenr, result->reason.text, image->nr_devices, (unsigned long long)claimed);
	else
		error("%s: chunk tree root at %llu cannot be used: %s", path, bytenr, result->reason.text);
	return -EUCLEAN;
}

/* Every block carries the uuid of the chunk tree it belongs to; the chunk root's own is the measure. */
static int learn_chunk_tree_uuid(struct btrfs_image *image)
{
	const struct btrfs_tree_root root = btrfs_chunk_tree_root(image);
	const struct btrfs_block_ref ref = btrfs_root_ref(&root);
	struct btrfs_copy_result result, first;
	void *buf = btrfs_block_buffer(image->check.nodesize);
	int copy = 0;
	int ret = 0;

	if (!buf)
		return -ENOMEM;
	while (btrfs_read_block_copy(image, &ref, copy, buf, &result) != BTRFS_COPY_GOOD) {
		if (!copy)
			first = result;
		if (++copy >= btrfs_nr_ways(image, ref.bytenr, image->check.nodesize)) {
			ret = refuse_chunk_root(image, &first);
			goto out;
		}
	}
	memcpy(image->chunk_tree_uuid, btrfs_block_header(buf)->chunk_tree_uuid, BTRFS_UUID_SIZE);
out:
	free(buf);
	return ret;
}

static int reject_chunk(struct chunk_load *load, u64 logical, const char *text)
{
	load->image->nr_bad_chunks++;
	btrfs_report_finding(load->sink, about_chunk(logical), "chunk item: %s", text);
	return 0;
}

/* Of two chunks that overlap, the one whose loss would hide more of the filesystem is believed. */
static int importance(const struct btrfs_chunk_map *map)
{
	if (map->type & BTRFS_BLOCK_GROUP_SYSTEM)
		return 2;
	return (map->type & BTRFS_BLOCK_GROUP_METADATA) ? 1 : 0;
}

static void remove_chunk(struct btrfs_chunk_table *table, const struct btrfs_chunk_map *map)
{
	size_t i = 0;

	while (table->maps[i] != map)
		i++;
	free(table->maps[i]);
	table->nr--;
	memmove(&table->maps[i], &table->maps[i + 1], (table->nr - i) * sizeof(table->maps[0]));
}

/* Owns @map. Chunks come in ascending order, so the only one that can be in the way contains its start. */
static int place_chunk(struct chunk_load *load, struct btrfs_chunk_map *map)
{
	const struct btrfs_chunk_map *other = btrfs_find_chunk(&load->table, map->start);
	int ret;

	if (other && importance(other) < importance(map)) {
		reject_chunk(load, other->start, "overlaps a chunk that matters more");
		remove_chunk(&load->table, other);
	}
	ret = btrfs_chunk_table_add(&load->table, map);
	if (ret == -EEXIST)
		ret = reject_chunk(load, map->start, "overlaps another chunk");
	else if (!ret)
		map = NULL;
	free(map);
	return ret;
}

static int load_chunk(struct chunk_load *load, const struct btrfs_cursor *cursor)
{
	struct btrfs_image *image = load->image;
	const bool mixed = btrfs_image_incompat(image, BTRFS_FEATURE_INCOMPAT_MIXED_GROUPS);
	struct btrfs_chunk_map *map;
	struct btrfs_reason reason;
	int ret;

	ret = btrfs_check_chunk_item(&cursor->key, cursor->item, cursor->size, image->check.sectorsize, mixed,
				     &reason);
	if (ret)
		return reject_chunk(load, cursor->key.offset, reason.text);
	map = btrfs_parse_chunk_item(&cursor->key, cursor->item);
	return map ? place_chunk(load, map) : -ENOMEM;
}

static void report_dev_item(void *arg, int slot, const struct btrfs_key *key, const char *text)
{
	const struct chunk_load *load = arg;
	const struct btrfs_finding finding = {
		.kind = BTRFS_FINDING_DEVICE,
		.devid = key ? key->offset : BTRFS_FINDING_NO_DEVICE,
		.physical = BTRFS_FINDING_NO_ADDRESS,
		.logical = BTRFS_FINDING_NO_ADDRESS,
	};

	(void)slot;
	btrfs_report_finding(load->sink, finding, "device item: %s", text);
}

static int load_dev_item(struct chunk_load *load, const struct btrfs_cursor *cursor)
{
	if (btrfs_check_item(&load->image->check, cursor->leaf, cursor->slot, report_dev_item, load) ||
	    cursor->size < sizeof(struct btrfs_dev_item))
		return 0;
	return btrfs_dev_records_add(load->devices, cursor->item);
}

static int load_items(struct chunk_load *load)
{
	const struct btrfs_tree_root root = btrfs_chunk_tree_root(load->image);
	const struct btrfs_key start = { 0 };
	struct btrfs_cursor cursor;
	int ret;

	ret = btrfs_cursor_init(&cursor, load->image, &root);
	if (ret)
		return ret;
	for (ret = btrfs_cursor_seek(&cursor, &start); !ret; ret = btrfs_cursor_next(&cursor)) {
		if (cursor.key.type == BTRFS_CHUNK_ITEM_KEY)
			ret = load_chunk(load, &cursor);
		else if (cursor.key.type == BTRFS_DEV_ITEM_KEY)
			ret = load_dev_item(load, &cursor);
		if (ret)
			break;
	}
	load->image->chunk_tree_damaged = cursor.skipped_blocks > 0;
	btrfs_cursor_release(&cursor);
	return ret < 0 ? ret : 0;
}

static bool same_map(const struct btrfs_chunk_map *a, const struct btrfs_chunk_map *b)
{
	return b && a->start == b->start && a->length == b->length && a->type == b->type &&
	       a->num_stripes == b->num_stripes &&
	       !memcmp(a->stripes, b->stripes, a->num_stripes * sizeof(a->stripes[0]));
}

/*
 * The tree is authoritative, but a system chunk that only the array has stays mapped: the
 * chunk tree may lie there.
 */
static int merge_sys_array(struct chunk_load *load)
{
	struct btrfs_chunk_table *array = &load->image->chunks;
	int ret = 0;
	size_t i;

	for (i = 0; i < array->nr; i++) {
		struct btrfs_chunk_map *map = array->maps[i];

		if (same_map(map, btrfs_find_chunk(&load->table, map->start)))
			continue;
		if (!load->image->chunk_tree_damaged)
			btrfs_report_finding(load->sink, about_chunk(map->start),
					     "the superblock's system chunk differs from the chunk tree");
		ret = btrfs_chunk_table_add(&load->table, map);
		if (ret == -ENOMEM)
			return ret;
		if (!ret)
			array->maps[i] = NULL;
	}
	btrfs_chunk_table_release(array);
	*array = load->table;
	load->table = (struct btrfs_chunk_table){ 0 };
	return 0;
}

static void sum_metadata(struct btrfs_image *image)
{
	size_t i;

	for (i = 0; i < image->chunks.nr; i++) {
		const struct btrfs_chunk_map *map = image->chunks.maps[i];

		if (map->type & (BTRFS_BLOCK_GROUP_METADATA | BTRFS_BLOCK_GROUP_SYSTEM))
			image->metadata_bytes += map->length;
	}
}

int btrfs_load_chunk_tree(struct btrfs_image *image, struct btrfs_dev_records *devices,
			  const struct btrfs_finding_sink *sink)
{
	struct chunk_load load = { .image = image, .devices = devices, .sink = sink };
	struct btrfs_reason reason;
	int ret;

	/* Was checked with the superblock, so only memory can be the cause. */
	ret = btrfs_read_sys_array(&image->super, &image->chunks, &reason);
	if (ret)
		return ret;
	ret = learn_chunk_tree_uuid(image);
	if (!ret)
		ret = load_items(&load);
	if (!ret)
		ret = merge_sys_array(&load);
	btrfs_chunk_table_release(&load.table);
	if (!ret)
		sum_metadata(image);
	return ret;
}
