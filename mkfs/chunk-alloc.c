// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chunk allocator of a fresh filesystem: see chunk-alloc.h. Devices with the most room are
 * taken first, as the kernel does, so that unequal sizes fill up evenly.
 */
#include <errno.h>
#include <stdlib.h>

#include "kernel-shared/raid56.h"
#include "mkfs/chunk-alloc.h"

/* A stripe shorter than this is not worth its chunk item. */
#define MIN_STRIPE_SIZE		SZ_1M

/* Fitted: as the kernel's largest stripe. */
#define MAX_STRIPE_SIZE		SZ_1G
/* Fitted: how much more is taken at a time, when all that was expected has its place. */
#define UNEXPECTED_LENGTH	(8 * SZ_1M)
/* Fitted: how much is taken at a time, when less may come than is expected. */
#define INEXACT_LENGTH		(16 * SZ_1M)

static void add_region(struct device_space *space, unsigned nr, u64 start, u64 end)
{
	end = ALIGN_DOWN(MIN(end, space->total_bytes), BTRFS_STRIPE_LEN);
	if (end <= start)
		end = start;
	space->regions[nr].start = start;
	space->regions[nr].end = end;
}

static void init_regions(struct device_space *space)
{
	const u64 first = btrfs_sb_offset(1), second = btrfs_sb_offset(2);

	add_region(space, 0, BTRFS_DEVICE_RANGE_RESERVED, first);
	add_region(space, 1, first + SZ_1M, second);
	add_region(space, 2, second + SZ_1M, (u64)-1);
}

int chunk_allocator_init(struct chunk_allocator *alloc, const u64 *sizes, unsigned nr,
			 const u8 (*uuids)[BTRFS_UUID_SIZE])
{
	unsigned i;

	*alloc = (struct chunk_allocator){ .nr_devices = nr, .next_logical = CHUNK_FIRST_LOGICAL };
	alloc->devices = calloc(nr, sizeof(*alloc->devices));
	if (!alloc->devices)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		struct device_space *space = &alloc->devices[i];

		space->devid = i + 1;
		space->total_bytes = sizes[i];
		memcpy(space->uuid, uuids[i], BTRFS_UUID_SIZE);
		init_regions(space);
		alloc->total_bytes += sizes[i];
	}
	return 0;
}

void chunk_allocator_release(struct chunk_allocator *alloc)
{
	btrfs_chunk_table_release(&alloc->chunks);
	free(alloc->devices);
	alloc->devices = NULL;
}

/* The region with the most room, and how much: only it can hold a stripe of that size. */
static unsigned largest_region(const struct device_space *space, u64 *room)
{
	unsigned i, best = 0;

	*room = 0;
	for (i = 0; i < CHUNK_NR_REGIONS; i++) {
		u64 left = space->regions[i].end - space->regions[i].start;

		if (left > *room) {
			*room = left;
			best = i;
		}
	}
	return best;
}

/* The first region that can hold @least bytes: what is left of those before it is not worth a chunk. */
static u64 first_room(const struct device_space *space, u64 least)
{
	unsigned i;

	for (i = 0; i < CHUNK_NR_REGIONS; i++) {
		u64 left = space->regions[i].end - space->regions[i].start;

		if (left >= least)
			return left;
	}
	return 0;
}

static u64 all_room(const struct device_space *space)
{
	u64 sum = 0;
	unsigned i;

	for (i = 0; i < CHUNK_NR_REGIONS; i++)
		sum += space->regions[i].end - space->regions[i].start;
	return sum;
}

struct candidate {
	struct device_space *space;
	u64 room;		/* for one stripe */
	u64 rank;		/* the larger, the earlier it is used */
};

static int higher_rank_first(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	return x->space->devid < y->space->devid ? -1 : 1;
}

/* Devices that can hold a stripe, in the order to use them. Returns how many. */
static unsigned find_candidates(const struct chunk_allocator *alloc, const struct btrfs_raid_attr *attr,
				struct candidate *list)
{
	unsigned i, nr = 0;

