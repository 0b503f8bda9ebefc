// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From ranges to groups of rows: see row-scan.h.
 */
#include <errno.h>

#include "scrub/row-scan.h"

bool row_scan_can(const struct btrfs_chunk_map *map)
{
	return btrfs_is_raid56(map) && map->num_stripes <= BTRFS_RAID56_MAX_STRIPES;
}

int row_scan_finish(struct row_scan *scan)
{
	struct row_group *group = scan->group;

	scan->group = NULL;
	return group ? data_queue_submit(scan->queue, &group->item) : 0;
}

void row_scan_abort(struct row_scan *scan)
{
	row_group_destroy(scan->group);
	scan->group = NULL;
}

/* ->group is the one that @logical belongs to. */
static int open_group(struct row_scan *scan, u64 logical)
{
	int ret = 0;

	if (scan->group && logical < row_group_end(scan->group))
		return 0;
	ret = row_scan_finish(scan);
	if (ret)
		return ret;
	scan->group = row_group_create(scan->run->image, scan->map,
				       (logical - scan->map->start) / btrfs_raid56_row_bytes(scan->map));
	if (!scan->group)
		return -ENOMEM;
	scan->group->check_parity = scan->check_parity;
	return 0;
}

/* Checksummed sectors are counted when they were read. */
static void count_part(struct scrub *run, const struct data_range *part, u64 devid)
{
	struct scrub_counters *counters = scrub_device_counters(run->report, devid);
	const u64 bytes = part->end - part->start;

	if (part->tree || !btrfs_find_device(run->image, devid))
		return;
	if (part->extent_begins)
		counters->data_extents_scrubbed++;
	/* where the csum tree is lost, nobody knows what has no checksum on purpose */
	if (part->sums || !run->csum_tree_sound)
		return;
	counters->no_csum += bytes / run->image->check.sectorsize;
	counters->data_bytes_scrubbed += bytes;
}

static enum row_use use_of(const struct data_range *part)
{
	if (part->tree)
		return part->extent_begins ? ROW_TREE_START : ROW_TREE;
	return part->sums ? ROW_SUMMED : ROW_UNSUMMED;
}

int row_scan_add(struct row_scan *scan, const struct data_range *range)
{
	const struct btrfs_check_context *check = &scan->run->image->check;
	struct data_range part = *range;

	while (part.start < range->end) {
		u64 len;
		const struct btrfs_io_stripe stripe = btrfs_map_logical(scan->map, part.start, 0, &len);
		int ret = open_group(scan, part.start);

		if (ret)
			return ret;
		part.end = MIN(part.start + len, range->end);
		len = (part.end - part.start) / check->sectorsize;
		count_part(scan->run, &part, stripe.devid);
		row_group_mark(scan->group, part.start, len, use_of(&part), part.tree ? NULL : part.sums);
		if (part.sums)
			part.sums += len * check->csum_size;
		part.start = part.end;
		part.extent_begins = false;
	}
	return 0;
}
