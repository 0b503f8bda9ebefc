// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The chunk allocator, on devices of all kinds of sizes: whatever it hands out must be usable.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "mkfs/chunk-alloc.h"

#define MAX_DEVICES 16

static const u8 uuids[MAX_DEVICES][BTRFS_UUID_SIZE] = {
	{ 1 }, { 2 }, { 3 }, { 4 }, { 5 }, { 6 }, { 7 }, { 8 }, { 9 }, { 10 }, { 11 }, { 12 }, { 13 }, { 14 }, { 15 },
	{ 16 },
};

static const u64 profiles[] = {
	0, BTRFS_BLOCK_GROUP_RAID0, BTRFS_BLOCK_GROUP_RAID1, BTRFS_BLOCK_GROUP_DUP, BTRFS_BLOCK_GROUP_RAID10,
	BTRFS_BLOCK_GROUP_RAID1C3, BTRFS_BLOCK_GROUP_RAID1C4, BTRFS_BLOCK_GROUP_RAID5, BTRFS_BLOCK_GROUP_RAID6,
};

struct devices {
	unsigned nr;
	u64 sizes[MAX_DEVICES];
};

static const struct devices sets[] = {
	{ 1, { 16 * SZ_1M } },
	{ 1, { 100 * SZ_1M + 4096 } },
	{ 1, { 300 * SZ_1G + 12288 } },			/* beyond the third superblock */
	{ 2, { 64 * SZ_1M, 65 * SZ_1M } },		/* ends at, and just behind, the second */
	{ 2, { 20 * SZ_1M, 2 * SZ_1G } },
	{ 3, { 256 * SZ_1G, 256 * SZ_1G + SZ_1M + 65536, 257 * SZ_1G } },
	{ 4, { 17 * SZ_1M, 100 * SZ_1M, 101 * SZ_1M, 999 * SZ_1M + 512 } },
	{ 6, { 500 * SZ_1M, 30 * SZ_1M, 500 * SZ_1M, 90 * SZ_1M, 500 * SZ_1M, 16 * SZ_1M } },
	{ 16, { 70 * SZ_1M, 90 * SZ_1M, 64 * SZ_1M, 200 * SZ_1M, 65 * SZ_1M, 66 * SZ_1M, 1000 * SZ_1M, 300 * SZ_1M,
		77 * SZ_1M, 78 * SZ_1M, 33 * SZ_1M, 34 * SZ_1M, 2000 * SZ_1M, 128 * SZ_1M, 129 * SZ_1M, 40 * SZ_1M } },
};

static void init(struct chunk_allocator *alloc, const struct devices *devices)
{
	assert_int_equal(chunk_allocator_init(alloc, devices->sizes, devices->nr, uuids), 0);
}

struct place {
	u64 devid;
	u64 start;
	u64 end;
};

static bool overlap(const struct place *a, const struct place *b)
{
	return a->devid == b->devid && a->start < b->end && b->start < a->end;
}

static size_t collect(const struct chunk_allocator *alloc, struct place *list, size_t max)
{
	size_t c, nr = 0;
	u16 i;

	for (c = 0; c < alloc->chunks.nr; c++) {
		const struct btrfs_chunk_map *map = alloc->chunks.maps[c];

		for (i = 0; i < map->num_stripes; i++) {
			assert_true(nr < max);
			list[nr++] = (struct place){
				.devid = map->stripes[i].devid,
				.start = map->stripes[i].physical,
				.end = map->stripes[i].physical + map->stripe_size,
			};
		}
	}
	return nr;
}

static void check_places(const struct chunk_allocator *alloc)
{
	struct place list[2048];
	u64 used[MAX_DEVICES] = { 0 };
	const size_t nr = collect(alloc, list, ARRAY_SIZE(list));
	size_t a, b;

	for (a = 0; a < nr; a++) {
		const u64 size = alloc->devices[list[a].devid - 1].total_bytes;

		assert_true(list[a].start >= BTRFS_DEVICE_RANGE_RESERVED);
		assert_true(list[a].end <= size);
		assert_false(btrfs_overlaps_super(list[a].start, list[a].end - list[a].start));
		used[list[a].devid - 1] += list[a].end - list[a].start;
		for (b = 0; b < a; b++)
			assert_false(overlap(&list[a], &list[b]));
	}
	for (a = 0; a < alloc->nr_devices; a++)
		assert_int_equal(alloc->devices[a].bytes_used, used[a]);
}

