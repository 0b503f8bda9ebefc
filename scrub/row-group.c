// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Groups of rows, the main thread's part: see row-group.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/checked.h"
#include "scrub/row-group.h"

#define ELEMENT		((u32)BTRFS_STRIPE_LEN)
#define NR_SCRATCH	4

static unsigned prepare_group(struct queue_item *item, struct scrub *run);
static int report_group(struct queue_item *item, struct scrub *run);
static void destroy_group(struct queue_item *item);

static const struct queue_item_ops group_ops = {
	.prepare = prepare_group,
	.report = report_group,
	.destroy = destroy_group,
};

static struct row_group *group_of(struct queue_item *item)
{
	return (struct row_group *)((char *)item - offsetof(struct row_group, item));
}

/* As many rows as the buffers of one item hold. */
static u32 rows_that_fit(u16 num_stripes)
{
	u32 nr = ROW_GROUP_MAX_ROWS;

	while (nr > 1 && (u64)nr * num_stripes * ELEMENT > (u64)QUEUE_ITEM_BUFFERS * QUEUE_BUFFER_BYTES)
		nr /= 2;
	return nr;
}

static bool allocate(struct row_group *group)
{
	const size_t cells = (size_t)group->nr_rows * group->map->num_stripes * group->sectors;

	group->stripes = calloc(group->map->num_stripes, sizeof(*group->stripes));
	group->requests = calloc(group->map->num_stripes, sizeof(*group->requests));
	group->use = calloc(cells, 1);
	group->fates = calloc(cells, 1);
	group->sums = malloc(cells * group->image->check.csum_size);
	group->scratch = btrfs_block_buffer((size_t)NR_SCRATCH * ELEMENT);
	return group->stripes && group->requests && group->use && group->fates && group->sums && group->scratch;
}

struct row_group *row_group_create(const struct btrfs_image *image, const struct btrfs_chunk_map *map, u64 row)
{
	struct row_group *group = calloc(1, sizeof(*group));
	u16 i;

	if (!group)
		return NULL;
	group->image = image;
	group->map = map;
	group->nr_rows = rows_that_fit(map->num_stripes);
	group->first_row = row - row % group->nr_rows;
	group->from = group->nr_rows;
	group->sectors = ELEMENT / image->check.sectorsize;
	group->nr_data = btrfs_raid56_data(map);
	group->nr_parity = btrfs_raid_attr(map->type)->nparity;
	if (!allocate(group)) {
		row_group_destroy(group);
		return NULL;
	}
	for (i = 0; i < map->num_stripes; i++)
		group->stripes[i].device = btrfs_find_device(image, map->stripes[i].devid);
	group->item = (struct queue_item){
		.job.run = row_group_verify,
		.ops = &group_ops,
		.requests = group->requests,
		.nr_buffers = (map->num_stripes * group->nr_rows * ELEMENT + QUEUE_BUFFER_BYTES - 1) /
			      QUEUE_BUFFER_BYTES,
	};
	return group;
}

void row_group_destroy(struct row_group *group)
{
	if (!group)
		return;
	free(group->faults);
	free(group->scratch);
	free(group->sums);
	free(group->fates);
	free(group->use);
	free(group->requests);
	free(group->stripes);
	free(group);
}

static void destroy_group(struct queue_item *item)
{
	row_group_destroy(group_of(item));
}

u64 row_group_end(const struct row_group *group)
{
	return group->map->start + (group->first_row + group->nr_rows) * btrfs_raid56_row_bytes(group->map);
}

void row_group_mark(struct row_group *group, u64 logical, u64 nr, enum row_use use, const u8 *sums)
{
	const u32 sectorsize = group->image->check.sectorsize, csum_size = group->image->check.csum_size;
	const u64 offset = logical - group->map->start - group->first_row * btrfs_raid56_row_bytes(group->map);
	const u64 first = offset / sectorsize;
	u64 i;

	for (i = first; i < first + nr; i++) {
		const u64 element = i / group->sectors;
		const u32 row = (u32)(element / group->nr_data);
		const size_t cell = row_cell(group, row, (u16)(element % group->nr_data), (u32)(i % group->sectors));

		group->use[cell] = (u8)use;
		if (use == ROW_TREE_START)
			use = ROW_TREE;
		if (sums)
			memcpy(group->sums + cell * csum_size, sums + (i - first) * csum_size, csum_size);
		group->from = MIN(group->from, row);
		group->to = MAX(group->to, row + 1);
	}
}

/* ---- reads ---- */

/* Elements follow each other in memory as they do on their device; several stripes may share a buffer. */
static void place_memory(struct row_group *group)
{
	const u32 bytes = group->nr_rows * ELEMENT, per_buffer = QUEUE_BUFFER_BYTES / bytes;
	u16 i;

	for (i = 0; i < group->map->num_stripes; i++)
		group->stripes[i].memory = group->item.buffers[i / per_buffer] + (size_t)(i % per_buffer) * bytes;
}

