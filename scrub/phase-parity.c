// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parity of raid5 and raid6 chunks that hold trees. (That of file data is verified together with the
 * data.) Which blocks there are the extent tree says; whether they are good is asked where parity does not match.
 */
#include <errno.h>
#include <inttypes.h>

#include "scrub/row-scan.h"

void scrub_doubtful_parity(struct scrub *run, u64 devid, const struct bad_run *bad)
{
	if (!run->doubtful_sectors) {
		run->doubtful_devid = devid;
		run->doubtful_physical = bad->physical;
	}
	run->doubtful_sectors += bad->nr_sectors;
}

void scrub_note_parity(struct scrub *run)
{
	if (run->doubtful_sectors)
		scrub_add_note(run->report,
			       "%" PRIu64 " sectors of parity do not match data without checksums, first on device %"
			       PRIu64 " at physical %" PRIu64 ": it was never written, or one of both is wrong",
			       run->doubtful_sectors, run->doubtful_devid, run->doubtful_physical);
	if (run->report->parity_skipped)
		scrub_add_note(run->report, "raid5 or raid6: some parity could not be verified");
}

static bool is_trees_only(const struct btrfs_chunk_map *map)
{
	return btrfs_is_raid56(map) && !(map->type & BTRFS_BLOCK_GROUP_DATA);
}

static int scan_chunk(struct row_scan *scan, struct data_stream *stream)
{
	struct data_range range;
	int ret;

	ret = data_stream_seek(stream, scan->map->start, scan->map->start + scan->map->length);
	while (!ret) {
		ret = scrub_stopped(scan->run);
		if (!ret)
			ret = data_stream_next(stream, &range);
		if (!ret && range.tree)
			ret = row_scan_add(scan, &range);
	}
	if (ret < 0) {
		row_scan_abort(scan);
		return ret;
	}
	return row_scan_finish(scan);
}

static int scan_chunks(struct row_scan *scan, struct data_stream *stream)
{
	const struct btrfs_chunk_table *table = &scan->run->image->chunks;
	size_t i;
	int ret = 0;

	for (i = 0; i < table->nr && !ret; i++) {
		scan->map = table->maps[i];
		if (!is_trees_only(scan->map))
			continue;
		if (row_scan_can(scan->map))
			ret = scan_chunk(scan, stream);
		else
			scan->run->report->parity_skipped = true;
	}
	return ret;
}

static int verify(struct scrub *run, const struct btrfs_tree_root *extents)
{
	struct row_scan scan = { .run = run, .check_parity = true };
	struct data_stream stream;
	int ret = data_queue_create(&scan.queue, run), drained;

	if (ret)
		return ret;
	ret = data_stream_init(&stream, run->image, NULL, extents);
	stream.trees = true;
	if (!ret)
		ret = scan_chunks(&scan, &stream);
	if (!ret && data_stream_lost_extents(&stream))
		run->report->parity_skipped = true;
	data_stream_release(&stream);
	/* what was read is reported also when the run is stopped */
	drained = ret && ret != -EINTR ? 0 : data_queue_drain(scan.queue);
	data_queue_destroy(scan.queue);
	return drained ? drained : ret;
}

static bool any_chunk(const struct btrfs_image *image)
{
	size_t i;

	for (i = 0; i < image->chunks.nr; i++) {
		if (is_trees_only(image->chunks.maps[i]))
			return true;
	}
	return false;
}

int scrub_tree_parity(struct scrub *run)
{
	struct btrfs_tree_root extents;
	int ret;

	if (!any_chunk(run->image))
		return 0;
	/* a restored dump has the trees somewhere else than these chunks say */
	if (run->image->features.metadump) {
		run->report->parity_skipped = true;
		return 0;
	}
	ret = btrfs_find_root(run->image, BTRFS_EXTENT_TREE_OBJECTID, &extents);
	if (ret == -ENOMEM)
		return ret;
	if (!ret)
		return verify(run, &extents);
	run->report->parity_skipped = true;
	return 0;
}
