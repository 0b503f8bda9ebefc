// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Do the stripes of all chunks lie where they may? See chunk-tree.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/checked.h"
#include "reader/chunk-tree.h"

/* One stripe on a device, to find overlaps by sorting. */
struct stripe_range {
	u64 devid;
	u64 start;
	u64 end;
	u64 logical;
};

static bool check_stripe(const struct btrfs_image *image, const struct btrfs_dev_records *devices,
			 const struct btrfs_chunk_map *map, unsigned index, struct btrfs_reason *reason)
{
	const struct btrfs_map_stripe *stripe = &map->stripes[index];
	const struct btrfs_dev_record *record = btrfs_dev_records_find(devices, stripe->devid);
	const unsigned long long devid = stripe->devid;

	if (!record && !image->chunk_tree_damaged)
		btrfs_set_reason(reason, "stripe %u lies on device %llu, which has no DEV_ITEM", index,
				 devid);
	else if (record && memcmp(record->uuid, stripe->dev_uuid, BTRFS_UUID_SIZE))
		btrfs_set_reason(reason, "stripe %u has another uuid than device %llu", index, devid);
	else if (record && range_exceeds(stripe->physical, map->stripe_size, record->total_bytes))
		btrfs_set_reason(reason, "stripe %u at %llu is beyond the end of device %llu (%llu bytes)",
				 index, (unsigned long long)stripe->physical, devid,
				 (unsigned long long)record->total_bytes);
	else
		return true;
	return false;
}

static void check_stripes(const struct btrfs_image *image, const struct btrfs_dev_records *devices,
			  const struct btrfs_chunk_map *map, const struct btrfs_finding_sink *sink)
{
	struct btrfs_reason reason;
	unsigned i;

	for (i = 0; i < map->num_stripes; i++) {
		const struct btrfs_finding finding = {
			.kind = BTRFS_FINDING_CHUNK,
			.devid = map->stripes[i].devid,
			.physical = map->stripes[i].physical,
			.logical = map->start,
		};

		if (check_stripe(image, devices, map, i, &reason))
			continue;
		btrfs_report_finding(sink, finding, "chunk item: %s", reason.text);
		return;
	}
}

static int compare_ranges(const void *a, const void *b)
{
	const struct stripe_range *left = a;
	const struct stripe_range *right = b;

	if (left->devid != right->devid)
		return left->devid < right->devid ? -1 : 1;
	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	return left->end < right->end ? -1 : left->end > right->end;
}

static void find_overlaps(struct btrfs_image *image, struct stripe_range *ranges, size_t nr,
			  const struct btrfs_finding_sink *sink)
{
	size_t reach = 0;	/* of the ranges so far, the one that ends last */
	size_t i;

	qsort(ranges, nr, sizeof(*ranges), compare_ranges);
	for (i = 1; i < nr; i++) {
		if (ranges[i].devid == ranges[reach].devid && ranges[i].start < ranges[reach].end) {
			const struct btrfs_finding finding = {
				.kind = BTRFS_FINDING_CHUNK,
				.devid = ranges[i].devid,
				.physical = ranges[i].start,
				.logical = ranges[i].logical,
			};

			image->chunks_share_space = true;
			btrfs_report_finding(sink, finding, "chunk item: shares space with the chunk at %llu",
					     (unsigned long long)ranges[reach].logical);
		}
		if (ranges[i].devid != ranges[reach].devid || ranges[i].end > ranges[reach].end)
			reach = i;
	}
}

static int check_overlaps(struct btrfs_image *image, const struct btrfs_finding_sink *sink)
{
	const struct btrfs_chunk_table *table = &image->chunks;
	struct stripe_range *ranges;
	size_t nr = 0;
	size_t i;
	unsigned s;

	for (i = 0; i < table->nr; i++)
		nr += table->maps[i]->num_stripes;
	if (!nr)
		return 0;
	ranges = calloc(nr, sizeof(*ranges));
	if (!ranges)
		return -ENOMEM;
	nr = 0;
	for (i = 0; i < table->nr; i++) {
		const struct btrfs_chunk_map *map = table->maps[i];

		for (s = 0; s < map->num_stripes; s++)
			ranges[nr++] = (struct stripe_range){
				.devid = map->stripes[s].devid,
				.start = map->stripes[s].physical,
				.end = map->stripes[s].physical + map->stripe_size,
				.logical = map->start,
			};
	}
	find_overlaps(image, ranges, nr, sink);
	free(ranges);
	return 0;
}

int btrfs_check_chunk_places(struct btrfs_image *image, const struct btrfs_dev_records *devices,
			     const struct btrfs_finding_sink *sink)
{
	size_t i;

	for (i = 0; i < image->chunks.nr; i++)
		check_stripes(image, devices, image->chunks.maps[i], sink);
	return check_overlaps(image, sink);
}
