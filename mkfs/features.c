// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The -O list: names, bits, dependencies. Names, versions and defaults are those of mkfs.btrfs(8), 6.19.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "kernel-shared/ctree.h"
#include "mkfs/compat.h"

#define V(major, minor)	KERNEL_VERSION(major, minor, 0)

enum feature_kind {
	FEATURE_INCOMPAT,
	FEATURE_COMPAT_RO,
	FEATURE_QUOTA,		/* ->bits is an enum mkfs_quota */
	FEATURE_NOT_YET,	/* known by name, refused by name */
};

struct feature {
	const char *name;
	const char *alias;
	enum feature_kind kind;
	u64 bits;
	/* Linux versions: mounts it, is trusted with it; 0: none said so */
	u32 compat;
	u32 safe;
	/* version of mkfs.btrfs that turns it on; 0: off */
	u32 by_default;
	const char *text;
};

static const struct feature features[] = {
	{ "mixed-bg", NULL, FEATURE_INCOMPAT, BTRFS_FEATURE_INCOMPAT_MIXED_GROUPS, KERNEL_VERSION(2, 6, 37),
	  KERNEL_VERSION(2, 6, 37), 0, "data and metadata in one kind of block group (also --mixed)" },
	{ "quota", NULL, FEATURE_QUOTA, MKFS_QUOTA_HIERARCHY, V(3, 4), 0, 0,
	  "quota groups in a hierarchy, with exact shared and exclusive sizes" },
	{ "squota", NULL, FEATURE_QUOTA, MKFS_QUOTA_SIMPLE, V(6, 7), 0, 0,
	  "simple quotas: an extent counts for the subvolume that made it" },
	{ "extref", "extended-iref", FEATURE_INCOMPAT, BTRFS_FEATURE_INCOMPAT_EXTENDED_IREF,
	  V(3, 7), V(3, 12), V(3, 12), "many hard links to one file in one directory" },
	{ "raid56", NULL, FEATURE_INCOMPAT, BTRFS_FEATURE_INCOMPAT_RAID56, V(3, 9), 0, 0,
	  "profiles raid5 and raid6, set where they are used" },
	{ "skinny-metadata", NULL, FEATURE_INCOMPAT, BTRFS_FEATURE_INCOMPAT_SKINNY_METADATA,
	  V(3, 10), V(3, 18), V(3, 18), "smaller extent records of metadata" },
	{ "no-holes", NULL, FEATURE_INCOMPAT, BTRFS_FEATURE_INCOMPAT_NO_HOLES,
	  V(3, 14), V(4, 0), V(5, 15), "no records for holes in files" },
	{ "raid1c34", NULL, FEATURE_INCOMPAT, BTRFS_FEATURE_INCOMPAT_RAID1C34, V(5, 5), 0, 0,
	  "profiles raid1c3 and raid1c4, set where they are used" },
	{ "zoned", NULL, FEATURE_NOT_YET, 0, V(5, 12), 0, 0, "zoned devices" },
	{ "extent-tree-v2", NULL, FEATURE_NOT_YET, 0, 0, 0, 0, "extent tree version 2" },
	{ "free-space-tree", "fst", FEATURE_COMPAT_RO,
	  BTRFS_FEATURE_COMPAT_RO_FREE_SPACE_TREE | BTRFS_FEATURE_COMPAT_RO_FREE_SPACE_TREE_VALID,
	  V(4, 5), V(4, 9), V(5, 15), "free space in a tree: space_cache=v2" },
	{ "block-group-tree", "bgt", FEATURE_COMPAT_RO, BTRFS_FEATURE_COMPAT_RO_BLOCK_GROUP_TREE,
	  V(6, 1), V(6, 6), V(6, 19), "block groups in a tree of their own, for fast mounts" },
	{ "raid-stripe-tree", "rst", FEATURE_NOT_YET, 0, V(6, 7), 0, 0, "raid stripe tree" },
};

_Static_assert(ARRAY_SIZE(features) <= 32, "struct mkfs_feature_wishes has a bit for each");

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

/* ---- what is asked for ---- */

static int take_word(const char *word, struct mkfs_feature_wishes *wishes)
{
	const bool off = word[0] == '^';
	const struct feature *feature = find_feature(word + off);
	u32 bit;

	if (!feature) {
		error("unknown feature '%s'; -O list-all shows those that exist", word + off);
		return -EINVAL;
	}
	if (feature->kind == FEATURE_NOT_YET && !off) {
		error("feature '%s' (%s) is not supported; -O list-all shows those that are", feature->name,
		      feature->text);
		return -EINVAL;
	}
	bit = (u32)1 << (feature - features);
	wishes->on = off ? wishes->on & ~bit : wishes->on | bit;
	wishes->off = off ? wishes->off | bit : wishes->off & ~bit;
	return 0;
}

