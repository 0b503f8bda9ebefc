// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The mkfs command: arguments, one call of the engine, exit status.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmds/commands.h"
#include "cmds/mkfs-options.h"
#include "common/message.h"

static volatile sig_atomic_t stop_signal;

static void on_signal(int number)
{
	stop_signal = number;
}

static void catch_signals(void)
{
	/* a second signal ends the program at once: no superblock is written before the very end */
	const struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART | SA_RESETHAND };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

static bool show_progress(const struct mkfs_command *command)
{
	if (command->progress != PROGRESS_AUTO)
		return command->progress == PROGRESS_ALWAYS;
	return !command->quiet && !command->json && isatty(STDERR_FILENO);
}

/* -v: where the time goes. */
static void show_phase(void *arg, const char *name, double seconds)
{
	(void)arg;
	fprintf(stderr, "%-20s%8.3f s\n", name, seconds);
}

static int show_report(const struct mkfs_command *command, const struct mkfs_report *report)
{
	int ret = 0;

	if (command->json)
		ret = mkfs_print_json(command, report);
	else if (!command->quiet)
		mkfs_print_text(command, report);
	if (ret || fflush(stdout) || ferror(stdout)) {
		error("the filesystem is complete, but its summary could not be written to standard output");
		return -EIO;
	}
	return 0;
}

static int run(struct mkfs_command *command)
{
	struct mkfs_report report;
	int ret;

	catch_signals();
	command->options.stop = &stop_signal;
	if (show_progress(command) && command->options.rootdir) {
		command->options.progress = mkfs_print_progress;
		command->options.progress_arg = command;
	}
	if (command->verify) {
		command->options.verify = mkfs_verify;
		command->options.verify_arg = command;
	}
	if (command->verbose)
		command->options.phase_done = show_phase;
	ret = mkfs_run(&command->options, &report);
	if (!ret && report.reflink_error)
		warning("--reflink: not all blocks could be shared with the tree: %s; they were copied",
			strerror(-report.reflink_error));
	if (!ret)
		ret = show_report(command, &report);
	mkfs_report_release(&report);
	if (ret == -EINTR && stop_signal) {
		error("ended by signal %d; the targets hold no filesystem", (int)stop_signal);
		return 128 + stop_signal;
	}
	return ret ? 1 : 0;
}

int cmd_mkfs(int argc, char **argv)
{
	struct mkfs_command command;
	int status = 0;

	switch (mkfs_parse_command(&command, argc, argv)) {
	case MKFS_PARSE_DONE:
		break;
	case MKFS_PARSE_ERROR:
		status = 1;
		break;
	case MKFS_PARSE_RUN:
		status = run(&command);
		break;
	}
	mkfs_release_command(&command);
	return status;
}
