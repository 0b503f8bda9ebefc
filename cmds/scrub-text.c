// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The report of a scrub in words, in the manner of `btrfs scrub status`, and the progress line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/scrub-command.h"
#include "common/escape.h"
#include "common/message.h"
#include "common/units.h"
#include "reader/uuid-text.h"

/* Text that may hold bytes of an image or of a command line. */
static void print_escaped(const char *text)
{
	char *printable = escape_bytes(text, strlen(text), NULL);

	fputs(printable ? printable : "?", stdout);
	free(printable);
}

static void print_tree(u64 objectid)
{
	const char *name = btrfs_tree_name(objectid);

	if (name)
		printf("%s", name);
	else
		printf("%llu", (unsigned long long)objectid);
}

static void print_place(const struct scrub_report *report, const struct scrub_finding *finding)
{
	const struct scrub_device_report *device = scrub_find_device(report, finding->devid);

	if (finding->devid != SCRUB_NONE) {
		fputs("device ", stdout);
		if (device && device->path)
			print_escaped(device->path);
		else
			fputs("(missing)", stdout);
		printf(" (devid %llu) ", (unsigned long long)finding->devid);
	}
	if (finding->physical != SCRUB_NONE)
		printf("physical %llu ", (unsigned long long)finding->physical);
	if (finding->logical != SCRUB_NONE)
		printf("logical %llu ", (unsigned long long)finding->logical);
	if (finding->length)
		printf("length %llu ", (unsigned long long)finding->length);
	if (finding->copy >= 0)
		printf("copy %d ", finding->copy + 1);
}

static void print_paths(const struct scrub_paths *paths)
{
	size_t i;

	for (i = 0; i < paths->nr; i++) {
		const struct scrub_path *path = &paths->list[i];

		fputs(path->complete ? "  file " : "  file ...", stdout);
		print_escaped(path->bytes);
		printf(" (subvolume %llu, inode %llu, at byte %llu)\n", (unsigned long long)path->rootid,
		       (unsigned long long)path->ino, (unsigned long long)path->offset);
	}
	if (paths->total > paths->nr)
		printf("  and %llu more\n", (unsigned long long)(paths->total - paths->nr));
	if (!paths->total)
		puts(paths->lost ? "  file not known: blocks of the trees of files are lost" :
				   "  not referenced by any file");
}

static void print_finding(const struct scrub_report *report, const struct scrub_finding *finding)
{
	printf("%s: ", scrub_kind_name(finding->kind));
	print_place(report, finding);
	if (finding->tree) {
		fputs("tree ", stdout);
		print_tree(finding->tree);
		putchar(' ');
	}
	if (finding->level >= 0)
		printf("level %d ", finding->level);
	if (finding->has_key)
		printf("key %s ", btrfs_format_key(&finding->key).text);
	if (finding->has_limit && finding->kind == SCRUB_TREE_BLOCK)
		printf("to %s ", btrfs_format_key(&finding->limit).text);
	fputs("- ", stdout);
	print_escaped(finding->text);
	puts(finding->correctable ? " (correctable)" : " (uncorrectable)");
	if (finding->paths)
		print_paths(finding->paths);
}

static void print_findings(const struct scrub_report *report)
{
	size_t i;

	for (i = 0; i < report->nr_findings; i++)
		print_finding(report, &report->findings[i]);
	if (report->findings_total > report->nr_findings)
		printf("... and %llu findings more that are not listed\n",
		       (unsigned long long)(report->findings_total - report->nr_findings));
	for (i = 0; i < report->nr_notes; i++) {
		fputs("note: ", stdout);
		print_escaped(report->notes[i]);
		putchar('\n');
	}
	if (report->notes_dropped)
		printf("note: and %llu notes more\n", (unsigned long long)report->notes_dropped);
}

static void print_error_summary(const struct scrub_counters *totals, const char *indent)
{
	printf("%sError summary:    read=%llu super=%llu verify=%llu csum=%llu\n", indent,
	       (unsigned long long)totals->read_errors, (unsigned long long)totals->super_errors,
	       (unsigned long long)totals->verify_errors, (unsigned long long)totals->csum_errors);
	if (totals->csum_missing)
		printf("%s  Without csum:   %llu sectors that must have one\n", indent,
		       (unsigned long long)totals->csum_missing);
	if (totals->parity_errors_p || totals->parity_errors_q || totals->parity_unverifiable)
		printf("%s  Parity:         P %llu, Q %llu, unverifiable %llu\n", indent,
		       (unsigned long long)totals->parity_errors_p, (unsigned long long)totals->parity_errors_q,
		       (unsigned long long)totals->parity_unverifiable);
	printf("%s  Corrected:      %llu\n", indent, (unsigned long long)totals->corrected_errors);
	printf("%s  Correctable:    %llu\n", indent, (unsigned long long)totals->correctable_errors);
	printf("%s  Uncorrectable:  %llu\n", indent, (unsigned long long)totals->uncorrectable_errors);
	printf("%s  Unverified:     %llu\n", indent, (unsigned long long)totals->unverified_errors);
}