int mkfs_parse_features(const char *list, struct mkfs_feature_wishes *wishes)
{
	char *copy = strdup(list), *rest = copy, *word;
	int ret = copy ? 0 : -ENOMEM;

	while (!ret && (word = strsep(&rest, ","))) {
		if (*word)
			ret = take_word(word, wishes);
	}
	free(copy);
	return ret;
}

/* ---- what is made of it ---- */

static bool is_wished(const struct mkfs_feature_wishes *wishes, const char *name)
{
	return wishes->on & (u32)1 << (find_feature(name) - features);
}

/* An old kernel gets what it can be trusted with. */
static bool is_on(const struct mkfs_feature_wishes *wishes, const struct feature *feature, u32 kernel)
{
	const u32 bit = (u32)1 << (feature - features);
	const u32 since = feature->safe ? feature->safe : feature->compat;

	if ((wishes->on | wishes->off) & bit)
		return wishes->on & bit;
	return feature->by_default && (!kernel || since <= kernel);
}

/* The kernel mounts a block group tree only beside these two; without a wish for it, it goes with them. */
static int check_block_group_tree(const struct mkfs_feature_wishes *wishes, struct mkfs_options *options)
{
	const bool holes = options->incompat & BTRFS_FEATURE_INCOMPAT_NO_HOLES;
	const bool space = options->compat_ro & BTRFS_FEATURE_COMPAT_RO_FREE_SPACE_TREE;

	if ((holes && space) || !(options->compat_ro & BTRFS_FEATURE_COMPAT_RO_BLOCK_GROUP_TREE))
		return 0;
	if (is_wished(wishes, "block-group-tree")) {
		error("feature 'block-group-tree' needs 'free-space-tree' and 'no-holes', but '%s' is turned off",
		      space ? "no-holes" : "free-space-tree");
		return -EINVAL;
	}
	options->compat_ro &= ~BTRFS_FEATURE_COMPAT_RO_BLOCK_GROUP_TREE;
	return 0;
}

int mkfs_choose_features(const struct mkfs_feature_wishes *wishes, struct mkfs_options *options)
{
	size_t i;

	options->incompat = BTRFS_FEATURE_INCOMPAT_MIXED_BACKREF;
	options->compat_ro = 0;
	options->quota = MKFS_QUOTA_NONE;
	if (is_wished(wishes, "quota") && is_wished(wishes, "squota")) {
		error("features 'quota' and 'squota' exclude each other: choose one");
		return -EINVAL;
	}
	for (i = 0; i < ARRAY_SIZE(features); i++) {
		const struct feature *feature = &features[i];

		if (!is_on(wishes, feature, options->compat_kernel))
			continue;
		if (feature->kind == FEATURE_INCOMPAT)
			options->incompat |= feature->bits;
		else if (feature->kind == FEATURE_COMPAT_RO)
			options->compat_ro |= feature->bits;
		else
			options->quota = (enum mkfs_quota)feature->bits;
	}
	if (options->quota == MKFS_QUOTA_SIMPLE)
		options->incompat |= BTRFS_FEATURE_INCOMPAT_SIMPLE_QUOTA;
	return check_block_group_tree(wishes, options);
}

/* ---- the list ---- */

static void print_version(const char **separator, const char *name, u32 version)
{
	if (!version)
		return;
	printf("%s%s=%s", *separator, name, kernel_version_text(version).text);
	*separator = ", ";
}

static void print_feature(const struct feature *feature)
{
	const char *separator = " (";

	printf("%-20s- %s", feature->name, feature->text);
	print_version(&separator, "compat", feature->compat);
	print_version(&separator, "safe", feature->safe);
	print_version(&separator, "default", feature->by_default);
	puts(*separator == ',' ? ")" : "");
}

/* Scripts take a line that begins with a name for a feature that can be used. */
void mkfs_list_features(void)
{
	const char *separator = "Not supported:";
	size_t i;

	puts("Filesystem features available (a leading ^ turns one off):");
	for (i = 0; i < ARRAY_SIZE(features); i++) {
		if (features[i].kind != FEATURE_NOT_YET)
			print_feature(&features[i]);
	}
	for (i = 0; i < ARRAY_SIZE(features); i++) {
		if (features[i].kind != FEATURE_NOT_YET)
			continue;
		printf("%s %s", separator, features[i].name);
		separator = ",";
	}
	putchar('\n');
}
