// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The -O list: names, bits, dependencies. Names and defaults are those of mkfs.btrfs(8), 6.19.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "kernel-shared/ctree.h"
#include "mkfs/mkfs.h"

enum feature_kind {
	FEATURE_INCOMPAT,
	FEATURE_COMPAT_RO,
	FEATURE_NOT_YET,	/* known by name, refused by name */
};

struct feature {
	const char *name;
	const char *alias;
	enum feature_kind kind;
	u64 bits;
	bool by_default;
	bool fixed;		/* cannot be turned off */
	const char *text;
};

static const struct feature features[] = {
	{ "mixed-bg", NULL, FEATURE_NOT_YET, 0, false, false, "data and metadata in one kind of block group" },
	{ "quota", NULL, FEATURE_NOT_YET, 0, false, false, "hierarchical quota groups" },
	{ "squota", NULL, FEATURE_NOT_YET, 0, false, false, "simple quotas" },
	{ "raid56", NULL, FEATURE_NOT_YET, 0, false, false, "profiles raid5 and raid6" },
	{ "zoned", NULL, FEATURE_NOT_YET, 0, false, false, "zoned devices" },
	{ "raid-stripe-tree", NULL, FEATURE_NOT_YET, 0, false, false, "raid stripe tree" },
	{ "extent-tree-v2", NULL, FEATURE_NOT_YET, 0, false, false, "extent tree version 2" },
	{ "extref", "extended-iref", FEATURE_INCOMPAT, BTRFS_FEATURE_INCOMPAT_EXTENDED_IREF, true, false,
	  "many hard links to one file in one directory" },
	{ "skinny-metadata", NULL, FEATURE_INCOMPAT, BTRFS_FEATURE_INCOMPAT_SKINNY_METADATA, true, true,
	  "smaller extent records of metadata" },
	{ "no-holes", NULL, FEATURE_INCOMPAT, BTRFS_FEATURE_INCOMPAT_NO_HOLES, true, false,
	  "no records for holes in files" },
	{ "raid1c34", NULL, FEATURE_INCOMPAT, BTRFS_FEATURE_INCOMPAT_RAID1C34, false, false,
	  "profiles raid1c3 and raid1c4 (set where they are used)" },
	{ "free-space-tree", "fst", FEATURE_COMPAT_RO,
	  BTRFS_FEATURE_COMPAT_RO_FREE_SPACE_TREE | BTRFS_FEATURE_COMPAT_RO_FREE_SPACE_TREE_VALID, true, false,
	  "free space in a tree" },
	{ "block-group-tree", "bgt", FEATURE_COMPAT_RO, BTRFS_FEATURE_COMPAT_RO_BLOCK_GROUP_TREE, true, false,
	  "block groups in a tree of their own, for fast mounts" },
};

void mkfs_default_features(u64 *incompat, u64 *compat_ro)
{
	size_t i;

	*incompat = BTRFS_FEATURE_INCOMPAT_MIXED_BACKREF;
	*compat_ro = 0;
	for (i = 0; i < ARRAY_SIZE(features); i++) {
		if (!features[i].by_default)
			continue;
		*(features[i].kind == FEATURE_INCOMPAT ? incompat : compat_ro) |= features[i].bits;
	}
}

static const struct feature *find_feature(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(features); i++) {
		if (!strcmp(name, features[i].name))
			return &features[i];
		if (features[i].alias && !strcmp(name, features[i].alias))
			return &features[i];
	}
	return NULL;
}

static int apply_feature(const char *word, u64 *incompat, u64 *compat_ro)
{
	bool off = word[0] == '^';
	const struct feature *feature = find_feature(word + off);
	u64 *flags;

	if (!feature) {
		error("unknown feature '%s'; -O list-all shows those that exist", word + off);
		return -EINVAL;
	}
	if (feature->kind == FEATURE_NOT_YET) {
		if (off)
			return 0;
		error("feature '%s' is not supported yet", feature->name);
		return -EINVAL;
	}
	if (off && feature->fixed) {
		error("feature '%s' cannot be turned off: this program writes no filesystem without it",
		      feature->name);
		return -EINVAL;
	}
	flags = feature->kind == FEATURE_INCOMPAT ? incompat : compat_ro;
	if (off)
		*flags &= ~feature->bits;
	else
		*flags |= feature->bits;
	return 0;
}

/*
 * The block group tree needs free-space-tree and no-holes. Turning one of those off turns it off as well
 * (so does mkfs.btrfs 6.19), unless it was asked for by name.
 */
static int check_dependencies(const char *list, u64 incompat, u64 *compat_ro)
{
	const u64 bgt = BTRFS_FEATURE_COMPAT_RO_BLOCK_GROUP_TREE;
	bool have = (incompat & BTRFS_FEATURE_INCOMPAT_NO_HOLES) &&
		    (*compat_ro & BTRFS_FEATURE_COMPAT_RO_FREE_SPACE_TREE);

	if (have || !(*compat_ro & bgt))
		return 0;
	if (strstr(list, "block-group-tree") || strstr(list, "bgt")) {
		error("feature 'block-group-tree' needs 'free-space-tree' and 'no-holes'");
		return -EINVAL;
	}
	*compat_ro &= ~bgt;
	return 0;
}

int mkfs_parse_features(const char *list, u64 *incompat, u64 *compat_ro)
{
	char *copy = strdup(list), *rest = copy, *word;
	int ret = copy ? 0 : -ENOMEM;

	while (!ret && (word = strsep(&rest, ","))) {
		if (*word)
			ret = apply_feature(word, incompat, compat_ro);
	}
	free(copy);
	return ret ? ret : check_dependencies(list, *incompat, compat_ro);
}

void mkfs_list_features(void)
{
	size_t i;

	puts("Features of -O; a leading ^ turns one off:");
	for (i = 0; i < ARRAY_SIZE(features); i++) {
		const struct feature *f = &features[i];

		printf("%-20s- %s (%s)\n", f->name, f->text,
		       f->kind == FEATURE_NOT_YET ? "not supported yet" : f->by_default ? "default" : "off");
	}
}
