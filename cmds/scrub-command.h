/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of the scrub command: its arguments, and its report in words and as JSON.
 */
#ifndef BO_CMDS_SCRUB_COMMAND_H
#define BO_CMDS_SCRUB_COMMAND_H

#include "cmds/option-values.h"
#include "scrub/scrub.h"

struct scrub_command {
	struct scrub_options options;	/* paths point into argv */
	bool json;
	enum progress_mode progress;
};

enum scrub_parse_result {
	SCRUB_PARSE_RUN,
	SCRUB_PARSE_DONE,		/* help was printed */
	SCRUB_PARSE_ERROR,		/* after a message */
};

enum scrub_parse_result scrub_parse_command(struct scrub_command *command, int argc, char **argv);

/* Everything that was found, then the summary, to standard output. */
void scrub_print_text(const struct scrub_command *command, const struct scrub_report *report);
/* One object to standard output. @status is the exit status. Returns 0, -ENOMEM or -EIO. */
int scrub_print_json(const struct scrub_report *report, int status);
/* The line on standard error; an options->progress. */
void scrub_print_progress(void *arg, const struct scrub_progress *progress);

#endif
