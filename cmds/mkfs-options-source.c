// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options of mkfs about the source tree.
 */
#include <errno.h>
#include <stdlib.h>

#include "cmds/mkfs-option-groups.h"
#include "cmds/option-values.h"
#include "common/message.h"

static int add_subvolume(struct mkfs_command *command, const char *value)
{
	struct mkfs_options *options = &command->options;
	struct source_subvolume_spec *grown = realloc(command->subvolumes,
						      (options->nr_subvolumes + 1) * sizeof(*grown));

	if (!grown) {
		error("--subvol %s: out of memory", value);
		return -EINVAL;
	}
	command->subvolumes = grown;
	options->subvolumes = grown;
	return source_subvolume_parse(value, &grown[options->nr_subvolumes++]);
}

int mkfs_source_option(struct mkfs_command *command, int opt, const char *value)
{
	static const struct option_choice changes[] = {
		{ "fail", SOURCE_CHANGE_FAIL },
		{ "keep", SOURCE_CHANGE_KEEP },
		{ NULL, 0 },
	};
	struct mkfs_options *options = &command->options;
	int number = SOURCE_CHANGE_FAIL;
	int ret;

	switch (opt) {
	case 'r':
		options->rootdir = value;
		return 0;
	case 'u':
		return add_subvolume(command, value);
	case OPT_STRICT:
		options->strict = true;
		return 0;
	case OPT_ONE_FILE_SYSTEM:
		options->one_file_system = true;
		return 0;
	case OPT_ON_CHANGE:
		ret = option_word("on-change", value, changes, &number);
		options->on_change = (enum source_on_change)number;
		return ret;
	default:
		return MKFS_OPTION_OTHER;
	}
}
