// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chooses the command: by the first argument, or by the name the program was started under.
 */
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "cmds/commands.h"
#include "common/message.h"
#include "common/types.h"
#include "crypto/csum.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *text;
} commands[] = {
	{ "mkfs", cmd_mkfs, "lay down a populated filesystem over devices or image files" },
	{ "scrub", cmd_scrub, "verify every copy of every block, offline" },
	{ "inspect", cmd_inspect, "look at superblocks, trees, chunks and checksums" },
};

static void usage(FILE *out)
{
	size_t i;

	fputs("usage: btrfs-offline COMMAND [OPTIONS] DEVICE...\n\n", out);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "    %-10s%s\n", commands[i].name, commands[i].text);
	fputs("\n'btrfs-offline COMMAND --help' describes a command.\n", out);
}

/* More than the default of 1024: a wide source tree keeps many files open for the workers. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = MIN(limit.rlim_max, (rlim_t)65536);
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

static int prepare(void)
{
	/* writes beyond a file size limit or into a closed pipe come back as errors */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	raise_file_limit();
	if (csum_init()) {
		error("libgcrypt is too old: 1.9 or newer is needed");
		return 1;
	}
	return 0;
}

/* What was written to standard output must have arrived. */
static int finish(int status)
{
	if ((fflush(stdout) || ferror(stdout)) && !status) {
		error("writing standard output: it is full or closed");
		return 1;
	}
	return status;
}

static int run_command(int argc, char **argv)
{
	size_t i;

	if (argc < 2) {
		usage(stderr);
		return 1;
	}
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help") || !strcmp(argv[1], "-h")) {
		usage(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version") || !strcmp(argv[1], "-V")) {
		puts("btrfs-offline " PACKAGE_VERSION);
		return 0;
	}
	error("unknown command '%s'; 'btrfs-offline --help' lists the commands", argv[1]);
	return 1;
}

int main(int argc, char **argv)
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	const char *name = slash ? slash + 1 : argc ? argv[0] : "";

	if (prepare())
		return 1;
	if (!strcmp(name, "mkfs.btrfs") || !strcmp(name, "mkfs.btrfs-offline"))
		return finish(cmd_mkfs(argc, argv));
	return finish(run_command(argc, argv));
}
