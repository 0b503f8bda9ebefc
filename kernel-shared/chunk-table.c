// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The chunk map: a sorted array of chunks without overlap: see volumes.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "kernel-shared/volumes.h"

/* Index of the first chunk that starts behind @logical. */
static size_t first_behind(const struct btrfs_chunk_table *table, u64 logical)
{
	size_t low = 0;
	size_t high = table->nr;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (table->maps[middle]->start > logical)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static int grow(struct btrfs_chunk_table *table)
{
	const size_t capacity = table->capacity ? table->capacity * 2 : 16;
	struct btrfs_chunk_map **maps;

	if (table->nr < table->capacity)
		return 0;
	maps = reallocarray(table->maps, capacity, sizeof(*maps));
	if (!maps)
		return -ENOMEM;
	table->maps = maps;
	table->capacity = capacity;
	return 0;
}

int btrfs_chunk_table_add(struct btrfs_chunk_table *table, struct btrfs_chunk_map *map)
{
	const size_t at = first_behind(table, map->start);
	int ret;

	if (at > 0 && map->start - table->maps[at - 1]->start < table->maps[at - 1]->length)
		return -EEXIST;
	if (at < table->nr && table->maps[at]->start - map->start < map->length)
		return -EEXIST;
	ret = grow(table);
	if (ret)
		return ret;
	memmove(&table->maps[at + 1], &table->maps[at], (table->nr - at) * sizeof(table->maps[0]));
	table->maps[at] = map;
	table->nr++;
	return 0;
}

const struct btrfs_chunk_map *btrfs_find_chunk(const struct btrfs_chunk_table *table, u64 logical)
{
	const size_t behind = first_behind(table, logical);
	const struct btrfs_chunk_map *map;

	if (!behind)
		return NULL;
	map = table->maps[behind - 1];
	return logical - map->start < map->length ? map : NULL;
}

void btrfs_chunk_table_release(struct btrfs_chunk_table *table)
{
	size_t i;

	for (i = 0; i < table->nr; i++)
		free(table->maps[i]);
	free(table->maps);
	*table = (struct btrfs_chunk_table){ 0 };
}

/* Bytes of the chunk item at @item, of which @left bytes are there; 0 when it is cut off. */
static u32 sys_item_size(const u8 *item, u32 left)
{
	u16 num_stripes;
	size_t size;

	if (left < sizeof(struct btrfs_chunk))
		return 0;
	num_stripes = get_unaligned_le16(item + offsetof(struct btrfs_chunk, num_stripes));
	size = num_stripes ? btrfs_chunk_item_size(num_stripes) : sizeof(struct btrfs_chunk);
	return size <= left ? (u32)size : 0;
}

static int add_sys_chunk(struct btrfs_chunk_table *table, const struct btrfs_key *key, const u8 *item,
			 struct btrfs_reason *reason)
{
	struct btrfs_chunk_map *map = btrfs_parse_chunk_item(key, item);
	int ret;

	if (!map)
		return -ENOMEM;
	ret = btrfs_chunk_table_add(table, map);
	if (!ret)
		return 0;
	if (ret == -EEXIST) {
		btrfs_set_reason(reason, "system chunk array holds overlapping chunks at %" PRIu64,
				 map->start);
		ret = -EUCLEAN;
	}
	free(map);
	return ret;
}

/* The key and chunk at @pos, of @left bytes of the array. Returns the bytes that they take, or -errno. */
static int read_sys_chunk(const struct btrfs_super_block *super, const u8 *pos, u32 left,
			  struct btrfs_chunk_table *table, struct btrfs_reason *reason)
{
	const bool allow_mixed = le64_to_cpu(super->incompat_flags) & BTRFS_FEATURE_INCOMPAT_MIXED_GROUPS;
	const u32 sectorsize = le32_to_cpu(super->sectorsize);
	const u8 *item = pos + sizeof(struct btrfs_disk_key);
	struct btrfs_disk_key disk_key;
	struct btrfs_key key;
	u32 size = 0;
	u64 type;
	int ret;

	if (left > sizeof(disk_key))
		size = sys_item_size(item, left - (u32)sizeof(disk_key));
	if (!size) {
		btrfs_set_reason(reason, "system chunk array is cut off: %u bytes left", left);
		return -EUCLEAN;
	}
	memcpy(&disk_key, pos, sizeof(disk_key));
	key = btrfs_disk_key_to_cpu(&disk_key);
	ret = btrfs_check_chunk_item(&key, item, size, sectorsize, allow_mixed, reason);
	if (ret)
		return ret;
	type = get_unaligned_le64(item + offsetof(struct btrfs_chunk, type));
	if (!(type & BTRFS_BLOCK_GROUP_SYSTEM)) {
		btrfs_set_reason(reason, "system chunk array holds a chunk of type 0x%" PRIx64, type);
		return -EUCLEAN;
	}
	ret = add_sys_chunk(table, &key, item, reason);
	return ret ? ret : (int)(sizeof(disk_key) + size);
}

int btrfs_read_sys_array(const struct btrfs_super_block *super, struct btrfs_chunk_table *table,
			 struct btrfs_reason *reason)
{
	const u32 array_size = le32_to_cpu(super->sys_chunk_array_size);
	u32 pos = 0;

	if (!array_size || array_size > BTRFS_SYSTEM_CHUNK_ARRAY_SIZE) {
		btrfs_set_reason(reason, "system chunk array of %u bytes, must be 1 to %u", array_size,
				 BTRFS_SYSTEM_CHUNK_ARRAY_SIZE);
		return -EUCLEAN;
	}
	while (pos < array_size) {
		const int ret = read_sys_chunk(super, super->sys_chunk_array + pos, array_size - pos, table,
					       reason);

		if (ret < 0)
			return ret;
		pos += (u32)ret;
	}
	return 0;
}
