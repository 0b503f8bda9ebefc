// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parses the command line of mkfs: the options of mkfs.btrfs(8) with the same letters and
 * words, and our own.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uuid/uuid.h>

#include "cmds/mkfs-options.h"
#include "common/message.h"
#include "common/units.h"
#include "kernel-shared/volumes.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

enum {
	OPT_CSUM = 256,
	OPT_DEVICE_UUID,
	OPT_CSUM_THREADS,
	OPT_CSUM_MODE,
	OPT_CSUM_INLINE_MAX,
	OPT_IO,
	OPT_IO_ENGINE,
	OPT_QUEUE_DEPTH,
	OPT_BUFFER_MEMORY,
	OPT_METADATA_MEMORY,
	OPT_DEVICE_RATE,
	OPT_SEED,
	OPT_ON_CHANGE,
	OPT_STRICT,
	OPT_ONE_FILE_SYSTEM,
	OPT_FORMAT,
	OPT_PROGRESS,
	OPT_HELP,
	OPT_NOT_YET,
};

static const struct option long_options[] = {
	{ "byte-count", required_argument, NULL, 'b' },
	{ "csum", required_argument, NULL, OPT_CSUM },
	{ "checksum", required_argument, NULL, OPT_CSUM },
	{ "data", required_argument, NULL, 'd' },
	{ "metadata", required_argument, NULL, 'm' },
	{ "nodesize", required_argument, NULL, 'n' },
	{ "sectorsize", required_argument, NULL, 's' },
	{ "label", required_argument, NULL, 'L' },
	{ "uuid", required_argument, NULL, 'U' },
	{ "device-uuid", required_argument, NULL, OPT_DEVICE_UUID },
	{ "features", required_argument, NULL, 'O' },
	{ "runtime-features", required_argument, NULL, 'R' },
	{ "force", no_argument, NULL, 'f' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "nodiscard", no_argument, NULL, 'K' },
	{ "rootdir", required_argument, NULL, 'r' },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "csum-threads", required_argument, NULL, OPT_CSUM_THREADS },
	{ "csum-mode", required_argument, NULL, OPT_CSUM_MODE },
	{ "csum-inline-max", required_argument, NULL, OPT_CSUM_INLINE_MAX },
	{ "io", required_argument, NULL, OPT_IO },
	{ "io-engine", required_argument, NULL, OPT_IO_ENGINE },
	{ "queue-depth", required_argument, NULL, OPT_QUEUE_DEPTH },
	{ "buffer-memory", required_argument, NULL, OPT_BUFFER_MEMORY },
	{ "metadata-memory", required_argument, NULL, OPT_METADATA_MEMORY },
	{ "device-rate", required_argument, NULL, OPT_DEVICE_RATE },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "on-change", required_argument, NULL, OPT_ON_CHANGE },
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "one-file-system", no_argument, NULL, OPT_ONE_FILE_SYSTEM },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "progress", required_argument, NULL, OPT_PROGRESS },
	/* options of mkfs.btrfs and of the plan that are not there yet: refused by name */
	{ "mixed", no_argument, NULL, OPT_NOT_YET },
	{ "compress", required_argument, NULL, OPT_NOT_YET },
	{ "subvol", required_argument, NULL, OPT_NOT_YET },
	{ "inode-flags", required_argument, NULL, OPT_NOT_YET },
	{ "reflink", no_argument, NULL, OPT_NOT_YET },
	{ "shrink", no_argument, NULL, OPT_NOT_YET },
	{ "verify", no_argument, NULL, OPT_NOT_YET },
	{ "owner", required_argument, NULL, OPT_NOT_YET },
	{ "uid-map", required_argument, NULL, OPT_NOT_YET },
	{ "gid-map", required_argument, NULL, OPT_NOT_YET },
	{ "exclude", required_argument, NULL, OPT_NOT_YET },
	{ NULL, 0, NULL, 0 },
};

