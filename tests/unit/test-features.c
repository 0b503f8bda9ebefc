// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The parser of -O, what it makes of defaults and wishes, and what --compat allows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <linux/version.h>
#include <string.h>

#include "kernel-shared/volumes.h"
#include "mkfs/compat.h"

#define V(major, minor)	KERNEL_VERSION(major, minor, 0)
#define EXTREF		BTRFS_FEATURE_INCOMPAT_EXTENDED_IREF
#define SKINNY		BTRFS_FEATURE_INCOMPAT_SKINNY_METADATA
#define NO_HOLES	BTRFS_FEATURE_INCOMPAT_NO_HOLES
#define SQUOTA		BTRFS_FEATURE_INCOMPAT_SIMPLE_QUOTA
#define FST		(BTRFS_FEATURE_COMPAT_RO_FREE_SPACE_TREE | BTRFS_FEATURE_COMPAT_RO_FREE_SPACE_TREE_VALID)
#define BGT		BTRFS_FEATURE_COMPAT_RO_BLOCK_GROUP_TREE
#define INCOMPAT	(BTRFS_FEATURE_INCOMPAT_MIXED_BACKREF | EXTREF | SKINNY | NO_HOLES)

/* The lists one after the other, for a kernel (0: any), into @options. */
static int choose(struct mkfs_options *options, u32 kernel, const char *first, const char *second)
{
	struct mkfs_feature_wishes wishes = { 0 };
	int ret = mkfs_parse_features(first, &wishes);

	if (!ret && second)
		ret = mkfs_parse_features(second, &wishes);
	options->compat_kernel = kernel;
	return ret ? ret : mkfs_choose_features(&wishes, options);
}

static void expect(u32 kernel, const char *list, u64 incompat, u64 compat_ro, enum mkfs_quota quota)
{
	struct mkfs_options options = { 0 };

	assert_int_equal(choose(&options, kernel, list, NULL), 0);
	assert_int_equal(options.incompat, incompat);
	assert_int_equal(options.compat_ro, compat_ro);
	assert_int_equal(options.quota, quota);
}

static void test_default(void **state)
{
	(void)state;
	expect(0, "", INCOMPAT, FST | BGT, MKFS_QUOTA_NONE);
	expect(0, ",,", INCOMPAT, FST | BGT, MKFS_QUOTA_NONE);
	expect(0, "extref,skinny-metadata,no-holes,fst,bgt", INCOMPAT, FST | BGT, MKFS_QUOTA_NONE);
}

static void test_one_by_one(void **state)
{
	(void)state;
	expect(0, "^extref", INCOMPAT & ~EXTREF, FST | BGT, MKFS_QUOTA_NONE);
	expect(0, "^extended-iref", INCOMPAT & ~EXTREF, FST | BGT, MKFS_QUOTA_NONE);
	expect(0, "^skinny-metadata", INCOMPAT & ~SKINNY, FST | BGT, MKFS_QUOTA_NONE);
	expect(0, "^block-group-tree", INCOMPAT, FST, MKFS_QUOTA_NONE);
	expect(0, "raid1c34", INCOMPAT | BTRFS_FEATURE_INCOMPAT_RAID1C34, FST | BGT, MKFS_QUOTA_NONE);
	expect(0, "quota", INCOMPAT, FST | BGT, MKFS_QUOTA_HIERARCHY);
	expect(0, "squota", INCOMPAT | SQUOTA, FST | BGT, MKFS_QUOTA_SIMPLE);
	/* not supported, and not there either */
	expect(0, "^zoned,^raid-stripe-tree,^extent-tree-v2", INCOMPAT, FST | BGT, MKFS_QUOTA_NONE);
}

/* The block group tree goes with what it needs, unless somebody asked for it. */
static void test_dependencies(void **state)
{
	struct mkfs_options options = { 0 };

	(void)state;
	expect(0, "^free-space-tree", INCOMPAT, 0, MKFS_QUOTA_NONE);
	expect(0, "^no-holes", INCOMPAT & ~NO_HOLES, FST, MKFS_QUOTA_NONE);
	expect(0, "^no-holes,^fst", INCOMPAT & ~NO_HOLES, 0, MKFS_QUOTA_NONE);
	assert_int_equal(choose(&options, 0, "block-group-tree,^fst", NULL), -EINVAL);
	assert_int_equal(choose(&options, 0, "^no-holes", "bgt"), -EINVAL);
	assert_int_equal(choose(&options, 0, "bgt", "^no-holes"), -EINVAL);
	assert_int_equal(choose(&options, 0, "quota,squota", NULL), -EINVAL);
	assert_int_equal(choose(&options, 0, "squota", "quota"), -EINVAL);
}

