// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The arguments of the scrub command.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmds/scrub-command.h"
#include "common/message.h"
#include "common/units.h"
#include "io/worker-pool.h"

#define DEFAULT_MAX_FINDINGS	10000
#define DEFAULT_MAX_PATHS	16
#define MAX_THREADS		1024

static const char usage[] =
	"usage: btrfs-offline scrub [OPTIONS] DEVICE...\n"
	"\n"
	"Reads every copy of every superblock, tree block and checksummed data sector of a filesystem\n"
	"that is not mounted, and says what is wrong. All devices of the filesystem are given, in any\n"
	"order: block devices or image files. Nothing is written.\n"
	"\n"
	"  --threads N            threads that compute checksums (default: one per processor; 0: none)\n"
	"  --limit SIZE, --device-rate SIZE\n"
	"                         read file data at most so fast, per device and second\n"
	"  --metadata-only        superblocks and trees, no file data\n"
	"  --data-only            superblocks and file data, without verifying all trees\n"
	"  --max-paths N          name at most N paths of the files that bad data is in (default: 16)\n"
	"  --max-findings N       list at most N findings; all are counted (default: 10000)\n"
	"  --format text|json     how to report (default: text)\n"
	"  --progress auto|always|never\n"
	"                         a line on standard error while it runs (default: on a terminal)\n"
	"  --io direct|buffered|auto\n"
	"                         past the page cache or through it (default: auto)\n"
	"  --degraded             go on when devices are missing\n"
	"  --force                read devices that are in use; what is written meanwhile may be called bad\n"
	"  -h, --help             this text\n"
	"\n"
	"Exit status: 0 clean; 1 could not run; 3 something has no good copy; 4 everything bad has another,\n"
	"good copy; 128 + signal when interrupted.\n";

enum {
	OPT_THREADS = 256,
	OPT_DEVICE_RATE,
	OPT_METADATA_ONLY,
	OPT_DATA_ONLY,
	OPT_MAX_FINDINGS,
	OPT_MAX_PATHS,
	OPT_FORMAT,
	OPT_PROGRESS,
	OPT_IO,
	OPT_DEGRADED,
	OPT_FORCE,
	OPT_REPAIR,
	OPT_RESUME,
};

static const struct option long_options[] = {
	{ "threads", required_argument, NULL, OPT_THREADS },
	{ "device-rate", required_argument, NULL, OPT_DEVICE_RATE },
	{ "metadata-only", no_argument, NULL, OPT_METADATA_ONLY },
	{ "data-only", no_argument, NULL, OPT_DATA_ONLY },
	{ "max-paths", required_argument, NULL, OPT_MAX_PATHS },
	{ "max-findings", required_argument, NULL, OPT_MAX_FINDINGS },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "progress", required_argument, NULL, OPT_PROGRESS },
	{ "io", required_argument, NULL, OPT_IO },
	{ "degraded", no_argument, NULL, OPT_DEGRADED },
	{ "force", no_argument, NULL, OPT_FORCE },
	{ "repair", no_argument, NULL, OPT_REPAIR },
	{ "resume", required_argument, NULL, OPT_RESUME },
	{ "limit", required_argument, NULL, OPT_DEVICE_RATE },	/* as btrfs scrub limit calls it */
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int parse_rate(const char *name, const char *text, u64 *rate)
{
	if (!parse_size(text, rate))
		return 0;
	return option_bad_value(name, text, "a size per second such as 200M");
}

static int parse_parts(struct scrub_options *options, enum scrub_parts parts)
{
	if (options->parts != SCRUB_ALL && options->parts != parts) {
		error("--metadata-only and --data-only exclude each other");
		return -EINVAL;
	}
	options->parts = parts;
	return 0;
}

static int refuse_later(const char *option)
{
	error("--%s is not available in this version: it verifies only, from start to end, and never writes",
	      option);
	return -EINVAL;
}

static int parse_value(struct scrub_command *command, int option, const char *name)
{
	u64 number = 0;
	int ret;

	switch (option) {
	case OPT_THREADS:
		ret = option_number(name, optarg, MAX_THREADS, &number);
		command->options.threads = (unsigned)number;
		return ret;
	case OPT_MAX_FINDINGS:
		ret = option_number(name, optarg, UINT32_MAX, &number);
		command->options.max_findings = (size_t)number;
		return ret;
	case OPT_MAX_PATHS:
		ret = option_number(name, optarg, UINT32_MAX, &number);
		command->options.max_paths = (size_t)number;
		return ret;
	case OPT_FORMAT:
		return option_format(optarg, &command->json);
	case OPT_PROGRESS:
		return option_progress(optarg, &command->progress);
	default:
		return option_io(optarg, &command->options.direct);
	}
}

static int parse_option(struct scrub_command *command, int option, const char *name)
{
	switch (option) {
	case OPT_DEVICE_RATE:
		return parse_rate(name, optarg, &command->options.device_rate);
	case OPT_METADATA_ONLY:
		return parse_parts(&command->options, SCRUB_METADATA_ONLY);
	case OPT_DATA_ONLY:
		return parse_parts(&command->options, SCRUB_DATA_ONLY);
	case OPT_DEGRADED:
		command->options.degraded = true;
		return 0;
	case OPT_FORCE:
		command->options.force = true;
		return 0;
	case OPT_REPAIR:
	case OPT_RESUME:
		return refuse_later(name);
	case '?':
	case ':':
		/* getopt_long() has said what is wrong */
		fputs("Try 'btrfs-offline scrub --help'.\n", stderr);
		return -EINVAL;
	default:
		return parse_value(command, option, name);
	}
}

enum scrub_parse_result scrub_parse_command(struct scrub_command *command, int argc, char **argv)
{
	int option, index = 0;

	memset(command, 0, sizeof(*command));
	command->options.threads = worker_pool_online_cpus();
	command->options.max_findings = DEFAULT_MAX_FINDINGS;
	command->options.max_paths = DEFAULT_MAX_PATHS;
	optind = 0;
	while ((option = getopt_long(argc, argv, "h", long_options, &index)) != -1) {
		if (option == 'h') {
			fputs(usage, stdout);
			return SCRUB_PARSE_DONE;
		}
		if (parse_option(command, option, long_options[index].name))
			return SCRUB_PARSE_ERROR;
	}
	if (optind == argc) {
		error("no device given; 'btrfs-offline scrub --help' describes the command");
		return SCRUB_PARSE_ERROR;
	}
	command->options.paths = argv + optind;
	command->options.nr_paths = (unsigned)(argc - optind);
	return SCRUB_PARSE_RUN;
}
