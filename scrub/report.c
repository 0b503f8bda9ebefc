// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Collects counters, findings and notes: see report.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scrub/report.h"

#define MAX_NOTES	100

static void report_supers(struct scrub_device_report *to, const struct btrfs_super_copies *supers)
{
	int mirror;

	for (mirror = 0; mirror < BTRFS_SUPER_MIRROR_MAX; mirror++) {
		const struct btrfs_super_copy *copy = &supers->copy[mirror];
		struct scrub_super_report *super = &to->supers[mirror];

		super->offset = btrfs_sb_offset(mirror);
		super->generation = copy->generation;
		if (copy->status == BTRFS_SUPER_ABSENT)
			super->status = "absent";
		else if (copy->status == BTRFS_SUPER_UNREADABLE)
			super->status = "unreadable";
		else
			super->status = copy->bad ? "bad" : "good";
	}
	to->nr_supers = BTRFS_SUPER_MIRROR_MAX;
}

static int report_device(struct scrub_device_report *to, const struct btrfs_device *device)
{
	to->devid = device->devid;
	memcpy(to->uuid, device->uuid, sizeof(to->uuid));
	to->size = device->io->size;
	to->generation = device->generation;
	to->stale = device->stale;
	report_supers(to, device->supers);
	to->path = strdup(device->io->path);
	return to->path ? 0 : -ENOMEM;
}

static int compare_devices(const void *a, const void *b)
{
	const struct scrub_device_report *x = a, *y = b;

	return (x->devid > y->devid) - (x->devid < y->devid);
}

static int report_devices(struct scrub_report *report, const struct btrfs_image *image)
{
	unsigned i;

	report->devices = calloc((size_t)image->nr_devices + image->nr_missing + 1, sizeof(*report->devices));
	if (!report->devices)
		return -ENOMEM;
	for (i = 0; i < image->nr_devices; i++) {
		report->nr_devices++;
		if (report_device(&report->devices[i], &image->devices[i]))
			return -ENOMEM;
	}
	for (i = 0; i < image->nr_missing; i++) {
		struct scrub_device_report *missing = &report->devices[report->nr_devices++];

		missing->devid = image->missing[i];
		missing->missing = true;
	}
	/* the order of the command line does not show */
	qsort(report->devices, report->nr_devices, sizeof(*report->devices), compare_devices);
	return 0;
}

int scrub_report_image(struct scrub_report *report, const struct btrfs_image *image)
{
	const struct btrfs_super_block *super = &image->super;

	memcpy(report->fsid, super->fsid, sizeof(report->fsid));
	memcpy(report->metadata_uuid, btrfs_super_metadata_uuid(super), sizeof(report->metadata_uuid));
	memcpy(report->label, super->label, BTRFS_LABEL_SIZE);
	report->generation = btrfs_image_generation(image);
	report->csum_name = image->csum->name;
	report->sectorsize = image->check.sectorsize;
	report->nodesize = image->check.nodesize;
	report->incompat = le64_to_cpu(super->incompat_flags);
	report->compat_ro = le64_to_cpu(super->compat_ro_flags);
	report->flags = le64_to_cpu(super->flags);
	report->metadump = image->features.metadump;
	return report_devices(report, image);
}

static struct scrub_device_report *find_device(const struct scrub_report *report, u64 devid)
{
	const struct scrub_device_report key = { .devid = devid };

	if (!report->nr_devices)
		return NULL;
	return bsearch(&key, report->devices, report->nr_devices, sizeof(key), compare_devices);
}

const struct scrub_device_report *scrub_find_device(const struct scrub_report *report, u64 devid)
{
	return find_device(report, devid);
}

struct scrub_counters *scrub_device_counters(struct scrub_report *report, u64 devid)
{
	struct scrub_device_report *device = find_device(report, devid);

	return device ? &device->stats : &report->elsewhere;
}

struct scrub_finding scrub_new_finding(enum scrub_kind kind)
{
	return (struct scrub_finding){
		.kind = kind,
		.logical = SCRUB_NONE,
		.devid = SCRUB_NONE,
		.physical = SCRUB_NONE,
		.copy = -1,
		.level = -1,
	};
}

void scrub_finding_text(struct scrub_finding *finding, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(finding->text, sizeof(finding->text), fmt, args);
	va_end(args);
}