	for (i = 0; i < alloc->nr_devices; i++) {
		struct device_space *space = &alloc->devices[i];
		u64 room;

		if (alloc->fitted)
			room = first_room(space, MIN_STRIPE_SIZE * attr->dev_stripes);
		else
			largest_region(space, &room);
		room = ALIGN_DOWN(room / attr->dev_stripes, BTRFS_STRIPE_LEN);
		if (room < MIN_STRIPE_SIZE)
			continue;
		list[nr++] = (struct candidate){
			.space = space, .room = room, .rank = alloc->fitted ? all_room(space) : room,
		};
	}
	qsort(list, nr, sizeof(*list), higher_rank_first);
	return nr;
}

/* The item of a chunk has to fit in a leaf, that of the system chunk in the superblock as well. */
static unsigned most_stripes(const struct chunk_allocator *alloc, u64 type)
{
	size_t bytes = alloc->nodesize ? btrfs_max_item_size(alloc->nodesize) : SZ_64K;

	if (type & BTRFS_BLOCK_GROUP_SYSTEM)
		bytes = MIN(bytes, BTRFS_SYSTEM_CHUNK_ARRAY_SIZE - sizeof(struct btrfs_disk_key));
	return (unsigned)((bytes - btrfs_chunk_item_size(0)) / sizeof(struct btrfs_stripe));
}

static unsigned usable_devices(const struct chunk_allocator *alloc, u64 type, unsigned nr)
{
	const struct btrfs_raid_attr *attr = btrfs_raid_attr(type);

	nr = MIN(nr, most_stripes(alloc, type));
	if (attr->devs_max && nr > attr->devs_max)
		nr = attr->devs_max;
	if (attr->nparity && nr > BTRFS_RAID56_MAX_STRIPES)
		nr = BTRFS_RAID56_MAX_STRIPES;
	nr -= nr % attr->devs_increment;
	return nr < attr->devs_min ? 0 : nr;
}

/* First region that fits, so that space is used front to back. */
static u64 take_stripe(struct device_space *space, u64 size)
{
	unsigned i;

	for (i = 0; i < CHUNK_NR_REGIONS; i++) {
		u64 start = space->regions[i].start;

		if (space->regions[i].end - start < size)
			continue;
		space->regions[i].start = start + size;
		space->bytes_used += size;
		return start;
	}
	return 0;
}

static struct btrfs_chunk_map *new_map(struct chunk_allocator *alloc, u64 type, u16 num_stripes, u64 stripe_size)
{
	const struct btrfs_raid_attr *attr = btrfs_raid_attr(type);
	struct btrfs_chunk_map *map;

	map = calloc(1, sizeof(*map) + num_stripes * sizeof(map->stripes[0]));
	if (!map)
		return NULL;
	map->start = alloc->next_logical;
	map->stripe_size = stripe_size;
	map->length = stripe_size * btrfs_chunk_data_stripes(type, num_stripes);
	map->type = type;
	map->num_stripes = num_stripes;
	map->sub_stripes = attr->sub_stripes;
	return map;
}

static void place_stripes(struct btrfs_chunk_map *map, const struct candidate *list, u8 dev_stripes)
{
	u16 i;

	for (i = 0; i < map->num_stripes; i++) {
		struct device_space *space = list[i / dev_stripes].space;

		map->stripes[i].devid = space->devid;
		memcpy(map->stripes[i].dev_uuid, space->uuid, BTRFS_UUID_SIZE);
		map->stripes[i].physical = take_stripe(space, map->stripe_size);
	}
}

static u64 least_room(const struct candidate *list, unsigned nr)
{
	u64 least = list[0].room;

	while (--nr)
		least = MIN(least, list[nr].room);
	return least;
}

/* Fitted: where a stripe was on a device with room, the same one must be possible on a device without. */
static u64 stripe_length(const struct chunk_allocator *alloc, u64 bytes)
{
	const u64 length = ALIGN_UP(bytes, BTRFS_STRIPE_LEN);

	return alloc->fitted ? MAX(length, MIN_STRIPE_SIZE) : length;
}

