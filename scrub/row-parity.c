// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One slice of a row, of which something is wrong: what can be computed from the rest, and is it data or
 * parity that is bad? See row-group.h.
 *
 * What is computed counts as good only when its checksum says so. Parity is judged only against data that
 * is known: nothing of the slice may be lost for good.
 */
#include <string.h>

#include "kernel-shared/disk-io.h"
#include "scrub/row-group.h"

struct slice {
	struct row_group *group;
	u32 row;
	u32 sector;
	struct btrfs_raid56_row columns;	/* what was computed is in the scratch memory */
	u16 lost[2];
	unsigned nr_lost;			/* may be more than there is room for */
	bool guessed;				/* something without a checksum was computed */
};

static u8 *scratch(const struct slice *slice, unsigned nr)
{
	return slice->group->scratch + (size_t)nr * BTRFS_STRIPE_LEN;
}

static size_t cell_of(const struct slice *slice, u16 column)
{
	return row_cell(slice->group, slice->row, column, slice->sector);
}

static enum row_use use_of(const struct slice *slice, u16 column)
{
	return column < slice->group->nr_data ? slice->group->use[cell_of(slice, column)] : ROW_FREE;
}

static void collect(struct slice *slice)
{
	const struct row_group *group = slice->group;
	u16 column;

	slice->columns.nr_data = group->nr_data;
	slice->columns.nr_parity = group->nr_parity;
	slice->columns.len = group->image->check.sectorsize;
	for (column = 0; column < group->map->num_stripes; column++) {
		slice->columns.columns[column] = row_memory(group, slice->row, column, slice->sector);
		if (!(group->fates[cell_of(slice, column)] & ROW_LOST))
			continue;
		if (slice->nr_lost < 2)
			slice->lost[slice->nr_lost] = column;
		slice->nr_lost++;
	}
}

static bool has_good_sum(const struct slice *slice, u16 column)
{
	const struct btrfs_image *image = slice->group->image;
	const u8 *want = slice->group->sums + cell_of(slice, column) * image->check.csum_size;
	u8 got[CSUM_MAX_SIZE];

	image->csum->digest(slice->columns.columns[column], image->check.sectorsize, got);
	return !memcmp(got, want, image->check.csum_size);
}

/* Computes the data in @lost. True if every checksum agrees; then the slice holds what was computed. */
static bool try_rebuild(struct slice *slice, const u16 *lost, unsigned nr_lost)
{
	struct btrfs_raid56_row before = slice->columns;
	unsigned i;

	for (i = 0; i < nr_lost; i++) {
		if (lost[i] < before.nr_data)
			slice->columns.columns[lost[i]] = scratch(slice, 2 + i);
	}
	btrfs_raid56_rebuild(&slice->columns, lost, nr_lost);
	for (i = 0; i < nr_lost; i++) {
		if (use_of(slice, lost[i]) == ROW_SUMMED && !has_good_sum(slice, lost[i])) {
			slice->columns = before;
			return false;
		}
	}
	return true;
}

/* One lost column of data, and parity to spare: some other column may be wrong without anybody knowing. */
static bool rebuild_one_of_two(struct slice *slice)
{
	const u16 nr_data = slice->columns.nr_data, nr_parity = slice->columns.nr_parity;
	const unsigned ways = btrfs_raid56_nr_ways(nr_data, nr_parity);
	unsigned way;

	for (way = 0; way < ways; way++) {
		u16 lost[2];
		const unsigned nr = btrfs_raid56_way(nr_data, nr_parity, slice->lost[0], way, lost);

		/* what has a good checksum is not that other one */
		if (use_of(slice, lost[1]) == ROW_SUMMED)
			continue;
		if (try_rebuild(slice, lost, nr))
			return true;
	}
	return false;
}

static bool rebuild(struct slice *slice)
{
	const struct row_group *group = slice->group;
	unsigned i;
	bool done;

	if (slice->nr_lost > group->nr_parity)
		return false;
	if (slice->nr_lost < group->nr_parity && slice->lost[0] < group->nr_data)
		done = rebuild_one_of_two(slice);
	else
		done = try_rebuild(slice, slice->lost, slice->nr_lost);
	for (i = 0; i < slice->nr_lost && done; i++) {
		slice->group->fates[cell_of(slice, slice->lost[i])] |= ROW_REBUILT;
		if (slice->lost[i] < group->nr_data && use_of(slice, slice->lost[i]) != ROW_SUMMED)
			slice->guessed = true;
	}
	return done;
}

