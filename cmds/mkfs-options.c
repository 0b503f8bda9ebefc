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

#include "cmds/mkfs-option-groups.h"
#include "common/message.h"
#include "common/units.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

static const struct option long_options[] = {
	{ "byte-count", required_argument, NULL, 'b' },
	{ "shrink", no_argument, NULL, OPT_SHRINK },
	{ "slack", required_argument, NULL, OPT_SLACK },
	{ "offset", required_argument, NULL, OPT_OFFSET },
	{ "length", required_argument, NULL, OPT_LENGTH },
	{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
	{ "csum", required_argument, NULL, OPT_CSUM },
	{ "checksum", required_argument, NULL, OPT_CSUM },
	{ "data", required_argument, NULL, 'd' },
	{ "metadata", required_argument, NULL, 'm' },
	{ "mixed", no_argument, NULL, 'M' },
	{ "nodesize", required_argument, NULL, 'n' },
	{ "sectorsize", required_argument, NULL, 's' },
	{ "label", required_argument, NULL, 'L' },
	{ "uuid", required_argument, NULL, 'U' },
	{ "device-uuid", required_argument, NULL, OPT_DEVICE_UUID },
	{ "features", required_argument, NULL, 'O' },
	{ "runtime-features", required_argument, NULL, 'R' },
	{ "compat", required_argument, NULL, OPT_COMPAT },
	{ "force", no_argument, NULL, 'f' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "nodiscard", no_argument, NULL, 'K' },
	{ "rootdir", required_argument, NULL, 'r' },
	{ "subvol", required_argument, NULL, 'u' },
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
	{ "compress", required_argument, NULL, OPT_COMPRESS },
	{ "reflink", optional_argument, NULL, OPT_REFLINK },
	{ "dedupe", optional_argument, NULL, OPT_DEDUPE },
	{ "dedupe-memory", required_argument, NULL, OPT_DEDUPE_MEMORY },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "on-change", required_argument, NULL, OPT_ON_CHANGE },
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "one-file-system", no_argument, NULL, OPT_ONE_FILE_SYSTEM },
	{ "owner", required_argument, NULL, OPT_OWNER },
	{ "uid-map", required_argument, NULL, OPT_UID_MAP },
	{ "gid-map", required_argument, NULL, OPT_GID_MAP },
	{ "exclude", required_argument, NULL, OPT_EXCLUDE },
	{ "exclude-from", required_argument, NULL, OPT_EXCLUDE_FROM },
	{ "xattr-exclude", required_argument, NULL, OPT_XATTR_EXCLUDE },
	{ "break-hardlinks", no_argument, NULL, OPT_BREAK_HARDLINKS },
	{ "inode-flags", required_argument, NULL, OPT_INODE_FLAGS },
	{ "manifest", required_argument, NULL, OPT_MANIFEST },
	{ "verify", no_argument, NULL, OPT_VERIFY },
	{ "verity", required_argument, NULL, OPT_VERITY },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "progress", required_argument, NULL, OPT_PROGRESS },
	{ NULL, 0, NULL, 0 },
};

static int set_option(struct mkfs_command *command, int opt, const char *value)
{
	static int (*const groups[])(struct mkfs_command *command, int opt, const char *value) = {
		mkfs_format_option,
		mkfs_size_option,
		mkfs_source_option,
		mkfs_behaviour_option,
		mkfs_machine_option,
	};
	int ret = MKFS_OPTION_OTHER;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(groups) && ret == MKFS_OPTION_OTHER; i++)
		ret = groups[i](command, opt, value);
	return ret;
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

/* Is @word in the comma-separated @list? */
static bool has_word(const char *list, const char *word)
{
	const size_t len = strlen(word);

	for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL) {
		if (strcspn(list, ",") == len && !strncmp(list, word, len))
			return true;
	}
	return false;
}

static enum mkfs_parse_result print_and_leave(int opt)
{
	if (opt == 'V')
		puts("btrfs-offline " PACKAGE_VERSION);
	else if (opt == 'O')
		mkfs_list_features();
	else
		fputs(mkfs_help_text, stdout);
	return MKFS_PARSE_DONE;
}

static enum mkfs_parse_result parse_all(struct mkfs_command *command, int argc, char **argv)
{
	int opt, index = 0;

	optind = 0;	/* a fresh scan, also of a shifted argument vector */
	while ((opt = getopt_long(argc, argv, "b:d:m:n:s:L:U:O:R:r:u:fqvKVhMl:A:", long_options, &index)) != -1) {
		switch (opt) {
		case '?':
			error("'btrfs-offline mkfs --help' lists the options");
			return MKFS_PARSE_ERROR;
		case 'V':
		case 'h':
		case OPT_HELP:
			return print_and_leave(opt);
		case 'l':
		case 'A':
			error("option -%c is not supported", opt);
			return MKFS_PARSE_ERROR;
		}
		if ((opt == 'O' || opt == 'R') && has_word(optarg, "list-all"))
			return print_and_leave('O');
		if (set_option(command, opt, optarg))
			return MKFS_PARSE_ERROR;
	}
	return MKFS_PARSE_RUN;
}

static int check_reflink(const struct mkfs_options *options)
{
	if (!options->reflink)
		return 0;
	if (!options->rootdir) {
		error("--reflink needs --rootdir, the tree whose blocks are shared");
		return -EINVAL;
	}
	if (options->compress.type) {
		error("--reflink and --compress do not go together: compressed data is in no file of the tree");
		return -EINVAL;
	}
	return 0;
}

static int check_rules(const struct mkfs_command *command)
{
	const char *option = source_rules_need_source(command->rules);

	if (!command->options.rootdir && option) {
		error("%s needs --rootdir, the tree that it is about", option);
		return -EINVAL;
	}
	return source_rules_check(command->rules);
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
	command->rules = source_rules_create();
	if (!command->rules) {
		error("out of memory");
		return MKFS_PARSE_ERROR;
	}
	options->rules = command->rules;
	result = parse_all(command, argc, argv);
	if (result != MKFS_PARSE_RUN)
		return result;
	if (take_epoch(options) || mkfs_choose_features(&command->features, options) || check_rules(command))
		return MKFS_PARSE_ERROR;
	options->devices = argv + optind;
	options->nr_devices = (unsigned)(argc - optind);
	if (!options->nr_devices) {
		error("no device or image file given; 'btrfs-offline mkfs --help' shows how");
		return MKFS_PARSE_ERROR;
	}
	if (options->nr_subvolumes && !options->rootdir) {
		error("--subvol %s: needs --rootdir, the directory that it is in", options->subvolumes[0].text);
		return MKFS_PARSE_ERROR;
	}
	if (check_reflink(options))
		return MKFS_PARSE_ERROR;
	return mkfs_check_size_options(command) ? MKFS_PARSE_ERROR : MKFS_PARSE_RUN;
}

void mkfs_release_command(struct mkfs_command *command)
{
	free(command->subvolumes);
	source_rules_destroy(command->rules);
}