static int allocate_from(struct chunk_allocator *alloc, u64 type, u64 want, const struct candidate *list,
			 unsigned nr, struct btrfs_chunk_map **out)
{
	const struct btrfs_raid_attr *attr = btrfs_raid_attr(type);
	struct btrfs_chunk_map *map;
	u16 num_stripes;
	u32 data_stripes;
	u64 stripe_size;
	int ret;

	nr = usable_devices(alloc, type, nr);
	if (!nr)
		return -ENOSPC;
	num_stripes = (u16)(nr * attr->dev_stripes);
	data_stripes = btrfs_chunk_data_stripes(type, num_stripes);
	stripe_size = (want + data_stripes - 1) / data_stripes;
	stripe_size = MIN(stripe_length(alloc, stripe_size), least_room(list, nr));
	map = new_map(alloc, type, num_stripes, stripe_size);
	if (!map)
		return -ENOMEM;
	ret = btrfs_chunk_table_add(&alloc->chunks, map);
	if (ret) {
		free(map);
		return ret;
	}
	place_stripes(map, list, attr->dev_stripes);
	alloc->next_logical += map->length;
	*out = map;
	return 0;
}

int chunk_allocate(struct chunk_allocator *alloc, u64 type, u64 want, struct btrfs_chunk_map **map)
{
	const struct btrfs_raid_attr *attr = btrfs_raid_attr(type);
	struct candidate *list = calloc(alloc->nr_devices, sizeof(*list));
	int ret;

	if (!list)
		return -ENOMEM;
	ret = allocate_from(alloc, type, want, list, find_candidates(alloc, attr, list), map);
	free(list);
	return ret;
}

static struct device_space *find_device(struct chunk_allocator *alloc, u64 devid)
{
	return &alloc->devices[devid - 1];
}

/* The stripes of the newest chunk end where a region's free space starts, last stripe first. */
static void give_back(struct device_space *space, u64 end, u64 size)
{
	unsigned i;

	for (i = 0; i < CHUNK_NR_REGIONS; i++) {
		if (space->regions[i].start == end) {
			space->regions[i].start = end - size;
			space->bytes_used -= size;
			return;
		}
	}
}

void chunk_trim_last(struct chunk_allocator *alloc, u64 length)
{
	struct btrfs_chunk_map *map = alloc->chunks.maps[alloc->chunks.nr - 1];
	u32 data_stripes = btrfs_chunk_data_stripes(map->type, map->num_stripes);
	u64 stripe_size = stripe_length(alloc, (length + data_stripes - 1) / data_stripes);
	u64 surplus;
	u16 i;

	/* dup puts two stripes on one device: only the second borders on free space */
	if (stripe_size >= map->stripe_size || btrfs_raid_attr(map->type)->dev_stripes > 1)
		return;
	surplus = map->stripe_size - stripe_size;
	for (i = map->num_stripes; i-- > 0;)
		give_back(find_device(alloc, map->stripes[i].devid), map->stripes[i].physical + map->stripe_size,
			  surplus);
	map->stripe_size = stripe_size;
	map->length = stripe_size * data_stripes;
	alloc->next_logical = map->start + map->length;
}

void chunk_drop_last(struct chunk_allocator *alloc)
{
	struct btrfs_chunk_map *map = alloc->chunks.maps[--alloc->chunks.nr];
	u16 i;

	for (i = map->num_stripes; i-- > 0;)
		give_back(find_device(alloc, map->stripes[i].devid), map->stripes[i].physical + map->stripe_size,
			  map->stripe_size);
	alloc->next_logical = map->start;
	free(map);
}

u64 chunk_device_end(const struct chunk_allocator *alloc, unsigned nr)
{
	const u64 devid = alloc->devices[nr].devid;
	u64 end = 0;
	size_t c;
	u16 i;

	for (c = 0; c < alloc->chunks.nr; c++) {
		const struct btrfs_chunk_map *map = alloc->chunks.maps[c];

		for (i = 0; i < map->num_stripes; i++) {
			if (map->stripes[i].devid == devid)
				end = MAX(end, map->stripes[i].physical + map->stripe_size);
		}
	}
	return end;
}

static void resize_device(struct device_space *space, u64 size)
{
	struct device_space fresh = { .total_bytes = size };
	unsigned i;

	init_regions(&fresh);
	for (i = 0; i < CHUNK_NR_REGIONS; i++)
		space->regions[i].end = MAX(fresh.regions[i].end, space->regions[i].start);
	space->total_bytes = size;
}

void chunk_resize_devices(struct chunk_allocator *alloc, const u64 *sizes)
{
	unsigned i;

	alloc->total_bytes = 0;
	for (i = 0; i < alloc->nr_devices; i++) {
		resize_device(&alloc->devices[i], sizes[i]);
		alloc->total_bytes += sizes[i];
	}
}

