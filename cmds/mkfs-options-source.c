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

static int take_verity(struct source_rules *rules, const char *value)
{
	static const struct option_choice choices[] = { { "off", false }, { "copy", true }, { NULL, 0 } };
	int copy = false;
	int ret = option_word("verity", value, choices, &copy);

	source_rules_copy_verity(rules, copy);
	return ret;
}

/* Options that make the tree another one than that on disk. */
static int rules_option(struct source_rules *rules, int opt, const char *value)
{
	switch (opt) {
	case OPT_OWNER:
		return source_rules_owner(rules, value);
	case OPT_UID_MAP:
		return source_rules_map_uids(rules, value);
	case OPT_GID_MAP:
		return source_rules_map_gids(rules, value);
	case OPT_EXCLUDE:
		return source_rules_exclude(rules, value);
	case OPT_EXCLUDE_FROM:
		return source_rules_exclude_from(rules, value);
	case OPT_XATTR_EXCLUDE:
		return source_rules_exclude_xattr(rules, value);
	case OPT_BREAK_HARDLINKS:
		source_rules_break_hardlinks(rules);
		return 0;
	case OPT_INODE_FLAGS:
		return source_rules_inode_flags(rules, value);
	case OPT_MANIFEST:
		return source_rules_manifest(rules, value);
	case OPT_VERITY:
		return take_verity(rules, value);
	default:
		return MKFS_OPTION_OTHER;
	}
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

	ret = rules_option(command->rules, opt, value);
	if (ret != MKFS_OPTION_OTHER)
		return ret;
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