static void check_chunks(const struct chunk_allocator *alloc)
{
	u64 logical = CHUNK_FIRST_LOGICAL;
	size_t c;
	u16 i, k;

	for (c = 0; c < alloc->chunks.nr; c++) {
		const struct btrfs_chunk_map *map = alloc->chunks.maps[c];
		const struct btrfs_raid_attr *attr = btrfs_raid_attr(map->type);

		assert_int_equal(map->start, logical);
		logical += map->length;
		assert_true(map->length > 0);
		assert_true(map->num_stripes >= attr->devs_min * attr->dev_stripes);
		assert_int_equal(map->length,
				 map->stripe_size * btrfs_chunk_data_stripes(map->type, map->num_stripes));
		assert_true(IS_ALIGNED(map->stripe_size, BTRFS_STRIPE_LEN));
		for (i = 0; i < map->num_stripes; i++) {
			const u64 devid = map->stripes[i].devid;

			assert_memory_equal(map->stripes[i].dev_uuid, uuids[devid - 1], BTRFS_UUID_SIZE);
			/* copies are on different devices, but for dup */
			for (k = 0; k < i && attr->dev_stripes == 1; k++)
				assert_true(map->stripes[k].devid != devid);
		}
	}
	assert_int_equal(alloc->next_logical, logical);
	check_places(alloc);
}

/* What the checker of chunk items says of it. */
static void check_items(const struct chunk_allocator *alloc)
{
	u8 item[sizeof(struct btrfs_chunk) + 16 * sizeof(struct btrfs_stripe)];
	size_t c;

	for (c = 0; c < alloc->chunks.nr; c++) {
		const struct btrfs_chunk_map *map = alloc->chunks.maps[c];
		const struct btrfs_key key = {
			.objectid = BTRFS_FIRST_CHUNK_TREE_OBJECTID, .type = BTRFS_CHUNK_ITEM_KEY,
			.offset = map->start,
		};
		const u32 size = (u32)btrfs_chunk_item_size(map->num_stripes);
		struct btrfs_reason reason = { "" };

		assert_true(size <= sizeof(item));
		btrfs_write_chunk_item(map, 4096, item);
		if (btrfs_check_chunk_item(&key, item, size, 4096, false, &reason))
			fail_msg("%s", reason.text);
	}
}

/* Chunks of changing length until nothing is left. */
static void fill_devices(const struct devices *devices, u64 profile, bool fitted)
{
	static const u64 wants[] = { SZ_1M, 1, 3 * SZ_1M + 1, 64 * SZ_1M, 10 * SZ_1G };
	struct chunk_allocator alloc;
	struct btrfs_chunk_map *map;
	unsigned i;
	int ret = 0;

	init(&alloc, devices);
	alloc.fitted = fitted;
	for (i = 0; !ret && i < 400; i++) {
		const u64 want = wants[MIN(i / 6, 4U)];

		ret = chunk_allocate(&alloc, BTRFS_BLOCK_GROUP_DATA | profile, want, &map);
		if (!ret)
			assert_ptr_equal(map, alloc.chunks.maps[alloc.chunks.nr - 1]);
		if (!ret && map->length < want)
			assert_true(map->length >= SZ_1M);
	}
	assert_int_equal(ret, -ENOSPC);
	check_chunks(&alloc);
	check_items(&alloc);
	chunk_allocator_release(&alloc);
}

static void test_all_profiles_and_sizes(void **state)
{
	size_t s, p;

	(void)state;
	for (s = 0; s < ARRAY_SIZE(sets); s++) {
		for (p = 0; p < ARRAY_SIZE(profiles); p++) {
			fill_devices(&sets[s], profiles[p], false);
			fill_devices(&sets[s], profiles[p], true);
		}
	}
}

/* Content of a few sizes, as the writer allocates it: data that is cut, then metadata that is made anew longer. */
static void fit_content(struct chunk_allocator *alloc, u64 profile, u64 data)
{
	const u64 type = BTRFS_BLOCK_GROUP_DATA | profile, metadata = BTRFS_BLOCK_GROUP_METADATA | profile;
	const bool whole = btrfs_raid_attr(profile)->dev_stripes > 1;
	struct btrfs_chunk_map *map;
	u64 left = data;

	alloc->fitted = true;
	while (left) {
		assert_int_equal(chunk_allocate(alloc, type, chunk_length(alloc, type, data, left), &map), 0);
		if (map->length > left && !whole)
			chunk_trim_last(alloc, left);
		left -= MIN(left, map->length);
	}
	assert_int_equal(chunk_allocate(alloc, metadata, SZ_1M, &map), 0);
	chunk_drop_last(alloc);
	assert_int_equal(chunk_allocate(alloc, metadata, 5 * SZ_1M, &map), 0);
	check_chunks(alloc);
}

