// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CHUNK_ITEM: bytes to struct btrfs_chunk_map and back: see volumes.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/checked.h"
#include "kernel-shared/volumes.h"

/* The kernel counts stripe elements of a chunk in 32 bits. */
#define CHUNK_LENGTH_CAP	((u64)1 << 48)

static bool check_chunk_key(const struct btrfs_key *key, u32 sectorsize, struct btrfs_reason *reason)
{
	if (key->type != BTRFS_CHUNK_ITEM_KEY || key->objectid != BTRFS_FIRST_CHUNK_TREE_OBJECTID)
		btrfs_set_reason(reason, "key %s is not one of a chunk", btrfs_format_key(key).text);
	else if (!IS_ALIGNED(key->offset, sectorsize))
		btrfs_set_reason(reason, "chunk start %" PRIu64 " is not aligned to the sectorsize %u",
				 (u64)key->offset, sectorsize);
	else
		return true;
	return false;
}

static bool check_chunk_size(const struct btrfs_chunk *chunk, u32 item_size, struct btrfs_reason *reason)
{
	u16 num_stripes;

	if (item_size < sizeof(*chunk)) {
		btrfs_set_reason(reason, "chunk item of %u bytes, must be at least %zu", item_size,
				 sizeof(*chunk));
		return false;
	}
	num_stripes = le16_to_cpu(chunk->num_stripes);
	if (!num_stripes) {
		btrfs_set_reason(reason, "chunk without stripes");
		return false;
	}
	if (btrfs_chunk_item_size(num_stripes) != item_size) {
		btrfs_set_reason(reason, "chunk item of %u bytes, must be %zu for its %u stripes", item_size,
				 btrfs_chunk_item_size(num_stripes), num_stripes);
		return false;
	}
	return true;
}

static bool check_chunk_type(u64 type, bool allow_mixed, struct btrfs_reason *reason)
{
	const u64 known = BTRFS_BLOCK_GROUP_TYPE_MASK | BTRFS_BLOCK_GROUP_PROFILE_MASK;
	const u64 profile = type & BTRFS_BLOCK_GROUP_PROFILE_MASK;
	const u64 kind = type & BTRFS_BLOCK_GROUP_TYPE_MASK;
	const u64 mixed = BTRFS_BLOCK_GROUP_DATA | BTRFS_BLOCK_GROUP_METADATA;

	if (type & ~known)
		btrfs_set_reason(reason, "chunk type 0x%" PRIx64 " has unknown bits", type);
	else if (profile && !is_power_of_2(profile))
		btrfs_set_reason(reason, "chunk type 0x%" PRIx64 " has more than one profile", type);
	else if (!kind)
		btrfs_set_reason(reason, "chunk type 0x%" PRIx64 " is none of data, metadata, system", type);
	else if (!is_power_of_2(kind) && kind != mixed)
		btrfs_set_reason(reason, "chunk type 0x%" PRIx64 " mixes system with something else", type);
	else if (kind == mixed && !allow_mixed)
		btrfs_set_reason(reason,
				 "chunk for data and metadata, but the filesystem has no mixed block groups");
	else
		return true;
	return false;
}

static bool check_chunk_stripes(const struct btrfs_chunk *chunk, u64 type, struct btrfs_reason *reason)
{
	const struct btrfs_raid_attr *attr = btrfs_raid_attr(type);
	const u32 min = attr->devs_min * attr->dev_stripes;
	const u32 max = attr->devs_max ? attr->devs_max * attr->dev_stripes : UINT16_MAX;
	const u16 num_stripes = le16_to_cpu(chunk->num_stripes);
	const u16 sub_stripes = le16_to_cpu(chunk->sub_stripes);

	if (num_stripes < min || num_stripes > max)
		btrfs_set_reason(reason, "num_stripes %u, %s has %u to %u", num_stripes, attr->name, min,
				 max);
	else if (num_stripes % (attr->devs_increment * attr->dev_stripes))
		btrfs_set_reason(reason, "num_stripes %u, %s has a multiple of %u", num_stripes, attr->name,
				 attr->devs_increment * attr->dev_stripes);
	else if (attr->sub_stripes > 1 && sub_stripes != attr->sub_stripes)
		btrfs_set_reason(reason, "sub_stripes %u, %s has %u", sub_stripes, attr->name,
				 attr->sub_stripes);
	else
		return true;
	return false;
}

static bool check_chunk_lengths(const struct btrfs_key *key, const struct btrfs_chunk *chunk, u32 sectorsize,
				struct btrfs_reason *reason)
{
	const u32 data_stripes = btrfs_chunk_data_stripes(le64_to_cpu(chunk->type),
							  le16_to_cpu(chunk->num_stripes));
	const u64 length = le64_to_cpu(chunk->length);
	const u64 stripe_len = le64_to_cpu(chunk->stripe_len);

