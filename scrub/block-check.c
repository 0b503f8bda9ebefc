// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Verdicts on tree blocks: see block-check.h.
 */
#include "scrub/block-check.h"

static bool is_bad(const struct btrfs_copy_result *result)
{
	return result->status != BTRFS_COPY_GOOD && result->status != BTRFS_COPY_MISSING;
}

static void count_bad_copy(struct scrub *run, const struct btrfs_copy_result *result, bool correctable)
{
	struct scrub_counters *counters = scrub_device_counters(run->report, result->place.devid);
	const u32 sectors = scrub_sectors_per_node(run);

	if (result->status == BTRFS_COPY_UNREADABLE)
		counters->read_errors += sectors;
	else if (result->status == BTRFS_COPY_BAD && result->fault == BTRFS_BLOCK_BAD_CSUM)
		counters->csum_errors += sectors;
	else
		counters->verify_errors += sectors;
	if (correctable)
		counters->correctable_errors += sectors;
	else
		counters->uncorrectable_errors += sectors;
}

static void report_bad_copy(struct scrub *run, const struct block_copies *copies, int copy)
{
	const struct btrfs_copy_result *result = &copies->result[copy];
	const struct btrfs_block_ref *ref = &copies->ref;
	struct scrub_finding finding = scrub_new_finding(SCRUB_TREE_BLOCK);

	finding.correctable = copies->good >= 0;
	finding.logical = ref->bytenr;
	finding.length = run->image->check.nodesize;
	if (result->status != BTRFS_COPY_UNMAPPED) {
		finding.devid = result->place.devid;
		finding.physical = result->place.physical;
		finding.copy = copy;
	}
	finding.tree = ref->tree;
	finding.level = ref->level;
	finding.has_key = ref->has_first_key;
	finding.key = ref->first_key;
	finding.has_limit = ref->has_limit;
	finding.limit = ref->limit;
	scrub_finding_text(&finding, "%s", result->reason.text);
	count_bad_copy(run, result, finding.correctable);
	scrub_add_finding(run->report, &finding);
}

static void count_read(struct scrub *run, const struct btrfs_copy_result *result)
{
	struct scrub_counters *counters = scrub_device_counters(run->report, result->place.devid);
	const u32 nodesize = run->image->check.nodesize;

	if (result->status == BTRFS_COPY_MISSING) {
		counters->missing_copies += scrub_sectors_per_node(run);
		return;
	}
	if (result->status == BTRFS_COPY_UNMAPPED)
		return;
	counters->tree_extents_scrubbed++;
	counters->tree_bytes_scrubbed += nodesize;
	counters->last_physical = MAX(counters->last_physical, result->place.physical + nodesize);
	scrub_tick(run, nodesize);
}

int scrub_judge_block(struct scrub *run, const struct block_copies *copies, bool again)
{
	int copy, nr_bad = 0;

	for (copy = 0; copy < copies->nr; copy++) {
		const struct btrfs_copy_result *result = &copies->result[copy];

		if (!again)
			count_read(run, result);
		/* one on a missing device is a loss only where no other is left */
		if (is_bad(result) || (result->status == BTRFS_COPY_MISSING && copies->good < 0)) {
			report_bad_copy(run, copies, copy);
			nr_bad++;
		}
	}
	if (nr_bad)
		run->report->elsewhere.tree_blocks_bad++;
	if (copies->good < 0)
		scrub_tree_damaged(run, copies->ref.tree);
	return nr_bad;
}