static void print_devices(const struct scrub_report *report)
{
	unsigned i;

	for (i = 0; i < report->nr_devices; i++) {
		const struct scrub_device_report *device = &report->devices[i];
		const struct scrub_counters *stats = &device->stats;

		printf("  devid %llu %s", (unsigned long long)device->devid,
		       device->missing ? "(missing)" : "");
		if (device->path)
			print_escaped(device->path);
		printf("%s: data %s, trees %s, read=%llu super=%llu verify=%llu csum=%llu\n",
		       device->stale ? " (stale)" : "", format_size(stats->data_bytes_scrubbed).text,
		       format_size(stats->tree_bytes_scrubbed).text, (unsigned long long)stats->read_errors,
		       (unsigned long long)stats->super_errors, (unsigned long long)stats->verify_errors,
		       (unsigned long long)stats->csum_errors);
	}
}

static void print_verdict(const struct scrub_report *report)
{
	const char *verdict = scrub_verdict(report);

	if (!strcmp(verdict, "degraded"))
		puts("Verdict:            no errors found on the devices that are there; others are MISSING");
	else if (!strcmp(verdict, "clean"))
		puts("Verdict:            clean, no errors found");
	else if (!strcmp(verdict, "parity-unverified"))
		puts("Verdict:            no errors found, but some parity (raid5, raid6) was NOT verified");
	else if (!strcmp(verdict, "correctable"))
		puts("Verdict:            errors found, everything bad has another, good copy or parity");
	else if (!strcmp(verdict, "uncorrectable"))
		puts("Verdict:            ERRORS without a good copy");
	else
		puts("Verdict:            no errors found in the part that was read");
}

void scrub_print_text(const struct scrub_command *command, const struct scrub_report *report)
{
	const struct scrub_counters *totals = &report->totals;
	const u64 bytes = totals->data_bytes_scrubbed + totals->tree_bytes_scrubbed;
	const double seconds = report->seconds > 0 ? report->seconds : 1e-9;

	print_findings(report);
	printf("UUID:               %s\n", btrfs_format_uuid(report->fsid).text);
	if (report->label[0]) {
		fputs("Label:              ", stdout);
		print_escaped(report->label);
		putchar('\n');
	}
	printf("Status:             %s\n", report->state == SCRUB_FINISHED ? "finished" : "interrupted");
	printf("Duration:           %.2f s, %u threads, %s\n", report->seconds, command->options.threads,
	       report->ring ? report->ring : "no data read");
	printf("Total scrubbed:     %s (data %s, trees %s)\n", format_size(bytes).text,
	       format_size(totals->data_bytes_scrubbed).text, format_size(totals->tree_bytes_scrubbed).text);
	printf("Rate:               %s/s\n", format_size((u64)((double)bytes / seconds)).text);
	if (totals->no_csum)
		printf("Without checksum:   %llu sectors\n", (unsigned long long)totals->no_csum);
	if (report->nr_devices > 1)
		print_devices(report);
	if (!report->findings_total)
		puts("Error summary:      no errors found");
	else
		print_error_summary(totals, "");
	print_verdict(report);
}

void scrub_print_progress(void *arg, const struct scrub_progress *progress)
{
	const double done = (double)progress->bytes_done;
	const double share = progress->bytes_total ? done / (double)progress->bytes_total : 0;
	const double left = share > 0 ? progress->seconds / share - progress->seconds : 0;
	const double rate = progress->seconds > 0 ? done / progress->seconds : 0;

	(void)arg;
	message_progress("%-11s %3d%%  %s of %s  %s/s  %.0f s left  ", progress->phase, (int)(share * 100),
			 format_size(progress->bytes_done).text, format_size(progress->bytes_total).text,
			 format_size((u64)rate).text, left);
	if (progress->last)
		message_progress_end();
}
