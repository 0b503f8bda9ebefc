/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of mkfs, in groups: each group is a file that knows its values.
 */
#ifndef BO_CMDS_MKFS_OPTION_GROUPS_H
#define BO_CMDS_MKFS_OPTION_GROUPS_H

#include "cmds/mkfs-options.h"

/* Options without a letter. */
enum mkfs_long_option {
	OPT_CSUM = 256,
	OPT_DEVICE_UUID,
	OPT_SHRINK,
	OPT_SLACK,
	OPT_OFFSET,
	OPT_LENGTH,
	OPT_DRY_RUN,
	OPT_COMPAT,
	OPT_CSUM_THREADS,
	OPT_CSUM_MODE,
	OPT_CSUM_INLINE_MAX,
	OPT_IO,
	OPT_IO_ENGINE,
	OPT_QUEUE_DEPTH,
	OPT_BUFFER_MEMORY,
	OPT_METADATA_MEMORY,
	OPT_DEVICE_RATE,
	OPT_COMPRESS,
	OPT_VERIFY,
	OPT_DEDUPE,
	OPT_REFLINK,
	OPT_DEDUPE_MEMORY,
	OPT_SEED,
	OPT_ON_CHANGE,
	OPT_STRICT,
	OPT_ONE_FILE_SYSTEM,
	OPT_OWNER,
	OPT_UID_MAP,
	OPT_GID_MAP,
	OPT_EXCLUDE,
	OPT_EXCLUDE_FROM,
	OPT_XATTR_EXCLUDE,
	OPT_BREAK_HARDLINKS,
	OPT_INODE_FLAGS,
	OPT_MANIFEST,
	OPT_VERITY,
	OPT_FORMAT,
	OPT_PROGRESS,
	OPT_HELP,
};

#define MKFS_OPTION_OTHER	1

/*
 * Takes option @opt with @value (NULL: it has none) if it is of this group. Returns 0, -EINVAL after a
 * message, or MKFS_OPTION_OTHER.
 */
int mkfs_format_option(struct mkfs_command *command, int opt, const char *value);
int mkfs_size_option(struct mkfs_command *command, int opt, const char *value);
int mkfs_source_option(struct mkfs_command *command, int opt, const char *value);
int mkfs_behaviour_option(struct mkfs_command *command, int opt, const char *value);
int mkfs_machine_option(struct mkfs_command *command, int opt, const char *value);

/* When all are taken: do they go together? 0 or -EINVAL after a message. */
int mkfs_check_size_options(const struct mkfs_command *command);

/* What --help shows. */
extern const char mkfs_help_text[];

#endif