/* Room for one more of @size bytes in *@array. False: no memory. */
static bool make_room(void **array, size_t nr, size_t *capacity, size_t size)
{
	const size_t more = *capacity ? *capacity * 2 : 16;
	void *grown;

	if (nr < *capacity)
		return true;
	grown = reallocarray(*array, more, size);
	if (!grown)
		return false;
	*array = grown;
	*capacity = more;
	return true;
}

void scrub_add_finding(struct scrub_report *report, const struct scrub_finding *finding)
{
	report->findings_total++;
	if (scrub_kind_is_data(finding->kind) && !finding->of_metadata)
		report->data_findings++;
	else
		report->metadata_findings++;
	if (!finding->correctable)
		report->uncorrectable_findings++;
	if (report->nr_findings >= report->max_findings)
		return;
	if (!make_room((void **)&report->findings, report->nr_findings, &report->findings_capacity,
		       sizeof(*finding))) {
		report->elsewhere.malloc_errors++;
		return;
	}
	report->findings[report->nr_findings++] = *finding;
}

void scrub_add_note(struct scrub_report *report, const char *fmt, ...)
{
	va_list args;
	char *text = NULL;
	int len;

	if (report->nr_notes >= MAX_NOTES) {
		report->notes_dropped++;
		return;
	}
	va_start(args, fmt);
	len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len < 0)
		return;
	if (!make_room((void **)&report->notes, report->nr_notes, &report->notes_capacity, sizeof(text))) {
		free(text);
		return;
	}
	report->notes[report->nr_notes++] = text;
}

struct scrub_tree_report *scrub_add_tree(struct scrub_report *report)
{
	struct scrub_tree_report *tree;

	if (!make_room((void **)&report->trees, report->nr_trees, &report->trees_capacity, sizeof(*tree)))
		return NULL;
	tree = &report->trees[report->nr_trees++];
	memset(tree, 0, sizeof(*tree));
	return tree;
}

static int compare_numbers(u64 a, u64 b)
{
	return (a > b) - (a < b);
}

/* Anything that differs must decide, so that the order is one and the same. */
static int compare_findings(const void *a, const void *b)
{
	const struct scrub_finding *x = a, *y = b;
	int ret = compare_numbers(x->devid, y->devid);

	if (!ret)
		ret = compare_numbers(x->physical, y->physical);
	if (!ret)
		ret = compare_numbers(x->logical, y->logical);
	if (!ret)
		ret = (int)x->kind - (int)y->kind;
	if (!ret)
		ret = compare_numbers(x->tree, y->tree);
	if (!ret)
		ret = btrfs_comp_cpu_keys(&x->key, &y->key);
	return ret ? ret : strcmp(x->text, y->text);
}

void scrub_report_finish(struct scrub_report *report)
{
	unsigned i;

	if (report->nr_findings)
		qsort(report->findings, report->nr_findings, sizeof(*report->findings), compare_findings);
	report->totals = report->elsewhere;
	for (i = 0; i < report->nr_devices; i++)
		scrub_counters_add(&report->totals, &report->devices[i].stats);
}

int scrub_exit_code(const struct scrub_report *report)
{
	if (report->uncorrectable_findings || report->totals.uncorrectable_errors)
		return 3;
	return report->findings_total ? 4 : 0;
}

const char *scrub_verdict(const struct scrub_report *report)
{
	if (report->state == SCRUB_REFUSED)
		return "unreadable";
	switch (scrub_exit_code(report)) {
	case 3:
		return "uncorrectable";
	case 4:
		return "correctable";
	}
	if (report->state != SCRUB_FINISHED)
		return "interrupted";
	if (report->totals.missing_copies)
		return "degraded";
	return report->parity_skipped ? "parity-unverified" : "clean";
}

static void release_paths(struct scrub_paths *paths)
{
	while (paths->nr)
		free(paths->list[--paths->nr].bytes);
	free(paths->list);
}

void scrub_report_release(struct scrub_report *report)
{
	size_t i;

	for (i = 0; i < report->nr_devices; i++)
		free(report->devices[i].path);
	for (i = 0; i < report->nr_notes; i++)
		free(report->notes[i]);
	for (i = 0; i < report->nr_paths; i++)
		release_paths(&report->paths[i]);
	free(report->paths);
	free(report->devices);
	free(report->notes);
	free(report->findings);
	free(report->trees);
	memset(report, 0, sizeof(*report));
}
