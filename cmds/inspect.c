// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `btrfs-offline inspect`: chooses the subcommand. See inspect.h.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/commands.h"
#include "cmds/inspect.h"
#include "common/escape.h"
#include "common/message.h"

static const char usage[] =
	"usage: btrfs-offline inspect super [--all] [--full] DEVICE...\n"
	"       btrfs-offline inspect tree [--tree NAME|ID] [--block BYTENR] DEVICE...\n"
	"       btrfs-offline inspect chunks DEVICE...\n"
	"       btrfs-offline inspect csum [--exists] LOGICAL[+LEN] DEVICE...\n"
	"\n"
	"Looks inside a filesystem without mounting it. Nothing is ever written.\n"
	"\n"
	"  super    superblocks, every field\n"
	"  tree     blocks and items of one tree or all trees\n"
	"  chunks   where logical addresses lie on the devices\n"
	"  csum     checksums that are stored for a range of data\n"
	"\n"
	"Each subcommand has --help. Exit status: 0 success, 1 failure;\n"
	"inspect csum --exists: 3 when there is no checksum in the range.\n";

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} subcommands[] = {
	{ "super", inspect_super },
	{ "tree", inspect_tree },
	{ "chunks", inspect_chunks },
	{ "csum", inspect_csum },
};

int inspect_parse_format(const char *word, struct inspect_options *options)
{
	if (!strcmp(word, "json"))
		options->json = true;
	else if (!strcmp(word, "text"))
		options->json = false;
	else {
		error("unknown format %s, must be text or json", word);
		return -EINVAL;
	}
	return 0;
}

static void warn_finding(void *arg, const struct btrfs_finding *finding)
{
	(void)arg;
	if (finding->devid == BTRFS_FINDING_NO_DEVICE && finding->logical == BTRFS_FINDING_NO_ADDRESS)
		warning("%s", finding->text);
	else if (finding->devid == BTRFS_FINDING_NO_DEVICE)
		warning("logical %llu: %s", (unsigned long long)finding->logical, finding->text);
	else if (finding->physical == BTRFS_FINDING_NO_ADDRESS)
		warning("device %llu: %s", (unsigned long long)finding->devid, finding->text);
	else
		warning("device %llu physical %llu: %s", (unsigned long long)finding->devid,
			(unsigned long long)finding->physical, finding->text);
}

int inspect_open(struct btrfs_image **image, char *const *paths, int nr,
		 const struct inspect_options *options)
{
	const struct btrfs_open_options open_options = {
		.direct = IO_DIRECT_NEVER,
		.degraded = options->degraded,
		.allow_busy = true,
		.any_features = true,
		.findings = { .report = warn_finding },
	};

	if (nr < 1) {
		error("no device given, see --help");
		return -EINVAL;
	}
	return btrfs_image_open(image, paths, (unsigned)nr, &open_options);
}

int inspect_finish(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	error("standard output could not be written: %s", strerror(errno));
	return 1;
}

int cmd_inspect(int argc, char **argv)
{
	char *word;
	size_t i;

	/* nothing to be lost: who looks at the first lines only gets no error for it */
	signal(SIGPIPE, SIG_DFL);
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))) {
		fputs(usage, stdout);
		return inspect_finish(0);
	}
	if (argc < 2) {
		fputs(usage, stderr);
		return 1;
	}
	for (i = 0; i < ARRAY_SIZE(subcommands); i++) {
		if (strcmp(argv[1], subcommands[i].name))
			continue;
		if (csum_init()) {
			error("the checksum libraries do not start");
			return 1;
		}
		return inspect_finish(subcommands[i].run(argc - 1, argv + 1));
	}
	word = escape_bytes(argv[1], strlen(argv[1]), NULL);
	error("unknown subcommand %s, must be super, tree, chunks or csum", word ? word : "");
	free(word);
	return 1;
}