	if (!length || !IS_ALIGNED(length, sectorsize))
		btrfs_set_reason(reason, "chunk length %" PRIu64 ", must be a positive multiple of %u",
				 length, sectorsize);
	else if (length >= CHUNK_LENGTH_CAP)
		btrfs_set_reason(reason, "chunk length %" PRIu64 ", must be below %" PRIu64, length,
				 CHUNK_LENGTH_CAP);
	else if (range_exceeds(key->offset, length, UINT64_MAX))
		btrfs_set_reason(reason, "chunk at %" PRIu64 " of length %" PRIu64 " wraps around",
				 (u64)key->offset, length);
	else if (stripe_len != BTRFS_STRIPE_LEN)
		btrfs_set_reason(reason, "stripe_len %" PRIu64 ", must be %" PRIu64, stripe_len,
				 BTRFS_STRIPE_LEN);
	else if (le32_to_cpu(chunk->sector_size) != sectorsize)
		btrfs_set_reason(reason, "sector_size %u, the filesystem has %u",
				 le32_to_cpu(chunk->sector_size), sectorsize);
	else if (data_stripes > 1 && length % (data_stripes * BTRFS_STRIPE_LEN))
		btrfs_set_reason(reason, "chunk length %" PRIu64 " is not a multiple of %u stripe elements",
				 length, data_stripes);
	else
		return true;
	return false;
}

static bool check_stripe_places(const struct btrfs_chunk *chunk, u32 sectorsize, struct btrfs_reason *reason)
{
	const struct btrfs_stripe *stripes = &chunk->stripe;
	const u16 num_stripes = le16_to_cpu(chunk->num_stripes);
	const u64 stripe_size = le64_to_cpu(chunk->length) /
				btrfs_chunk_data_stripes(le64_to_cpu(chunk->type), num_stripes);
	unsigned i;

	for (i = 0; i < num_stripes; i++) {
		const u64 physical = le64_to_cpu(stripes[i].offset);

		if (!IS_ALIGNED(physical, sectorsize)) {
			btrfs_set_reason(reason,
					 "stripe %u at %" PRIu64 " is not aligned to the sectorsize %u", i,
					 physical, sectorsize);
			return false;
		}
		if (range_exceeds(physical, stripe_size, UINT64_MAX)) {
			btrfs_set_reason(reason, "stripe %u at %" PRIu64 " of %" PRIu64 " bytes wraps around",
					 i, physical, stripe_size);
			return false;
		}
	}
	return true;
}

int btrfs_check_chunk_item(const struct btrfs_key *key, const void *item, u32 item_size, u32 sectorsize,
			   bool allow_mixed, struct btrfs_reason *reason)
{
	const struct btrfs_chunk *chunk = item;

	if (check_chunk_key(key, sectorsize, reason) && check_chunk_size(chunk, item_size, reason) &&
	    check_chunk_type(le64_to_cpu(chunk->type), allow_mixed, reason) &&
	    check_chunk_stripes(chunk, le64_to_cpu(chunk->type), reason) &&
	    check_chunk_lengths(key, chunk, sectorsize, reason) &&
	    check_stripe_places(chunk, sectorsize, reason))
		return 0;
	return -EUCLEAN;
}

struct btrfs_chunk_map *btrfs_parse_chunk_item(const struct btrfs_key *key, const void *item)
{
	const struct btrfs_chunk *chunk = item;
	const u16 num_stripes = le16_to_cpu(chunk->num_stripes);
	const struct btrfs_stripe *stripes = &chunk->stripe;
	struct btrfs_chunk_map *map;
	unsigned i;

	map = calloc(1, sizeof(*map) + num_stripes * sizeof(map->stripes[0]));
	if (!map)
		return NULL;
	map->start = key->offset;
	map->length = le64_to_cpu(chunk->length);
	map->type = le64_to_cpu(chunk->type);
	map->num_stripes = num_stripes;
	map->sub_stripes = le16_to_cpu(chunk->sub_stripes);
	map->stripe_size = map->length / btrfs_chunk_data_stripes(map->type, num_stripes);
	for (i = 0; i < num_stripes; i++) {
		map->stripes[i].devid = le64_to_cpu(stripes[i].devid);
		map->stripes[i].physical = le64_to_cpu(stripes[i].offset);
		memcpy(map->stripes[i].dev_uuid, stripes[i].dev_uuid, BTRFS_UUID_SIZE);
	}
	return map;
}

void btrfs_write_chunk_item(const struct btrfs_chunk_map *map, u32 sectorsize, void *item)
{
	struct btrfs_chunk *chunk = item;
	struct btrfs_stripe *stripes = &chunk->stripe;
	unsigned i;

	chunk->length = cpu_to_le64(map->length);
	chunk->owner = cpu_to_le64(BTRFS_EXTENT_TREE_OBJECTID);
	chunk->stripe_len = cpu_to_le64(BTRFS_STRIPE_LEN);
	chunk->type = cpu_to_le64(map->type);
	chunk->io_align = cpu_to_le32((u32)BTRFS_STRIPE_LEN);
	chunk->io_width = cpu_to_le32((u32)BTRFS_STRIPE_LEN);
	chunk->sector_size = cpu_to_le32(sectorsize);
	chunk->num_stripes = cpu_to_le16(map->num_stripes);
	chunk->sub_stripes = cpu_to_le16(map->sub_stripes);
	for (i = 0; i < map->num_stripes; i++) {
		stripes[i].devid = cpu_to_le64(map->stripes[i].devid);
		stripes[i].offset = cpu_to_le64(map->stripes[i].physical);
		memcpy(stripes[i].dev_uuid, map->stripes[i].dev_uuid, BTRFS_UUID_SIZE);
	}
}