static unsigned prepare_group(struct queue_item *item, struct scrub *run)
{
	struct row_group *group = group_of(item);
	const u64 start = (group->first_row + group->from) * ELEMENT;
	/* the last row of a chunk of one data column may be short */
	const u64 end = MIN((group->first_row + group->to) * ELEMENT, group->map->stripe_size);
	unsigned nr = 0;
	u16 i;

	place_memory(group);
	for (i = 0; i < group->map->num_stripes; i++) {
		struct row_stripe *stripe = &group->stripes[i];
		const u64 physical = group->map->stripes[i].physical + start;

		/* what is beyond the device's end, or where direct I/O cannot read, the worker tries by sectors */
		if (!stripe->device || range_exceeds(physical, end - start, stripe->device->io->size) ||
		    !IS_ALIGNED(physical | (end - start), SZ_4K))
			continue;
		stripe->iov = (struct iovec){ stripe->memory + (size_t)group->from * ELEMENT, end - start };
		stripe->request = &group->requests[nr++];
		*stripe->request = (struct io_request){
			.op = IO_READ,
			.fd = stripe->device->io->fd,
			.device = (unsigned)(stripe->device - run->image->devices),
			.offset = stripe->device->io->base + physical,
			.iov = &stripe->iov,
			.nr_iov = 1,
		};
	}
	return nr;
}

/* ---- report ---- */

static void report_missing(struct scrub *run, const struct row_fault *fault, u64 devid)
{
	struct scrub_counters *counters = scrub_device_counters(run->report, devid);
	struct scrub_finding finding = scrub_new_finding(SCRUB_READ);

	counters->missing_copies += fault->run.nr_sectors;
	if (fault->run.correctable)
		return;
	counters->uncorrectable_errors += fault->run.nr_sectors;
	finding.logical = fault->run.logical;
	finding.length = (u64)fault->run.nr_sectors * run->image->check.sectorsize;
	finding.devid = devid;
	scrub_finding_text(&finding, "device %llu is missing, and the others do not give the data back",
			   (unsigned long long)devid);
	scrub_add_finding(run->report, &finding);
}

static void report_parity(struct scrub *run, const struct row_group *group, const struct row_fault *fault, u64 devid)
{
	struct scrub_counters *counters = scrub_device_counters(run->report, devid);
	struct scrub_finding finding = scrub_new_finding(SCRUB_PARITY);
	const bool is_q = fault->column > group->nr_data;
	const u32 nr = fault->run.nr_sectors;

	finding.correctable = fault->fate == ROW_PARITY;
	finding.logical = fault->run.logical;
	finding.length = (u64)nr * run->image->check.sectorsize;
	finding.devid = devid;
	finding.physical = fault->run.physical;
	finding.of_metadata = !(group->map->type & BTRFS_BLOCK_GROUP_DATA);
	if (fault->fate == ROW_PARITY) {
		*(is_q ? &counters->parity_errors_q : &counters->parity_errors_p) += nr;
		counters->correctable_errors += nr;
		scrub_finding_text(&finding, "parity %s does not match, the data is good", is_q ? "Q" : "P");
	} else {
		counters->parity_unverifiable += nr;
		scrub_finding_text(&finding,
				   "parity %s does not match; it, or data without a checksum in this row, is wrong",
				   is_q ? "Q" : "P");
	}
	scrub_add_finding(run->report, &finding);
}

static void report_fault(struct scrub *run, const struct row_group *group, const struct row_fault *fault)
{
	const u64 devid = group->map->stripes[fault->stripe].devid;
	struct scrub_counters *counters = scrub_device_counters(run->report, devid);

	switch (fault->fate) {
	case ROW_BAD:
		counters->csum_errors += fault->run.nr_sectors;
		scrub_report_bad_run(run, devid, 0, &fault->run);
		break;
	case ROW_UNREADABLE:
		counters->read_errors += fault->run.nr_sectors;
		scrub_report_bad_run(run, devid, fault->column < group->nr_data ? 0 : -1, &fault->run);
		break;
	case ROW_MISSING:
		report_missing(run, fault, devid);
		break;
	case ROW_DOUBTFUL:
		scrub_doubtful_parity(run, devid, &fault->run);
		break;
	default:
		report_parity(run, group, fault, devid);
		break;
	}
}

/* Checksummed sectors that a stripe holds. */
static u64 summed_sectors(const struct row_group *group, u16 stripe)
{
	u64 nr = 0;
	u32 row, sector;

	for (row = group->from; row < group->to; row++) {
		const u16 column = btrfs_raid56_column(group->map, group->first_row + row, stripe);

		for (sector = 0; sector < group->sectors; sector++)
			nr += group->use[row_cell(group, row, column, sector)] == ROW_SUMMED;
	}
	return nr;
}

static void report_stripe(struct scrub *run, const struct row_group *group, u16 index)
{
	const struct row_stripe *stripe = &group->stripes[index];
	const u64 devid = group->map->stripes[index].devid;
	const u64 physical = group->map->stripes[index].physical;
	struct scrub_counters *counters = scrub_device_counters(run->report, devid);
	const u64 bytes = summed_sectors(group, index) * run->image->check.sectorsize;

	if (!stripe->device)
		return;
	counters->data_bytes_scrubbed += bytes;
	if (bytes)
		counters->last_physical = MAX(counters->last_physical,
					      physical + (group->first_row + group->to) * ELEMENT);
	scrub_tick(run, bytes);
	if (!stripe->read_again)
		return;
	counters->unverified_errors++;
	scrub_add_note(run->report, "device %llu: a read at physical %llu failed, and worked when tried again",
		       (unsigned long long)devid,
		       (unsigned long long)(physical + (group->first_row + group->from) * ELEMENT));
}

static int report_group(struct queue_item *item, struct scrub *run)
{
	const struct row_group *group = group_of(item);
	u32 i;

	for (i = 0; i < group->map->num_stripes; i++)
		report_stripe(run, group, (u16)i);
	for (i = 0; i < group->nr_faults; i++)
		report_fault(run, group, &group->faults[i]);
	return group->error;
}
