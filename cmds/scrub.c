// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The scrub command: arguments, one call of the engine, exit status.
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "cmds/commands.h"
#include "cmds/scrub-command.h"
#include "common/message.h"

static volatile sig_atomic_t stop_signal;

static void on_signal(int number)
{
	stop_signal = number;
}

static void catch_signals(void)
{
	const struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

static bool show_progress(const struct scrub_command *command)
{
	if (command->progress == PROGRESS_AUTO)
		return isatty(STDERR_FILENO);
	return command->progress == PROGRESS_ALWAYS;
}

static int exit_status(const struct scrub_report *report, int ret)
{
	if (ret)
		return 1;
	if (report->state == SCRUB_INTERRUPTED)
		return 128 + stop_signal;
	return scrub_exit_code(report);
}

int cmd_scrub(int argc, char **argv)
{
	struct scrub_command command;
	struct scrub_report report;
	int ret, status;

	switch (scrub_parse_command(&command, argc, argv)) {
	case SCRUB_PARSE_DONE:
		return 0;
	case SCRUB_PARSE_ERROR:
		return 1;
	case SCRUB_PARSE_RUN:
		break;
	}
	catch_signals();
	command.options.stop = &stop_signal;
	if (show_progress(&command))
		command.options.progress = scrub_print_progress;
	ret = scrub_run(&command.options, &report);
	status = exit_status(&report, ret);
	if (command.json) {
		ret = scrub_print_json(&report, status);
		if (ret) {
			error("the report could not be written");
			status = 1;
		}
	} else if (!ret) {
		scrub_print_text(&command, &report);
	}
	scrub_report_release(&report);
	return status;
}
