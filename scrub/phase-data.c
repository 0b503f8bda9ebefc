// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Verifies every copy of every checksummed sector: chunk by chunk, and inside a chunk so that every
 * device is read from its front to its back. All devices of a chunk work at once; the two copies of
 * DUP, which share one, are read one after the other. Chunks of raid5 and raid6 go row by row, parity and all
 * (row-scan.h).
 *
 * The main thread streams checksums and submits reads, the workers hash.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scrub/row-scan.h"

struct data_pass {
	struct scrub *run;
	struct data_queue *queue;
	struct data_stream *stream;
	bool log;			/* the csums are those of a log tree */
	/* the chunk */
	const struct btrfs_chunk_map *map;
	struct data_piece **open;	/* one for each stripe, or NULL */
	int first_copy, end_copy;	/* that this pass reads */
	struct row_scan rows;		/* ->map is NULL where it has no rows */
};

static bool is_data(const struct btrfs_chunk_map *map)
{
	return map->type & BTRFS_BLOCK_GROUP_DATA;
}

static struct btrfs_io_stripe locate(const struct data_pass *pass, u64 logical, int copy, u64 limit, u64 *len)
{
	struct btrfs_io_stripe stripe = btrfs_map_logical(pass->map, logical, copy, len);

	*len = MIN(*len, limit);
	return stripe;
}

/* Sectors of one stripe, contiguous on its device. */
static int add_to_piece(struct data_pass *pass, const struct btrfs_device *device,
			const struct btrfs_io_stripe *stripe, int copy, const struct data_range *part)
{
	const struct btrfs_image *image = pass->run->image;
	const u32 sectorsize = image->check.sectorsize;
	struct data_piece **open = &pass->open[stripe->index];
	const u32 nr = (u32)((part->end - part->start) / sectorsize);
	u32 done = 0;

	while (done < nr) {
		const u64 distance = (u64)done * sectorsize;
		u32 added = 0;
		int ret;

		if (*open)
			added = data_piece_add(*open, stripe->physical + distance, part->start + distance,
					       nr - done, part->sums + (size_t)done * image->check.csum_size);
		done += added;
		if (added)
			continue;
		if (*open) {
			struct data_piece *full = *open;

			*open = NULL;
			ret = data_queue_submit(pass->queue, &full->item);
			if (ret)
				return ret;
		}
		*open = data_piece_create(image, device, stripe->physical + distance, copy);
		if (!*open)
			return -ENOMEM;
	}
	return 0;
}

static void report_all_missing(struct data_pass *pass, const struct data_range *part, u64 devid)
{
	struct scrub_finding finding = scrub_new_finding(SCRUB_READ);

	finding.logical = part->start;
	finding.length = part->end - part->start;
	finding.devid = devid;
	scrub_finding_text(&finding, "device %llu is missing and there is no other copy",
			   (unsigned long long)devid);
	scrub_add_finding(pass->run->report, &finding);
	scrub_device_counters(pass->run->report, devid)->uncorrectable_errors +=
		finding.length / pass->run->image->check.sectorsize;
}

/* Is any copy of this piece of logical space on a device that is there? */
static bool any_copy_there(const struct data_pass *pass, u64 logical)
{
	int copy;

	for (copy = 0; copy < btrfs_chunk_copies(pass->map); copy++) {
		u64 len;
		const struct btrfs_io_stripe stripe = locate(pass, logical, copy, 1, &len);

		if (btrfs_find_device(pass->run->image, stripe.devid))
			return true;
	}
	return false;
}

static void count_range(struct data_pass *pass, struct scrub_counters *counters,
			const struct data_range *part)
{
	const u64 sectors = (part->end - part->start) / pass->run->image->check.sectorsize;

	if (part->extent_begins)
		counters->data_extents_scrubbed++;
	if (part->sums)
		return;		/* counted when it was read */
	counters->no_csum += sectors;
	counters->data_bytes_scrubbed += part->end - part->start;
}