static const char help_text[] =
"usage: btrfs-offline mkfs [OPTIONS] DEVICE...\n"
"\n"
"Lays down a btrfs filesystem over block devices or image files, filled from a folder.\n"
"Nothing is mounted. An image file that does not exist is made when -b gives its size.\n"
"\n"
"Filesystem:\n"
"  -r, --rootdir DIR        fill the filesystem from DIR\n"
"  -d, --data PROFILE       single, dup, raid0, raid1, raid1c3, raid1c4, raid10 (default single)\n"
"  -m, --metadata PROFILE   the same (default dup on one device, raid1 on more)\n"
"  -b, --byte-count SIZE    bytes to use of each device; a hard limit\n"
"      --csum TYPE          crc32c, xxhash, sha256, blake2 (default crc32c)\n"
"  -n, --nodesize SIZE      4K to 64K (default 16K)\n"
"  -s, --sectorsize SIZE    4K to 64K (default 4K)\n"
"  -L, --label LABEL\n"
"  -U, --uuid UUID          of the filesystem\n"
"      --device-uuid UUID   of the device, when there is one\n"
"      --seed UUID|STRING   derive every uuid from it; with SOURCE_DATE_EPOCH in the\n"
"                           environment the image is a function of the tree alone\n"
"  -O, --features LIST      turn features on or (^) off; list-all shows them\n"
"\n"
"Source:\n"
"      --one-file-system    do not descend into other filesystems\n"
"      --on-change fail|keep  what to do when a file changes while it is read (default fail)\n"
"      --strict             warnings about the source are errors\n"
"\n"
"Behaviour:\n"
"  -f, --force              overwrite an existing filesystem or partition table\n"
"  -K, --nodiscard          do not discard the devices first\n"
"  -q, --quiet              print errors only\n"
"  -v, --verbose            also print how long each phase took\n"
"      --format text|json   of the summary\n"
"      --progress auto|always|never\n"
"\n"
"Machinery (never changes the result):\n"
"      --csum-threads N|auto     threads that read and checksum (default auto; 0: none)\n"
"      --csum-mode inline|offload|overlap|auto\n"
"      --csum-inline-max SIZE    pieces up to this size are checksummed in place (default 64K)\n"
"      --io direct|buffered|auto\n"
"      --io-engine auto|io_uring|sync\n"
"      --queue-depth N           writes under way at once (default 64)\n"
"      --buffer-memory SIZE      for data (default 128M)\n"
"      --metadata-memory SIZE    before metadata spills to TMPDIR (default 256M)\n"
"      --device-rate SIZE        limit for each device and second\n"
"\n"
"  -V, --version    --help\n"
"\n"
"Exit status: 0 complete; 1 failed, no target can be mounted; 128+N ended by signal N.\n";

/* ---- values ---- */

static int bad_value(const char *option, const char *value, const char *allowed)
{
	error("--%s %s: not valid; it takes %s", option, value, allowed);
	return -EINVAL;
}

static int take_size(const char *option, const char *value, u64 *bytes)
{
	int ret = parse_size(value, bytes);

	return ret ? bad_value(option, value, "a size such as 4096, 16K or 10G") : 0;
}

static int take_size32(const char *option, const char *value, u32 *bytes)
{
	u64 size;
	int ret = take_size(option, value, &size);

	if (ret)
		return ret;
	if (size > UINT32_MAX)
		return bad_value(option, value, "a size below 4G");
	*bytes = (u32)size;
	return 0;
}

static int take_number(const char *option, const char *value, u64 max, u64 *number)
{
	if (parse_u64(value, number) || *number > max) {
		error("--%s %s: not valid; it takes a number from 0 to %llu", option, value, (unsigned long long)max);
		return -EINVAL;
	}
	return 0;
}

static int take_profile(const char *option, const char *value, u64 *profile)
{
	const struct btrfs_raid_attr *attr = btrfs_raid_by_name(value);

	if (!attr)
		return bad_value(option, value, "single, dup, raid0, raid1, raid1c3, raid1c4 or raid10");
	*profile = attr->bg_flag;
	return 0;
}

static int take_uuid(const char *option, const char *value, u8 *uuid)
{
	if (uuid_parse(value, uuid) || uuid_is_null(uuid))
		return bad_value(option, value, "a uuid such as 01234567-89ab-4def-8123-456789abcdef");
	return 0;
}

/* Index of @value in the NULL-terminated @words, or -EINVAL after a message. */
static int take_word(const char *option, const char *value, const char *const *words, const char *allowed)
{
	int i;

	for (i = 0; words[i]; i++) {
		if (!strcmp(value, words[i]))
			return i;
	}
	return bad_value(option, value, allowed);
}

