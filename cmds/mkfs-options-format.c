// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options of mkfs that say what the filesystem looks like.
 */
#include <errno.h>
#include <string.h>

#include "cmds/mkfs-option-groups.h"
#include "cmds/option-values.h"
#include "common/message.h"
#include "compression/compression.h"
#include "kernel-shared/volumes.h"

static int take_profile(const char *option, const char *value, u64 *profile)
{
	const struct btrfs_raid_attr *attr = btrfs_raid_by_name(value);

	if (!attr)
		return option_bad_value(option, value,
					"single, dup, raid0, raid1, raid1c3, raid1c4, raid10, raid5 or raid6");
	*profile = attr->bg_flag;
	return 0;
}

static int take_dedupe(const char *value, enum mkfs_dedupe *dedupe)
{
	static const struct option_choice units[] = {
		{ "file", MKFS_DEDUPE_FILE },
		{ "block", MKFS_DEDUPE_BLOCK },
		{ NULL, 0 },
	};
	int number = MKFS_DEDUPE_FILE;
	int ret = value ? option_word("dedupe", value, units, &number) : 0;

	*dedupe = (enum mkfs_dedupe)number;
	return ret;
}

static int take_reflink(const char *value, enum mkfs_reflink *reflink)
{
	static const struct option_choice words[] = {
		{ "auto", MKFS_REFLINK_AUTO },
		{ "always", MKFS_REFLINK_ALWAYS },
		{ "never", MKFS_REFLINK_NEVER },
		{ NULL, 0 },
	};
	int number = MKFS_REFLINK_AUTO;
	int ret = value ? option_word("reflink", value, words, &number) : 0;

	*reflink = (enum mkfs_reflink)number;
	return ret;
}

static int take_compression(const char *value, struct compression *compression)
{
	const char *problem = compression_parse(value, strlen(value), compression);

	if (!problem)
		return 0;
	error("--compress %s: %s", value, problem);
	return -EINVAL;
}

int mkfs_format_option(struct mkfs_command *command, int opt, const char *value)
{
	struct mkfs_options *options = &command->options;

	switch (opt) {
	case 'd':
		return take_profile("data", value, &options->data_profile);
	case 'm':
		return take_profile("metadata", value, &options->metadata_profile);
	case 'M':
		return mkfs_parse_features("mixed-bg", &command->features);
	case 'n':
		return option_size32("nodesize", value, &options->nodesize);
	case 's':
		return option_size32("sectorsize", value, &options->sectorsize);
	case 'U':
		options->fsid = command->fsid;
		return option_uuid("uuid", value, command->fsid);
	case OPT_DEVICE_UUID:
		options->device_uuid = command->device_uuid;
		return option_uuid("device-uuid", value, command->device_uuid);
	case OPT_CSUM:
		options->csum = csum_by_name(value);
		return options->csum ? 0 : option_bad_value("csum", value, "crc32c, xxhash, sha256 or blake2");
	case 'L':
		options->label = value;
		return 0;
	case OPT_COMPRESS:
		return take_compression(value, &options->compress);
	case OPT_DEDUPE:
		return take_dedupe(value, &options->dedupe);
	case OPT_REFLINK:
		return take_reflink(value, &options->reflink);
	case OPT_DEDUPE_MEMORY:
		return option_size("dedupe-memory", value, &options->dedupe_memory);
	case OPT_SEED:
		options->seed = value;
		return 0;
	case 'O':
	case 'R':
		return mkfs_parse_features(value, &command->features);
	case OPT_COMPAT:
		if (mkfs_compat_kernel(value, &options->compat_kernel))
			return option_bad_value("compat", value, "5.4, 5.10, 5.15, 6.1, 6.6 or 6.12");
		return 0;
	default:
		return MKFS_OPTION_OTHER;
	}
}