/* On devices that end where the last stripe does, everything lies where it lies on endless ones. */
static void test_fitted_is_the_same_on_the_smallest_devices(void **state)
{
	static const u64 contents[] = { 1, 3 * SZ_1M, 61 * SZ_1M, 200 * SZ_1M + 4096, 2500 * SZ_1M };
	static const u8 counts[] = { 1, 2, 3, 4, 5, 7, 16 };
	size_t p, c, n;
	unsigned i;

	(void)state;
	for (p = 0; p < ARRAY_SIZE(profiles) * ARRAY_SIZE(counts); p++) {
		const u64 profile = profiles[p / ARRAY_SIZE(counts)];
		struct devices devices = { .nr = counts[p % ARRAY_SIZE(counts)] };

		if (devices.nr < btrfs_raid_attr(profile)->devs_min)
			continue;
		for (c = 0; c < ARRAY_SIZE(contents); c++) {
			struct chunk_allocator endless, small;
			u64 most = 0;

			for (i = 0; i < devices.nr; i++)
				devices.sizes[i] = 1024 * SZ_1G;
			init(&endless, &devices);
			fit_content(&endless, profile, contents[c]);
			for (i = 0; i < devices.nr; i++)
				most = MAX(most, chunk_device_end(&endless, i));
			for (i = 0; i < devices.nr; i++)
				devices.sizes[i] = most;
			init(&small, &devices);
			fit_content(&small, profile, contents[c]);
			assert_int_equal(small.chunks.nr, endless.chunks.nr);
			for (n = 0; n < small.chunks.nr; n++)
				assert_memory_equal(small.chunks.maps[n], endless.chunks.maps[n],
						    sizeof(struct btrfs_chunk_map) + small.chunks.maps[n]->num_stripes *
						    sizeof(small.chunks.maps[n]->stripes[0]));
			/* and all of it on devices that are given their size afterwards */
			chunk_resize_devices(&endless, devices.sizes);
			check_chunks(&endless);
			assert_int_equal(endless.total_bytes, most * devices.nr);
			chunk_allocator_release(&small);
			chunk_allocator_release(&endless);
		}
	}
}

/* A device that is full may not keep others from being used. */
static void test_uses_nearly_everything(void **state)
{
	struct chunk_allocator alloc;
	struct btrfs_chunk_map *map;
	u64 left;
	size_t s;

	(void)state;
	for (s = 0; s < ARRAY_SIZE(sets); s++) {
		unsigned i, nr_regions = 0;
		u64 used = 0;

		init(&alloc, &sets[s]);
		left = chunk_space_left(&alloc, BTRFS_BLOCK_GROUP_DATA);
		while (!chunk_allocate(&alloc, BTRFS_BLOCK_GROUP_DATA, SZ_1G, &map))
			;
		for (i = 0; i < alloc.nr_devices; i++) {
			used += alloc.devices[i].bytes_used;
			nr_regions += CHUNK_NR_REGIONS;
		}
		/* reserved: the first MiB, one at each later copy, and an end too short for a stripe */
		assert_true(used + nr_regions * 2 * SZ_1M >= alloc.total_bytes);
		/* an estimate, since ends too short for a stripe depend on the order */
		assert_true(left <= used + nr_regions * SZ_1M && used <= left + nr_regions * SZ_1M);
		assert_int_equal(chunk_space_left(&alloc, BTRFS_BLOCK_GROUP_DATA), 0);
		chunk_allocator_release(&alloc);
	}
}

static void test_space_left_changes_nothing(void **state)
{
	struct chunk_allocator alloc;
	size_t p;

	(void)state;
	for (p = 0; p < ARRAY_SIZE(profiles); p++) {
		struct device_space before[MAX_DEVICES];

		init(&alloc, &sets[7]);
		memcpy(before, alloc.devices, 6 * sizeof(before[0]));
		assert_true(chunk_space_left(&alloc, profiles[p]) > 0);
		assert_memory_equal(before, alloc.devices, 6 * sizeof(before[0]));
		assert_int_equal(alloc.chunks.nr, 0);
		chunk_allocator_release(&alloc);
	}
}