static int take_threads(const char *value, int *threads)
{
	u64 number;

	if (!strcmp(value, "auto")) {
		*threads = MKFS_THREADS_AUTO;
		return 0;
	}
	if (take_number("csum-threads", value, 256, &number))
		return -EINVAL;
	*threads = (int)number;
	return 0;
}

/* ---- options ---- */

static int set_format_option(struct mkfs_command *command, int opt, const char *value)
{
	struct mkfs_options *options = &command->options;

	switch (opt) {
	case 'b':
		return take_size("byte-count", value, &options->byte_count);
	case 'd':
		return take_profile("data", value, &options->data_profile);
	case 'm':
		return take_profile("metadata", value, &options->metadata_profile);
	case 'n':
		return take_size32("nodesize", value, &options->nodesize);
	case 's':
		return take_size32("sectorsize", value, &options->sectorsize);
	case 'U':
		options->fsid = command->fsid;
		return take_uuid("uuid", value, command->fsid);
	case OPT_DEVICE_UUID:
		options->device_uuid = command->device_uuid;
		return take_uuid("device-uuid", value, command->device_uuid);
	case OPT_CSUM:
		options->csum = csum_by_name(value);
		return options->csum ? 0 : bad_value("csum", value, "crc32c, xxhash, sha256 or blake2");
	default:	/* 'O', 'R' */
		return mkfs_parse_features(value, &options->incompat, &options->compat_ro);
	}
}

static int set_machine_option(struct mkfs_command *command, int opt, const char *value)
{
	static const char *const modes[] = { "auto", "inline", "offload", "overlap", NULL };
	static const char *const io[] = { "auto", "direct", "buffered", NULL };
	static const char *const engines[] = { "auto", "io_uring", "sync", NULL };
	struct mkfs_options *options = &command->options;
	u64 number = 0;
	int word;

	switch (opt) {
	case OPT_CSUM_THREADS:
		return take_threads(value, &options->csum_threads);
	case OPT_CSUM_MODE:
		word = take_word("csum-mode", value, modes, "inline, offload, overlap or auto");
		options->csum_mode = (enum mkfs_csum_mode)word;
		return MIN(word, 0);
	case OPT_CSUM_INLINE_MAX:
		return take_size32("csum-inline-max", value, &options->csum_inline_max);
	case OPT_IO:
		word = take_word("io", value, io, "direct, buffered or auto");
		options->direct = (enum io_direct_mode)word;
		return MIN(word, 0);
	case OPT_IO_ENGINE:
		word = take_word("io-engine", value, engines, "auto, io_uring or sync");
		options->ring = (enum io_ring_kind)word;
		return MIN(word, 0);
	case OPT_QUEUE_DEPTH:
		word = take_number("queue-depth", value, 4096, &number);
		options->queue_depth = (unsigned)number;
		return word;
	case OPT_BUFFER_MEMORY:
		return take_size("buffer-memory", value, &options->buffer_memory);
	case OPT_METADATA_MEMORY:
		return take_size("metadata-memory", value, &options->metadata_memory);
	default:	/* OPT_DEVICE_RATE */
		return take_size("device-rate", value, &options->device_rate);
	}
}

static int set_plain_option(struct mkfs_command *command, int opt, const char *value)
{
	static const char *const formats[] = { "text", "json", NULL };
	static const char *const changes[] = { "fail", "keep", NULL };
	static const char *const progress[] = { "auto", "always", "never", NULL };
	int word;

	switch (opt) {
	case OPT_FORMAT:
		word = take_word("format", value, formats, "text or json");
		command->json = word == 1;
		return MIN(word, 0);
	case OPT_ON_CHANGE:
		word = take_word("on-change", value, changes, "fail or keep");
		command->options.on_change = (enum source_on_change)word;
		return MIN(word, 0);
	default:	/* OPT_PROGRESS */
		word = take_word("progress", value, progress, "auto, always or never");
		command->progress = (enum progress_mode)word;
		return MIN(word, 0);
	}
}