/* One copy of a range that has checksums, or is known to have none. */
static int add_copy(struct data_pass *pass, const struct data_range *range, int copy)
{
	const struct btrfs_check_context *check = &pass->run->image->check;
	struct data_range part = *range;
	int ret = 0;

	while (!ret && part.start < range->end) {
		u64 len;
		const struct btrfs_io_stripe stripe = locate(pass, part.start, copy, range->end - part.start,
							     &len);
		const struct btrfs_device *device = btrfs_find_device(pass->run->image, stripe.devid);
		struct scrub_counters *counters = scrub_device_counters(pass->run->report, stripe.devid);

		part.end = part.start + len;
		if (device) {
			count_range(pass, counters, &part);
			if (part.sums)
				ret = add_to_piece(pass, device, &stripe, copy, &part);
		} else {
			counters->missing_copies += len / check->sectorsize;
			if (part.sums && !copy && !any_copy_there(pass, part.start))
				report_all_missing(pass, &part, stripe.devid);
		}
		if (part.sums)
			part.sums += len / check->sectorsize * check->csum_size;
		part.start = part.end;
		part.extent_begins = false;
	}
	return ret;
}

/* Checksums that belong to no extent: left over, and what they were for may be anything by now. */
static void discard(struct data_pass *pass, const struct data_range *range)
{
	struct scrub_counters *counters = &pass->run->report->elsewhere;

	if (pass->first_copy)
		return;
	if (!counters->csum_discards)
		scrub_add_note(pass->run->report,
			       "checksums without an extent, first at logical %llu: not verified",
			       (unsigned long long)range->start);
	counters->csum_discards += (range->end - range->start) / pass->run->image->check.sectorsize;
}

static bool is_certain_free(const struct data_pass *pass)
{
	return pass->run->extent_tree_sound && !data_stream_lost_extents(pass->stream);
}

static int add_range(struct data_pass *pass, const struct data_range *range)
{
	int copy, ret = 0;

	if (!range->allocated && !pass->log && is_certain_free(pass)) {
		discard(pass, range);
		return 0;
	}
	if (pass->rows.map)
		return row_scan_add(&pass->rows, range);
	/* where the csum tree is lost, nobody knows what has no checksum on purpose */
	if (!range->sums && !pass->run->csum_tree_sound)
		return 0;
	for (copy = pass->first_copy; copy < pass->end_copy && !ret; copy++)
		ret = add_copy(pass, range, copy);
	return ret;
}

static int submit_open(struct data_pass *pass)
{
	unsigned i;
	int ret = 0;

	for (i = 0; i < pass->map->num_stripes; i++) {
		struct data_piece *piece = pass->open[i];

		pass->open[i] = NULL;
		if (!piece)
			continue;
		if (ret)
			data_piece_destroy(piece);
		else
			ret = data_queue_submit(pass->queue, &piece->item);
	}
	return ret;
}

static void start_rows(struct data_pass *pass)
{
	const bool can = row_scan_can(pass->map);

	pass->rows = (struct row_scan){
		.run = pass->run,
		.queue = pass->queue,
		.map = can ? pass->map : NULL,
		/* what a log tree leads to is but a part of what a row holds */
		.check_parity = !pass->log,
	};
	/* in mixed groups trees share the rows */
	pass->stream->trees = can;
	if (btrfs_is_raid56(pass->map) && !can)
		pass->run->report->parity_skipped = true;
}

static int scan_chunk(struct data_pass *pass)
{
	struct data_range range;
	int ret, submitted;

	start_rows(pass);
	ret = data_stream_seek(pass->stream, pass->map->start, pass->map->start + pass->map->length);
	while (!ret) {
		ret = scrub_stopped(pass->run);
		if (!ret)
			ret = data_stream_next(pass->stream, &range);
		if (!ret)
			ret = add_range(pass, &range);
	}
	submitted = submit_open(pass);
	if (ret < 0)
		row_scan_abort(&pass->rows);
	else if (!submitted)
		submitted = row_scan_finish(&pass->rows);
	return ret < 0 ? ret : submitted;
}

static int verify_chunk(struct data_pass *pass)
{
	const int copies = btrfs_chunk_copies(pass->map);
	const bool one_by_one = pass->map->type & BTRFS_BLOCK_GROUP_DUP;
	int ret = 0;

	pass->open = calloc(pass->map->num_stripes, sizeof(*pass->open));
	if (!pass->open)
		return -ENOMEM;
	pass->first_copy = 0;
	pass->end_copy = one_by_one ? 1 : copies;
	while (!ret && pass->first_copy < copies) {
		ret = scan_chunk(pass);
		pass->first_copy = pass->end_copy;
		pass->end_copy = MIN(pass->end_copy + 1, copies);
	}
	free(pass->open);
	return ret;
}