static void trim_once(u64 profile, u64 want, u64 keep)
{
	struct chunk_allocator alloc;
	struct btrfs_chunk_map *map, *next;
	const u8 dev_stripes = btrfs_raid_attr(profile)->dev_stripes;
	u64 used = 0, left;
	unsigned i;

	init(&alloc, &sets[7]);
	assert_int_equal(chunk_allocate(&alloc, BTRFS_BLOCK_GROUP_SYSTEM | profile, SZ_1M, &map), 0);
	left = chunk_space_left(&alloc, profile);
	assert_int_equal(chunk_allocate(&alloc, BTRFS_BLOCK_GROUP_DATA | profile, want, &map), 0);
	chunk_trim_last(&alloc, keep);
	assert_true(map->length >= MIN(keep, want));
	if (dev_stripes == 1)
		assert_true(map->length < keep + BTRFS_STRIPE_LEN *
					btrfs_chunk_data_stripes(map->type, map->num_stripes));
	check_chunks(&alloc);
	/* of the striped ones the width changes */
	if (dev_stripes == 1 && btrfs_raid_attr(profile)->devs_max)
		assert_true(chunk_space_left(&alloc, profile) + map->length + 20 * SZ_1M >= left);
	/* what comes next borders on it, in logical space and on the devices */
	assert_int_equal(chunk_allocate(&alloc, BTRFS_BLOCK_GROUP_METADATA | profile, SZ_1M, &next), 0);
	assert_int_equal(next->start, map->start + map->length);
	check_chunks(&alloc);
	for (i = 0; i < alloc.nr_devices; i++)
		used += alloc.devices[i].bytes_used;
	assert_true(used > 0);
	chunk_allocator_release(&alloc);
}

static void test_trim(void **state)
{
	const u64 keeps[] = { 1, 65536, 65537, SZ_1M, 3 * SZ_1M + 4096, 12 * SZ_1M, 100 * SZ_1M };
	size_t p, k;

	(void)state;
	for (p = 0; p < ARRAY_SIZE(profiles); p++) {
		for (k = 0; k < ARRAY_SIZE(keeps); k++)
			trim_once(profiles[p], 12 * SZ_1M, keeps[k]);
	}
}

/* Trimming gives back exactly what was taken too much. */
static void test_trim_gives_back(void **state)
{
	struct chunk_allocator one, two;
	struct btrfs_chunk_map *a, *b;
	size_t p, s;

	(void)state;
	for (p = 0; p < ARRAY_SIZE(profiles); p++) {
		if (btrfs_raid_attr(profiles[p])->dev_stripes > 1)
			continue;
		for (s = 6; s < ARRAY_SIZE(sets); s++) {
			init(&one, &sets[s]);
			init(&two, &sets[s]);
			assert_int_equal(chunk_allocate(&one, profiles[p], 14 * SZ_1M, &a), 0);
			chunk_trim_last(&one, 5 * SZ_1M);
			assert_int_equal(chunk_allocate(&two, profiles[p], 5 * SZ_1M, &b), 0);
			assert_int_equal(a->length, b->length);
			assert_memory_equal(one.devices, two.devices, sets[s].nr * sizeof(one.devices[0]));
			chunk_allocator_release(&one);
			chunk_allocator_release(&two);
		}
	}
}

static void test_too_few_devices(void **state)
{
	struct chunk_allocator alloc;
	struct btrfs_chunk_map *map;

	(void)state;
	init(&alloc, &sets[1]);
	assert_int_equal(chunk_allocate(&alloc, BTRFS_BLOCK_GROUP_RAID1, SZ_1M, &map), -ENOSPC);
	assert_int_equal(chunk_allocate(&alloc, BTRFS_BLOCK_GROUP_RAID10, SZ_1M, &map), -ENOSPC);
	assert_int_equal(chunk_space_left(&alloc, BTRFS_BLOCK_GROUP_RAID1C4), 0);
	assert_int_equal(alloc.chunks.nr, 0);
	assert_int_equal(alloc.devices[0].bytes_used, 0);
	chunk_allocator_release(&alloc);
}

static void test_default_lengths(void **state)
{
	struct chunk_allocator alloc;
	size_t s, p;

	(void)state;
	for (s = 0; s < ARRAY_SIZE(sets); s++) {
		init(&alloc, &sets[s]);
		for (p = 0; p < ARRAY_SIZE(profiles); p++) {
			const u64 data = chunk_default_length(&alloc, BTRFS_BLOCK_GROUP_DATA | profiles[p]);
			const u64 metadata = chunk_default_length(&alloc, BTRFS_BLOCK_GROUP_METADATA | profiles[p]);

			assert_true(data >= SZ_1M && data <= 10 * SZ_1G);
			assert_true(metadata >= SZ_1M && metadata <= SZ_1G);
			assert_true(IS_ALIGNED(data, BTRFS_STRIPE_LEN) && IS_ALIGNED(metadata, BTRFS_STRIPE_LEN));
			assert_true(data <= MAX(alloc.total_bytes / 10 + BTRFS_STRIPE_LEN, SZ_1M));
		}
		chunk_allocator_release(&alloc);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_profiles_and_sizes),
		cmocka_unit_test(test_fitted_is_the_same_on_the_smallest_devices),
		cmocka_unit_test(test_uses_nearly_everything),
		cmocka_unit_test(test_space_left_changes_nothing),
		cmocka_unit_test(test_trim),
		cmocka_unit_test(test_trim_gives_back),
		cmocka_unit_test(test_too_few_devices),
		cmocka_unit_test(test_default_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