/* ---- parity ---- */

/* The block that this sector belongs to, if it lies in this stripe element as a whole. */
static const u8 *tree_block_at(const struct slice *slice, u16 column, u64 *bytenr)
{
	const struct row_group *group = slice->group;
	const u32 sectorsize = group->image->check.sectorsize;
	const u8 *use = group->use + row_cell(group, slice->row, column, 0);
	u32 first = slice->sector;

	while (first && use[first] != ROW_TREE_START)
		first--;
	if (use[first] != ROW_TREE_START || first * sectorsize + group->image->check.nodesize > BTRFS_STRIPE_LEN)
		return NULL;
	*bytenr = group->map->start + (group->first_row + slice->row) * btrfs_raid56_row_bytes(group->map) +
		  column * BTRFS_STRIPE_LEN + (u64)first * sectorsize;
	return row_memory(group, slice->row, column, first);
}

static bool tree_block_is_good(const struct slice *slice, u16 column)
{
	const struct btrfs_image *image = slice->group->image;
	struct btrfs_block_ref ref = { .level = -1, .slot = -1 };
	struct btrfs_reason reason;
	const u8 *block = tree_block_at(slice, column, &ref.bytenr);

	return block && !btrfs_check_identity(image, &ref, block, &reason);
}

/* What parity is to be held against. */
enum data_state {
	DATA_UNKNOWN,		/* nothing that is certain to have been written */
	DATA_PARTLY_KNOWN,	/* some of it has no checksum */
	DATA_KNOWN,
	DATA_LOST,		/* a tree block is bad, which walking the trees reports */
};

static enum data_state judge_data(const struct slice *slice)
{
	bool known = false, unsummed = slice->guessed;
	u16 column;

	for (column = 0; column < slice->group->nr_data; column++) {
		switch (use_of(slice, column)) {
		case ROW_SUMMED:
			known = true;
			break;
		case ROW_UNSUMMED:
			unsummed = true;
			break;
		case ROW_TREE_START:
		case ROW_TREE:
			if (!(slice->group->fates[cell_of(slice, column)] & ROW_LOST) &&
			    !tree_block_is_good(slice, column))
				return DATA_LOST;
			known = true;
			break;
		case ROW_FREE:
			break;
		}
	}
	if (!known)
		return DATA_UNKNOWN;
	return unsummed ? DATA_PARTLY_KNOWN : DATA_KNOWN;
}

/* Bits: which of P and Q, as they were read, differ from what the data says. */
static unsigned compare_parity(const struct slice *slice)
{
	struct btrfs_raid56_row computed = slice->columns;
	unsigned i, differ = 0;

	for (i = 0; i < computed.nr_parity; i++)
		computed.columns[computed.nr_data + i] = scratch(slice, i);
	btrfs_raid56_generate(&computed);
	for (i = 0; i < computed.nr_parity; i++) {
		const u16 column = (u16)(computed.nr_data + i);

		if (!(slice->group->fates[cell_of(slice, column)] & ROW_LOST) &&
		    memcmp(scratch(slice, i), slice->columns.columns[column], computed.len))
			differ |= 1u << i;
	}
	return differ;
}

static u8 parity_fate(const struct slice *slice, unsigned differ)
{
	switch (judge_data(slice)) {
	case DATA_KNOWN:
		return ROW_PARITY;
	case DATA_PARTLY_KNOWN:
		/* of data that is wrong neither P nor Q would match */
		if (slice->group->nr_parity == 2 && !slice->nr_lost && differ != 3)
			return ROW_PARITY;
		return ROW_UNVERIFIABLE;
	case DATA_UNKNOWN:
		return ROW_DOUBTFUL;
	case DATA_LOST:
		break;
	}
	return 0;
}

void row_judge_slice(struct row_group *group, u32 row, u32 sector)
{
	struct slice slice = { .group = group, .row = row, .sector = sector };
	unsigned i, differ;
	u8 fate;

	collect(&slice);
	if ((slice.nr_lost && !rebuild(&slice)) || !group->check_parity)
		return;
	differ = compare_parity(&slice);
	if (!differ)
		return;
	fate = parity_fate(&slice, differ);
	for (i = 0; i < group->nr_parity; i++) {
		if (differ >> i & 1)
			group->fates[cell_of(&slice, (u16)(group->nr_data + i))] |= fate;
	}
}