static int compare_chunks(const void *a, const void *b)
{
	const struct btrfs_chunk_map *x = *(const struct btrfs_chunk_map *const *)a;
	const struct btrfs_chunk_map *y = *(const struct btrfs_chunk_map *const *)b;

	if (x->stripes[0].physical != y->stripes[0].physical)
		return x->stripes[0].physical < y->stripes[0].physical ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

/* Chunks in the order of their first stripe: most often that of all devices. */
static int verify_chunks(struct data_pass *pass)
{
	const struct btrfs_chunk_table *table = &pass->run->image->chunks;
	const struct btrfs_chunk_map **maps = calloc(table->nr + 1, sizeof(*maps));
	size_t i;
	int ret = 0;

	if (!maps)
		return -ENOMEM;
	if (table->nr)
		memcpy(maps, table->maps, table->nr * sizeof(*maps));
	qsort(maps, table->nr, sizeof(*maps), compare_chunks);
	for (i = 0; i < table->nr && !ret; i++) {
		pass->map = maps[i];
		if (!is_data(maps[i]))
			continue;
		ret = verify_chunk(pass);
	}
	free(maps);
	return ret;
}

/* Where trees are not walked, nobody else says that a part of the checksums is lost. */
static void report_lost_csums(struct scrub *run, const char *text)
{
	struct scrub_finding finding = scrub_new_finding(SCRUB_TREE_BLOCK);

	scrub_add_note(run->report, "%s: the data it covers could not be verified", text);
	if (run->options->parts != SCRUB_DATA_ONLY)
		return;
	finding.tree = BTRFS_CSUM_TREE_OBJECTID;
	scrub_finding_text(&finding, "%s", text);
	scrub_add_finding(run->report, &finding);
	run->report->elsewhere.verify_errors++;
	run->report->elsewhere.uncorrectable_errors++;
}

static int run_pass(struct scrub *run, struct data_queue *queue, const struct btrfs_tree_root *sums,
		    const struct btrfs_tree_root *extents)
{
	struct data_stream stream;
	struct data_pass pass = {
		.run = run,
		.queue = queue,
		.stream = &stream,
		.log = sums && sums->objectid == BTRFS_TREE_LOG_OBJECTID,
	};
	int ret = data_stream_init(&stream, run->image, sums, extents);

	if (!ret)
		ret = verify_chunks(&pass);
	if (!pass.log && stream.has_sums && stream.sums.cursor.skipped_blocks)
		report_lost_csums(run, "a part of the csum tree is lost");
	data_stream_release(&stream);
	return ret;
}

struct log_pass {
	struct scrub *run;
	struct data_queue *queue;
};

static int verify_log(void *arg, const struct btrfs_tree_root *root)
{
	const struct log_pass *pass = arg;

	return run_pass(pass->run, pass->queue, root, NULL);
}

/* Data written after the last commit: its checksums are in the log trees only. */
static int verify_logs(struct scrub *run, struct data_queue *queue)
{
	struct log_pass pass = { .run = run, .queue = queue };
	struct btrfs_tree_root log_root;

	if (!btrfs_log_tree_root(run->image, &log_root))
		return 0;
	return btrfs_each_root(run->image, &log_root, verify_log, &pass);
}

static int verify_all(struct scrub *run, struct data_queue *queue)
{
	struct btrfs_tree_root sums, extents;
	const int no_sums = btrfs_find_root(run->image, BTRFS_CSUM_TREE_OBJECTID, &sums);
	const int no_extents = btrfs_find_root(run->image, BTRFS_EXTENT_TREE_OBJECTID, &extents);
	int ret;

	if (no_sums == -ENOMEM || no_extents == -ENOMEM)
		return -ENOMEM;
	if (no_sums) {
		run->csum_tree_sound = false;
		report_lost_csums(run, "the csum tree is lost");
	}
	ret = run_pass(run, queue, no_sums ? NULL : &sums, no_extents ? NULL : &extents);
	if (!ret)
		ret = verify_logs(run, queue);
	return ret;
}

int scrub_data(struct scrub *run)
{
	struct data_queue *queue;
	int ret, drained;

	if (run->image->features.metadump)
		return 0;
	ret = data_queue_create(&queue, run);
	if (ret)
		return ret;
	ret = verify_all(run, queue);
	/* what was read is reported also when the run is stopped */
	drained = ret && ret != -EINTR ? 0 : data_queue_drain(queue);
	data_queue_destroy(queue);
	return drained ? drained : ret;
}
