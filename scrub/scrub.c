// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The list of phases of a scrub, and what happens around it.
 */
#include <errno.h>
#include <string.h>

#include "scrub/run.h"

#define TICK_NS		((u64)200 * 1000 * 1000)

struct phase {
	const char *name;
	int (*run)(struct scrub *run);
	bool metadata;		/* left out by SCRUB_DATA_ONLY */
	bool data;		/* left out by SCRUB_METADATA_ONLY */
};

static const struct phase phases[] = {
	{ "superblocks", scrub_open, false, false },
	{ "trees", scrub_metadata, true, false },
	{ "extents", scrub_extents, true, false },
	{ "data", scrub_data, false, true },
	{ "parity", scrub_tree_parity, true, false },
	{ "accounting", scrub_check_accounting, true, false },
	{ "paths", scrub_name_files, false, false },
};

static u64 elapsed_ns(const struct scrub *run)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)(now.tv_sec - run->started.tv_sec) * 1000000000ULL + (u64)now.tv_nsec -
	       (u64)run->started.tv_nsec;
}

int scrub_stopped(const struct scrub *run)
{
	return run->options->stop && *run->options->stop ? -EINTR : 0;
}

static void show_progress(const struct scrub *run, u64 now, bool last)
{
	const struct scrub_progress progress = {
		.phase = run->phase,
		.bytes_done = run->bytes_done,
		.bytes_total = MAX(run->bytes_total, run->bytes_done),
		.seconds = (double)now / 1e9,
		.last = last,
	};

	if (run->options->progress)
		run->options->progress(run->options->progress_arg, &progress);
}

void scrub_tick(struct scrub *run, u64 bytes)
{
	u64 now;

	run->bytes_done += bytes;
	if (!run->options->progress)
		return;
	now = elapsed_ns(run);
	if (now < run->next_tick_ns)
		return;
	run->next_tick_ns = now + TICK_NS;
	show_progress(run, now, false);
}

void scrub_tree_damaged(struct scrub *run, u64 tree)
{
	switch (tree) {
	case BTRFS_ROOT_TREE_OBJECTID:
	case BTRFS_EXTENT_TREE_OBJECTID:
		run->extent_tree_sound = false;
		run->block_groups_sound = false;
		break;
	case BTRFS_BLOCK_GROUP_TREE_OBJECTID:
		run->block_groups_sound = false;
		break;
	case BTRFS_CSUM_TREE_OBJECTID:
		run->csum_tree_sound = false;
		break;
	case BTRFS_DEV_TREE_OBJECTID:
		run->dev_tree_sound = false;
		break;
	}
}

static bool left_out(const struct scrub *run, const struct phase *phase)
{
	switch (run->options->parts) {
	case SCRUB_METADATA_ONLY:
		return phase->data;
	case SCRUB_DATA_ONLY:
		return phase->metadata;
	default:
		return false;
	}
}

static int run_phases(struct scrub *run)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(phases) && !ret; i++) {
		if (left_out(run, &phases[i]))
			continue;
		run->phase = phases[i].name;
		ret = phases[i].run(run);
		if (!ret)
			ret = scrub_stopped(run);
	}
	return ret;
}

int scrub_run(const struct scrub_options *options, struct scrub_report *report)
{
	struct scrub run = {
		.options = options,
		.report = report,
		.extent_tree_sound = true,
		.csum_tree_sound = true,
		.dev_tree_sound = true,
		.block_groups_sound = true,
	};
	int ret;

	memset(report, 0, sizeof(*report));
	report->max_findings = options->max_findings;
	clock_gettime(CLOCK_MONOTONIC, &run.started);
	ret = run_phases(&run);
	scrub_note_parity(&run);
	if (ret == -ENOMEM) {
		error("not enough memory to go on");
		report->elsewhere.malloc_errors++;
	}
	if (!ret)
		report->state = SCRUB_FINISHED;
	else if (ret == -EINTR)
		report->state = SCRUB_INTERRUPTED;
	if (run.image)
		show_progress(&run, elapsed_ns(&run), true);
	report->seconds = (double)elapsed_ns(&run) / 1e9;
	scrub_report_finish(report);
	seen_blocks_release(&run.seen);
	scrub_accounting_release(&run.accounting);
	btrfs_image_close(run.image);
	return ret == -EINTR ? 0 : ret;
}
