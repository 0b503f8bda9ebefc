// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a worker does with a group of rows: hash the data, compute parity, and where something does not
 * match have it judged slice by slice. See row-group.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scrub/row-group.h"

#define ELEMENT	((u32)BTRFS_STRIPE_LEN)

/* A bit for each sector that any data column uses. */
static u16 used_slices(const struct row_group *group, u32 row)
{
	u16 used = 0, column;
	u32 sector;

	for (column = 0; column < group->nr_data; column++) {
		for (sector = 0; sector < group->sectors; sector++) {
			if (group->use[row_cell(group, row, column, sector)] != ROW_FREE)
				used |= (u16)(1u << sector);
		}
	}
	return used;
}

static u64 physical_of(const struct row_group *group, u32 row, u16 stripe, u32 sector)
{
	return group->map->stripes[stripe].physical + (group->first_row + row) * ELEMENT +
	       (u64)sector * group->image->check.sectorsize;
}

/* The big read failed, or there was none: each sector that matters alone. */
static bool read_sectors(struct row_group *group, u32 row, u16 column, u16 used)
{
	const u16 index = row_stripe_of(group, row, column);
	bool all = true;
	u32 sector;

	for (sector = 0; sector < group->sectors; sector++) {
		const struct btrfs_place place = {
			.physical = physical_of(group, row, index, sector),
			.device = group->stripes[index].device,
		};
		int ret;

		if (!(used >> sector & 1))
			continue;
		ret = btrfs_read_place(&place, row_memory(group, row, column, sector), group->image->check.sectorsize);
		if (ret == -ENOMEM)
			group->error = ret;
		if (!ret)
			continue;
		group->stripes[index].error = ret;
		group->fates[row_cell(group, row, column, sector)] = place.device ? ROW_UNREADABLE : ROW_MISSING;
		all = false;
	}
	return all;
}

static bool was_read(const struct row_stripe *stripe)
{
	return stripe->request && !stripe->request->result;
}

/* Returns whether all that is used of the row is in memory. */
static bool complete_row(struct row_group *group, u32 row, u16 used)
{
	bool complete = true;
	u16 column;

	for (column = 0; column < group->map->num_stripes; column++) {
		struct row_stripe *stripe = &group->stripes[row_stripe_of(group, row, column)];

		if (!was_read(stripe) && !read_sectors(group, row, column, used)) {
			complete = false;
			stripe->read_again = false;
		}
	}
	return complete;
}

/* Hashes @nr sectors with checksums. Returns whether all match. */
static bool hash_run(struct row_group *group, u32 row, u16 column, u32 first, u32 nr)
{
	const u32 sectorsize = group->image->check.sectorsize, csum_size = group->image->check.csum_size;
	const size_t cell = row_cell(group, row, column, first);
	const u8 *want = group->sums + cell * csum_size;
	u8 got[ROW_MAX_SECTORS * CSUM_MAX_SIZE];
	bool good = true;
	u32 i;

	csum_blocks(group->image->csum, row_memory(group, row, column, first), sectorsize, nr, got);
	for (i = 0; i < nr; i++) {
		if (group->fates[cell + i] & ROW_LOST || !memcmp(got + i * csum_size, want + i * csum_size, csum_size))
			continue;
		group->fates[cell + i] |= ROW_BAD;
		good = false;
	}
	return good;
}

static bool hash_row(struct row_group *group, u32 row)
{
	bool good = true;
	u16 column;

	for (column = 0; column < group->nr_data; column++) {
		const u8 *use = group->use + row_cell(group, row, column, 0);
		u32 first = 0, end;

		while (first < group->sectors) {
			for (end = first; end < group->sectors && use[end] == ROW_SUMMED; end++)
				;
			if (end > first && !hash_run(group, row, column, first, end - first))
				good = false;
			first = end + 1;
		}
	}
	return good;
}

/* Parity of the whole row at once: it is right nearly always, also where nothing is used. */
static bool parity_matches(struct row_group *group, u32 row)
{
	struct btrfs_raid56_row whole = {
		.nr_data = group->nr_data, .nr_parity = group->nr_parity, .len = ELEMENT,
	};
	u16 i;

	for (i = 0; i < group->nr_data; i++)
		whole.columns[i] = row_memory(group, row, i, 0);
	for (i = 0; i < group->nr_parity; i++)
		whole.columns[group->nr_data + i] = group->scratch + (size_t)i * ELEMENT;
	btrfs_raid56_generate(&whole);
	for (i = 0; i < group->nr_parity; i++) {
		if (memcmp(whole.columns[group->nr_data + i], row_memory(group, row, (u16)(group->nr_data + i), 0),
			   ELEMENT))
			return false;
	}
	return true;
}

