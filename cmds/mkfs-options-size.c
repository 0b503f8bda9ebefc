// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options of mkfs about how much of a target it takes.
 */
#include <errno.h>

#include "cmds/mkfs-option-groups.h"
#include "cmds/option-values.h"
#include "common/message.h"
#include "common/units.h"

#define OFFSET_UNIT	512		/* sectors of partition tables */
#define MOST_SLACK	((u64)1 << 46)	/* with room for its metadata on endless devices */

int mkfs_size_option(struct mkfs_command *command, int opt, const char *value)
{
	struct mkfs_options *options = &command->options;

	switch (opt) {
	case 'b':
		return option_size("byte-count", value, &options->byte_count);
	case OPT_SHRINK:
		options->shrink = true;
		return 0;
	case OPT_SLACK:
		return option_size("slack", value, &options->slack);
	case OPT_OFFSET:
		command->has_range = true;
		return option_size("offset", value, &options->offset);
	case OPT_LENGTH:
		command->has_range = true;
		return option_size("length", value, &options->length);
	case OPT_DRY_RUN:
		options->dry_run = true;
		return 0;
	default:
		return MKFS_OPTION_OTHER;
	}
}

int mkfs_check_size_options(const struct mkfs_command *command)
{
	const struct mkfs_options *options = &command->options;

	if (options->shrink && !options->rootdir) {
		error("--shrink needs --rootdir, the tree whose size it is about");
		return -EINVAL;
	}
	if (options->slack > MOST_SLACK) {
		error("--slack %llu: at most %llu bytes (%s)", (unsigned long long)options->slack,
		      (unsigned long long)MOST_SLACK, format_size(MOST_SLACK).text);
		return -EINVAL;
	}
	if (command->has_range && options->nr_devices > 1) {
		error("--offset and --length are for one target, %u given", options->nr_devices);
		return -EINVAL;
	}
	if (!IS_ALIGNED(options->offset, (u64)OFFSET_UNIT)) {
		error("--offset %llu: it must be a multiple of %u bytes", (unsigned long long)options->offset,
		      OFFSET_UNIT);
		return -EINVAL;
	}
	if (command->verify && options->dry_run) {
		error("--verify: with --dry-run there is nothing to read back");
		return -EINVAL;
	}
	return 0;
}
