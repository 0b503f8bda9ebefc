/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filling the report. One thread: the one that called scrub_run().
 */
#ifndef BO_SCRUB_REPORT_H
#define BO_SCRUB_REPORT_H

#include "common/message.h"
#include "reader/fs.h"
#include "scrub/scrub.h"

/* last_physical is the larger one, everything else the sum. */
void scrub_counters_add(struct scrub_counters *sum, const struct scrub_counters *more);

/* What is known of the filesystem and its devices. Returns 0 or -ENOMEM. */
int scrub_report_image(struct scrub_report *report, const struct btrfs_image *image);

/* Never NULL: what belongs to no device is counted apart. */
struct scrub_counters *scrub_device_counters(struct scrub_report *report, u64 devid);

/* A finding without place, tree and key: the caller sets what it knows. */
struct scrub_finding scrub_new_finding(enum scrub_kind kind);
/* Sets ->text; control bytes are the caller's business (nothing of the image is text but names). */
void scrub_finding_text(struct scrub_finding *finding, const char *fmt, ...) PRINTF_FORMAT(2, 3);

/*
 * Takes a copy. Findings come in an order that does not depend on threads, so which ones are kept
 * does not either. Touches no error counters: the caller knows the unit.
 */
void scrub_add_finding(struct scrub_report *report, const struct scrub_finding *finding);

/* Something worth a line that is no error. At most a hundred are kept. */
void scrub_add_note(struct scrub_report *report, const char *fmt, ...) PRINTF_FORMAT(2, 3);

/* A new tree at the end of ->trees, or NULL: no memory. Valid until the next call. */
struct scrub_tree_report *scrub_add_tree(struct scrub_report *report);

/* Sorts and sums up: the last step. */
void scrub_report_finish(struct scrub_report *report);

#endif
