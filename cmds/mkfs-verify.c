// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkfs --verify: the verifier over what the writer has just made, before the run counts as a success.
 */
#include <errno.h>
#include <stdlib.h>

#include "cmds/mkfs-options.h"
#include "cmds/scrub-command.h"
#include "common/escape.h"
#include "common/message.h"
#include "io/worker-pool.h"
#include "kernel-shared/ctree.h"

#define FINDINGS_SHOWN	10

static void show_finding(const struct scrub_report *report, const struct scrub_finding *finding)
{
	const struct scrub_device_report *device = scrub_find_device(report, finding->devid);

	if (!device || !device->path)
		error("read back: %s: %s", scrub_kind_name(finding->kind), finding->text);
	else if (finding->physical == SCRUB_NONE)
		error("%s: read back: %s: %s", device->path, scrub_kind_name(finding->kind), finding->text);
	else
		error("%s: read back at %llu: %s: %s", device->path, (unsigned long long)finding->physical,
		      scrub_kind_name(finding->kind), finding->text);
}

/* Of the tree that was copied; one name is enough to know what was hit. */
static void show_path(const struct scrub_paths *paths)
{
	char *printable;

	if (!paths || !paths->nr)
		return;
	printable = escape_bytes(paths->list[0].bytes, paths->list[0].len, NULL);
	error("read back: that is byte %llu of %s", (unsigned long long)paths->list[0].offset,
	      printable ? printable : "?");
	free(printable);
}

static int judge(const struct scrub_report *report)
{
	size_t i;

	if (report->state == SCRUB_INTERRUPTED)
		return -EINTR;
	if (!scrub_exit_code(report))
		return 0;
	for (i = 0; i < report->nr_findings && i < FINDINGS_SHOWN; i++) {
		show_finding(report, &report->findings[i]);
		show_path(report->findings[i].paths);
	}
	error("--verify: %llu errors in what was read back: the devices do not hold what was written to them; no "
	      "target holds a filesystem", (unsigned long long)report->findings_total);
	return -EUCLEAN;
}

int mkfs_verify(void *arg, const struct io_device_set *targets)
{
	struct mkfs_command *command = arg;
	const int asked = command->options.csum_threads;
	const struct scrub_options options = {
		.paths = command->options.devices,
		.nr_paths = command->options.nr_devices,
		.held = targets,
		.threads = asked == MKFS_THREADS_AUTO ? worker_pool_online_cpus() : (unsigned)asked,
		.device_rate = command->options.device_rate,
		.max_findings = FINDINGS_SHOWN,
		.max_paths = 1,
		.direct = command->options.direct,
		.stop = command->options.stop,
		.progress = command->options.progress ? scrub_print_progress : NULL,
	};
	struct scrub_report report;
	int ret = scrub_run(&options, &report);

	command->verified_bytes = report.totals.data_bytes_scrubbed + report.totals.tree_bytes_scrubbed;
	if (ret)
		error("--verify: what was written cannot be read back; no target holds a filesystem");
	else
		ret = judge(&report);
	scrub_report_release(&report);
	return ret;
}