static void test_last_word_counts(void **state)
{
	struct mkfs_options options = { 0 };

	(void)state;
	expect(0, "^extref,extref", INCOMPAT, FST | BGT, MKFS_QUOTA_NONE);
	expect(0, "bgt,^fst,^bgt", INCOMPAT, 0, MKFS_QUOTA_NONE);
	expect(0, "quota,squota,^quota", INCOMPAT | SQUOTA, FST | BGT, MKFS_QUOTA_SIMPLE);
	assert_int_equal(choose(&options, 0, "bgt,^fst", "fst"), 0);
	assert_int_equal(options.compat_ro, FST | BGT);
}

static void test_bad_words(void **state)
{
	static const char *const bad[] = {
		"nonsense", "^nonsense", "no-holes,nonsense", "^^no-holes", "^", " no-holes", "NO-HOLES", "no-hole",
		"zoned", "raid-stripe-tree", "rst", "extent-tree-v2", "list-all",
	};
	struct mkfs_options options;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(choose(&options, 0, bad[i], NULL), -EINVAL);
}

/* ---- kernels ---- */

static void test_kernel_words(void **state)
{
	static const char *const bad[] = { "", "5", "5.3", "6.10", "5.15.0", "v6.1", "6.1 ", "latest" };
	u32 version = 0;
	size_t i;

	(void)state;
	assert_int_equal(mkfs_compat_kernel("5.4", &version), 0);
	assert_int_equal(version, V(5, 4));
	assert_int_equal(mkfs_compat_kernel("6.12", &version), 0);
	assert_int_equal(version, V(6, 12));
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(mkfs_compat_kernel(bad[i], &version), -EINVAL);
	assert_int_equal(version, V(6, 12));
	assert_string_equal(kernel_version_text(V(6, 12)).text, "6.12");
	assert_string_equal(kernel_version_text(KERNEL_VERSION(2, 6, 37)).text, "2.6.37");
}

/* What an old kernel can be trusted with, and what is asked for beyond that. */
static void test_kernel_defaults(void **state)
{
	(void)state;
	expect(V(5, 4), "", INCOMPAT, FST, MKFS_QUOTA_NONE);
	expect(V(5, 15), "", INCOMPAT, FST, MKFS_QUOTA_NONE);
	expect(V(6, 1), "", INCOMPAT, FST, MKFS_QUOTA_NONE);
	expect(V(6, 1), "bgt", INCOMPAT, FST | BGT, MKFS_QUOTA_NONE);
	expect(V(6, 6), "", INCOMPAT, FST | BGT, MKFS_QUOTA_NONE);
	expect(V(6, 6), "^bgt", INCOMPAT, FST, MKFS_QUOTA_NONE);
	expect(V(5, 4), "^fst,^no-holes,quota", INCOMPAT & ~NO_HOLES, 0, MKFS_QUOTA_HIERARCHY);
}

struct demand {
	const char *features;
	const char *csum;
	u64 metadata;
	u32 since;	/* the first of the kernels that takes it */
};

static int init(const struct demand *demand, u32 kernel)
{
	char *devices[] = { "a", "b", "c", "d" };
	struct mkfs_options options = {
		.devices = devices, .nr_devices = 4,
		.csum = csum_by_name(demand->csum), .metadata_profile = demand->metadata,
	};
	struct mkfs_layout layout = { 0 };
	int ret = choose(&options, kernel, demand->features, NULL);

	if (!ret)
		ret = mkfs_layout_init(&layout, &options);
	mkfs_layout_release(&layout);
	return ret;
}

static void test_what_kernels_lack(void **state)
{
	static const u32 kernels[] = { V(5, 4), V(5, 10), V(5, 15), V(6, 1), V(6, 6), V(6, 12), 0 };
	static const struct demand demands[] = {
		{ "", "crc32c", 0, V(5, 4) },
		{ "quota,^skinny-metadata,^no-holes", "crc32c", BTRFS_BLOCK_GROUP_RAID10, V(5, 4) },
		{ "", "xxhash", 0, V(5, 5) },
		{ "", "sha256", 0, V(5, 5) },
		{ "", "blake2", 0, V(5, 5) },
		{ "", "crc32c", BTRFS_BLOCK_GROUP_RAID1C3, V(5, 5) },
		{ "", "crc32c", BTRFS_BLOCK_GROUP_RAID1C4, V(5, 5) },
		{ "raid1c34", "crc32c", 0, V(5, 5) },
		{ "bgt", "crc32c", 0, V(6, 1) },
		{ "squota", "crc32c", 0, V(6, 7) },
	};
	size_t d, k;

	(void)state;
	for (d = 0; d < ARRAY_SIZE(demands); d++) {
		for (k = 0; k < ARRAY_SIZE(kernels); k++)
			assert_int_equal(init(&demands[d], kernels[k]),
					 kernels[k] && kernels[k] < demands[d].since ? -EINVAL : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_default),
		cmocka_unit_test(test_one_by_one),
		cmocka_unit_test(test_dependencies),
		cmocka_unit_test(test_last_word_counts),
		cmocka_unit_test(test_bad_words),
		cmocka_unit_test(test_kernel_words),
		cmocka_unit_test(test_kernel_defaults),
		cmocka_unit_test(test_what_kernels_lack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
