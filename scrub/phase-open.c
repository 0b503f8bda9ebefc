// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opens the devices, and turns what was found on the way (superblocks, chunk items, device items)
 * into findings of the report.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scrub/run.h"

/* Findings of the open come before there is a report of devices: they are kept. */
struct kept_finding {
	struct btrfs_finding finding;
	char text[200];
};

struct kept_findings {
	struct kept_finding *list;
	size_t nr;
	size_t capacity;
	bool no_memory;
};

static void keep_finding(void *arg, const struct btrfs_finding *finding)
{
	struct kept_findings *kept = arg;
	struct kept_finding *to;

	if (kept->nr == kept->capacity) {
		const size_t more = kept->capacity ? kept->capacity * 2 : 16;
		struct kept_finding *grown = reallocarray(kept->list, more, sizeof(*grown));

		if (!grown) {
			kept->no_memory = true;
			return;
		}
		kept->list = grown;
		kept->capacity = more;
	}
	to = &kept->list[kept->nr++];
	to->finding = *finding;
	strncpy(to->text, finding->text, sizeof(to->text) - 1);
	to->text[sizeof(to->text) - 1] = 0;
}

/* An item of the chunk tree is bad: it is bad in every copy. */
static void count_bad_item(struct scrub_counters *counters)
{
	counters->items_bad++;
	counters->verify_errors++;
	counters->uncorrectable_errors++;
}

static void add_open_finding(struct scrub_report *report, const struct kept_finding *kept)
{
	const struct btrfs_finding *from = &kept->finding;
	struct scrub_counters *counters = scrub_device_counters(report, from->devid);
	struct scrub_finding finding = scrub_new_finding(SCRUB_SUPER);

	finding.devid = from->devid;
	finding.physical = from->physical;
	finding.logical = from->logical;
	scrub_finding_text(&finding, "%s", kept->text);
	switch (from->kind) {
	case BTRFS_FINDING_SUPER:
		/* a device that could be opened has a good copy */
		counters->super_errors++;
		finding.correctable = true;
		break;
	case BTRFS_FINDING_STALE_DEVICE:
		counters->stale_devices++;
		finding.correctable = true;
		break;
	case BTRFS_FINDING_CHUNK:
	case BTRFS_FINDING_DEVICE:
		finding.kind = SCRUB_CHUNK;
		finding.tree = BTRFS_CHUNK_TREE_OBJECTID;
		count_bad_item(counters);
		break;
	default:
		if (from->devid == BTRFS_FINDING_NO_DEVICE)
			scrub_add_note(report, "%s", kept->text);
		else
			scrub_add_note(report, "device %llu: %s", (unsigned long long)from->devid,
				       kept->text);
		return;
	}
	scrub_add_finding(report, &finding);
}

static void note_flags(struct scrub *run)
{
	const struct btrfs_feature_verdict *features = &run->image->features;

	if (features->metadump)
		scrub_add_note(run->report,
			       "this is a metadata dump: file data is absent and was not verified");
	if (features->had_error)
		scrub_add_note(run->report, "the kernel marked this filesystem as having met an error");
}

/* What all copies hold if everything that is used is spread evenly: good enough for the first minute. */
static u64 estimate_bytes(const struct btrfs_image *image)
{
	const double used = (double)le64_to_cpu(image->super.bytes_used);
	double logical = 0, raw = 0;
	size_t i;

	for (i = 0; i < image->chunks.nr; i++) {
		logical += (double)image->chunks.maps[i]->length;
		raw += (double)image->chunks.maps[i]->length * btrfs_chunk_copies(image->chunks.maps[i]);
	}
	if (logical <= 0 || used > logical)
		return 0;
	return (u64)(used * (raw / logical));
}

int scrub_open(struct scrub *run)
{
	struct kept_findings kept = { 0 };
	const struct btrfs_open_options options = {
		.direct = run->options->direct,
		.degraded = run->options->degraded,
		.allow_busy = run->options->force,
		.held = run->options->held,
		.findings = { .report = keep_finding, .arg = &kept },
	};
	size_t i;
	int ret;

	ret = btrfs_image_open(&run->image, run->options->paths, run->options->nr_paths, &options);
	if (!ret && kept.no_memory)
		ret = -ENOMEM;
	if (!ret)
		ret = scrub_report_image(run->report, run->image);
	if (!ret)
		ret = scrub_accounting_init(&run->accounting, run->image);
	for (i = 0; i < kept.nr && !ret; i++)
		add_open_finding(run->report, &kept.list[i]);
	free(kept.list);
	if (ret)
		return ret;
	note_flags(run);
	run->bytes_total = estimate_bytes(run->image);
	return 0;
}