/* Options without a value, and texts. Returns false when @opt is none of them. */
static bool set_flag(struct mkfs_command *command, int opt, const char *value)
{
	struct mkfs_options *options = &command->options;

	switch (opt) {
	case 'f':
		options->force = true;
		return true;
	case 'q':
		command->quiet = true;
		return true;
	case 'v':
		command->verbose = true;
		return true;
	case 'K':
		options->discard = false;
		return true;
	case OPT_STRICT:
		options->strict = true;
		return true;
	case OPT_ONE_FILE_SYSTEM:
		options->one_file_system = true;
		return true;
	case 'L':
		options->label = value;
		return true;
	case 'r':
		options->rootdir = value;
		return true;
	case OPT_SEED:
		options->seed = value;
		return true;
	default:
		return false;
	}
}

static int set_option(struct mkfs_command *command, int opt, const char *value)
{
	if (set_flag(command, opt, value))
		return 0;
	if (opt < 256 || opt == OPT_CSUM || opt == OPT_DEVICE_UUID)
		return set_format_option(command, opt, value);
	if (opt >= OPT_CSUM_THREADS && opt <= OPT_DEVICE_RATE)
		return set_machine_option(command, opt, value);
	return set_plain_option(command, opt, value);
}

static int take_epoch(struct mkfs_options *options)
{
	const char *text = getenv("SOURCE_DATE_EPOCH");
	u64 seconds;

	if (!text || !*text)
		return 0;
	if (parse_u64(text, &seconds) || seconds > INT64_MAX) {
		error("SOURCE_DATE_EPOCH=%s: not a number of seconds since 1970", text);
		return -EINVAL;
	}
	options->has_epoch = true;
	options->epoch = (s64)seconds;
	return 0;
}

static enum mkfs_parse_result print_and_leave(int opt)
{
	if (opt == 'V')
		puts("btrfs-offline " PACKAGE_VERSION);
	else if (opt == 'O')
		mkfs_list_features();
	else
		fputs(help_text, stdout);
	return MKFS_PARSE_DONE;
}

static enum mkfs_parse_result parse_all(struct mkfs_command *command, int argc, char **argv)
{
	int opt, index = 0;

	optind = 0;	/* a fresh scan, also of a shifted argument vector */
	while ((opt = getopt_long(argc, argv, "b:d:m:n:s:L:U:O:R:r:fqvKVMl:A:", long_options, &index)) != -1) {
		switch (opt) {
		case '?':
			error("'btrfs-offline mkfs --help' lists the options");
			return MKFS_PARSE_ERROR;
		case 'V':
		case OPT_HELP:
			return print_and_leave(opt);
		case 'M':
		case 'l':
		case 'A':
			error("option -%c is not supported", opt);
			return MKFS_PARSE_ERROR;
		case OPT_NOT_YET:
			error("option --%s is not supported yet", long_options[index].name);
			return MKFS_PARSE_ERROR;
		}
		if (opt == 'O' && !strcmp(optarg, "list-all"))
			return print_and_leave(opt);
		if (set_option(command, opt, optarg))
			return MKFS_PARSE_ERROR;
	}
	return MKFS_PARSE_RUN;
}

enum mkfs_parse_result mkfs_parse_command(struct mkfs_command *command, int argc, char **argv)
{
	struct mkfs_options *options = &command->options;
	enum mkfs_parse_result result;

	*command = (struct mkfs_command){
		.options = {
			.data_profile = MKFS_PROFILE_DEFAULT,
			.metadata_profile = MKFS_PROFILE_DEFAULT,
			.csum = csum_by_name("crc32c"),
			.discard = true,
			.csum_threads = MKFS_THREADS_AUTO,
			.csum_inline_max = SZ_64K,
		},
	};
	mkfs_default_features(&options->incompat, &options->compat_ro);
	result = parse_all(command, argc, argv);
	if (result != MKFS_PARSE_RUN)
		return result;
	if (take_epoch(options))
		return MKFS_PARSE_ERROR;
	options->devices = argv + optind;
	options->nr_devices = (unsigned)(argc - optind);
	if (!options->nr_devices) {
		error("no device or image file given; 'btrfs-offline mkfs --help' shows how");
		return MKFS_PARSE_ERROR;
	}
	return MKFS_PARSE_RUN;
}
