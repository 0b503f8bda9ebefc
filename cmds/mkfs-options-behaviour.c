// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options of mkfs about what it does to its targets, and what it prints.
 */
#include "cmds/mkfs-option-groups.h"
#include "cmds/option-values.h"

int mkfs_behaviour_option(struct mkfs_command *command, int opt, const char *value)
{
	switch (opt) {
	case 'f':
		command->options.force = true;
		return 0;
	case 'q':
		command->quiet = true;
		return 0;
	case 'v':
		command->verbose = true;
		return 0;
	case 'K':
		command->options.discard = false;
		return 0;
	case OPT_VERIFY:
		command->verify = true;
		return 0;
	case OPT_FORMAT:
		return option_format(value, &command->json);
	case OPT_PROGRESS:
		return option_progress(value, &command->progress);
	default:
		return MKFS_OPTION_OTHER;
	}
}