/*
 * As much as there is, since the last chunk is cut to what it holds. But where a chunk does not take all devices,
 * several share them evenly; and a chunk with two stripes on one device cannot be cut.
 */
static u64 fitted_length(const struct chunk_allocator *alloc, u64 type, u64 total, u64 left)
{
	const struct btrfs_raid_attr *attr = btrfs_raid_attr(type);
	const unsigned nr = usable_devices(alloc, type, alloc->nr_devices);
	const u32 data_stripes = nr ? btrfs_chunk_data_stripes(type, (u16)(nr * attr->dev_stripes)) : 1;
	const u64 least = MIN_STRIPE_SIZE * data_stripes, most = MAX_STRIPE_SIZE * data_stripes;
	const bool uneven = nr < alloc->nr_devices, whole = attr->dev_stripes > 1;
	u64 length = most;

	if (uneven)
		length = ALIGN_UP(total / alloc->nr_devices + 1, BTRFS_STRIPE_LEN * data_stripes);
	if (uneven || whole)
		length = MIN(length, left ? left : UNEXPECTED_LENGTH);
	if ((uneven || whole) && alloc->inexact)
		length = MIN(length, INEXACT_LENGTH);
	return MIN(MAX(length, least), most);
}

u64 chunk_length(const struct chunk_allocator *alloc, u64 type, u64 total, u64 left)
{
	return alloc->fitted ? fitted_length(alloc, type, total, left) : chunk_default_length(alloc, type);
}

u64 chunk_default_length(const struct chunk_allocator *alloc, u64 type)
{
	u64 limit, tenth = alloc->total_bytes / 10;

	if (type & BTRFS_BLOCK_GROUP_DATA)
		limit = 10 * SZ_1G;
	else if (type & BTRFS_BLOCK_GROUP_SYSTEM)
		limit = MIN(8 * SZ_1M, alloc->total_bytes / 128);
	else
		limit = alloc->total_bytes > 50 * SZ_1G ? SZ_1G : SZ_1G / 4;
	if (type & BTRFS_BLOCK_GROUP_DATA) {
		u64 stripes = alloc->nr_devices;
		const struct btrfs_raid_attr *attr = btrfs_raid_attr(type);

		if (attr->devs_max)
			stripes = attr->devs_max;
		stripes -= MIN(stripes, (u64)attr->nparity);
		limit = MIN(limit, SZ_1G * MAX(stripes * attr->dev_stripes / attr->ncopies, (u64)1));
	}
	/* with less than that for its trees the kernel writes nothing, see space_headroom() */
	if (!(type & (BTRFS_BLOCK_GROUP_DATA | BTRFS_BLOCK_GROUP_SYSTEM)))
		tenth = MAX(tenth, (u64)alloc->nodesize * CHUNK_WRITABLE_NODES);
	return ALIGN_UP(MAX(MIN(limit, tenth), SZ_1M), BTRFS_STRIPE_LEN);
}

u64 chunk_space_left(const struct chunk_allocator *alloc, u64 type)
{
	const struct btrfs_raid_attr *attr = btrfs_raid_attr(type);
	struct candidate *list = calloc(alloc->nr_devices, sizeof(*list));
	struct chunk_allocator copy = *alloc;
	u64 total = 0;

	copy.devices = calloc(alloc->nr_devices, sizeof(*copy.devices));
	if (!list || !copy.devices)
		goto out;
	memcpy(copy.devices, alloc->devices, alloc->nr_devices * sizeof(*copy.devices));
	for (;;) {
		unsigned i, nr = usable_devices(alloc, type, find_candidates(&copy, attr, list));
		u64 stripe_size;

		if (!nr)
			break;
		/* a tenth at a time, so that the device with the least room is no bound for the others */
		stripe_size = least_room(list, nr);
		if (nr < alloc->nr_devices && stripe_size > 16 * SZ_1M)
			stripe_size = ALIGN_DOWN(stripe_size / 10, BTRFS_STRIPE_LEN);
		for (i = 0; i < nr * attr->dev_stripes; i++)
			take_stripe(list[i / attr->dev_stripes].space, stripe_size);
		total += stripe_size * btrfs_chunk_data_stripes(type, (u16)(nr * attr->dev_stripes));
	}
out:
	free(copy.devices);
	free(list);
	return total;
}