static void verify_row(struct row_group *group, u32 row)
{
	const u16 used = used_slices(group, row);
	bool complete, good;
	u32 sector;

	if (!used)
		return;
	complete = complete_row(group, row, used);
	good = hash_row(group, row);
	if (complete && good && (!group->check_parity || parity_matches(group, row)))
		return;
	for (sector = 0; sector < group->sectors; sector++) {
		if (used >> sector & 1)
			row_judge_slice(group, row, sector);
	}
}

/* ---- faults ---- */

static struct row_fault *new_fault(struct row_group *group)
{
	if (group->nr_faults == group->faults_capacity) {
		const u32 more = group->faults_capacity ? group->faults_capacity * 2 : 4;
		struct row_fault *grown = reallocarray(group->faults, more, sizeof(*grown));

		if (!grown) {
			group->error = -ENOMEM;
			return NULL;
		}
		group->faults = grown;
		group->faults_capacity = more;
	}
	return &group->faults[group->nr_faults++];
}

/* What of a cell's fate is to be reported: one thing, or 0. */
static u8 fault_of_cell(const struct row_group *group, u16 column, size_t cell)
{
	const u8 fate = group->fates[cell];
	const enum row_use use = group->use[cell];

	if (column >= group->nr_data)
		/* missing parity is no copy of anything */
		return fate & (group->check_parity ? ROW_UNREADABLE | ROW_PARITY | ROW_UNVERIFIABLE | ROW_DOUBTFUL : 0);
	if (use != ROW_SUMMED && use != ROW_UNSUMMED)
		return 0;	/* trees are verified by walking them */
	return fate & ROW_LOST;
}

static bool goes_on(const struct row_fault *fault, const struct row_fault *next, u32 sectorsize)
{
	return fault->fate == next->fate && fault->stripe == next->stripe && fault->column == next->column &&
	       fault->run.correctable == next->run.correctable && fault->run.error == next->run.error &&
	       fault->run.physical + (u64)fault->run.nr_sectors * sectorsize == next->run.physical;
}

static u64 logical_of(const struct row_group *group, u32 row, u16 column, u32 sector)
{
	const u64 start = group->map->start + (group->first_row + row) * btrfs_raid56_row_bytes(group->map);

	if (column >= group->nr_data)
		return start;
	return start + (u64)column * ELEMENT + (u64)sector * group->image->check.sectorsize;
}

/* What has no checksum can be computed, but nobody knows whether it is right. */
static bool is_correctable(const struct row_group *group, size_t cell)
{
	const u8 fate = group->fates[cell];

	return fate & ROW_REBUILT && !(group->use[cell] == ROW_UNSUMMED && fate & ROW_UNREADABLE);
}

static void add_fault(struct row_group *group, u32 row, u16 column, u32 sector)
{
	const u32 csum_size = group->image->check.csum_size;
	const size_t cell = row_cell(group, row, column, sector);
	const u16 stripe = row_stripe_of(group, row, column);
	struct row_fault *last = group->nr_faults ? &group->faults[group->nr_faults - 1] : NULL;
	struct row_fault next = {
		.fate = fault_of_cell(group, column, cell),
		.stripe = stripe,
		.column = column,
		.run = {
			.logical = logical_of(group, row, column, sector),
			.physical = physical_of(group, row, stripe, sector),
			.nr_sectors = 1,
			.correctable = is_correctable(group, cell),
		},
	};

	if (!next.fate)
		return;
	if (next.fate == ROW_UNREADABLE)
		next.run.error = group->stripes[stripe].error;
	/* a run ends with its row, since there the stripe's column changes */
	if (last && sector && goes_on(last, &next, group->image->check.sectorsize)) {
		last->run.nr_sectors++;
		return;
	}
	if (next.fate == ROW_BAD) {
		memcpy(next.run.want, group->sums + cell * csum_size, csum_size);
		group->image->csum->digest(row_memory(group, row, column, sector), group->image->check.sectorsize,
					   next.run.got);
	}
	last = new_fault(group);
	if (last)
		*last = next;
}

static void collect_faults(struct row_group *group)
{
	u32 row, sector;
	u16 stripe;

	for (stripe = 0; stripe < group->map->num_stripes; stripe++) {
		for (row = group->from; row < group->to; row++) {
			const u16 column = btrfs_raid56_column(group->map, group->first_row + row, stripe);

			for (sector = 0; sector < group->sectors; sector++)
				add_fault(group, row, column, sector);
		}
	}
}

void row_group_verify(struct worker_job *job, unsigned worker)
{
	struct row_group *group = (struct row_group *)((char *)job - offsetof(struct row_group, item.job));
	u16 i;
	u32 row;

	(void)worker;
	for (i = 0; i < group->map->num_stripes; i++)
		group->stripes[i].read_again = group->stripes[i].request && group->stripes[i].request->result;
	for (row = group->from; row < group->to; row++)
		verify_row(group, row);
	collect_faults(group);
}
