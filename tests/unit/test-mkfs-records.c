// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records about records, on whole filesystems: what an extent item says of a tree block against the block, and
 * quota groups against a count over the extent tree.
 */
#include "kernel-shared/qgroup-item.h"
#include "kernel-shared/volumes.h"
#include "mkfs/mkfs.h"
#include "reader/fs.h"
#include "reader/tree-search.h"
#include "reader/tree-walk.h"
#include "tests/unit/source-tree.h"

#define IMAGE_SIZE	(192 * SZ_1M)
#define NR_SUBVOLUMES	3	/* with the top level */

static char *const image_paths[] = { "image" };

/* Enough names for trees of three levels at node size 4096; files in two subvolumes, one inside the other. */
static int setup(void **state)
{
	static u8 data[400000];
	char path[64];
	u32 i;
	int ret = scratch_setup(state);

	if (!ret)
		ret = csum_init();
	for (i = 0; i < sizeof(data); i++)
		data[i] = (u8)(i * (i + 3) >> 9);
	assert_int_equal(mkdir("top/many", 0755), 0);
	for (i = 0; i < 6000; i++) {
		snprintf(path, sizeof(path), "top/many/a name of some length, number %u", i);
		make_file(path, data, i % 700);
	}
	assert_int_equal(mkdir("top/sub", 0755), 0);
	assert_int_equal(mkdir("top/sub/inner", 0755), 0);
	make_file("top/big", data, 400000);
	make_file("top/sub/one", data, 100000);
	make_file("top/sub/two", data, 50001);
	make_file("top/sub/inner/three", data, 300000);
	make_file("top/sub/inner/big", data, 400000);
	make_file("top/sub/inner/again", data, 400000);
	return ret;
}

static struct btrfs_image *make(const char *features, u32 nodesize, enum mkfs_dedupe dedupe)
{
	struct source_subvolume_spec specs[NR_SUBVOLUMES - 1];
	struct mkfs_feature_wishes wishes = { 0 };
	struct mkfs_options options = {
		.devices = image_paths, .nr_devices = 1, .rootdir = "top", .force = true, .nodesize = nodesize,
		.data_profile = MKFS_PROFILE_DEFAULT, .metadata_profile = MKFS_PROFILE_DEFAULT,
		.csum = csum_by_name("crc32c"), .subvolumes = specs, .nr_subvolumes = ARRAY_SIZE(specs),
		.dedupe = dedupe,
	};
	const struct btrfs_open_options open = { 0 };
	struct mkfs_report report;
	struct btrfs_image *image;

	assert_int_equal(source_subvolume_parse("rw:sub", &specs[0]), 0);
	assert_int_equal(source_subvolume_parse("ro:sub/inner", &specs[1]), 0);
	assert_int_equal(mkfs_parse_features(features, &wishes), 0);
	assert_int_equal(mkfs_choose_features(&wishes, &options), 0);
	make_file("image", "", 0);
	assert_int_equal(truncate("image", IMAGE_SIZE), 0);
	assert_int_equal(mkfs_run(&options, &report), 0);
	mkfs_report_release(&report);
	assert_int_equal(btrfs_image_open(&image, image_paths, 1, &open), 0);
	return image;
}

/* ---- tree blocks ---- */

struct block_count {
	const struct btrfs_image *image;
	struct btrfs_cursor extents;
	u64 blocks;
	int height;
};

static int read_block(void *arg, const struct btrfs_block_ref *ref, void *buf)
{
	const struct block_count *count = arg;

	assert_int_equal(btrfs_walk_read_any(count->image, ref, buf), BTRFS_WALK_CONTINUE);
	return BTRFS_WALK_CONTINUE;
}

/* Fat records have key, level and owner of their block. */
static int compare_block(void *arg, const struct btrfs_block_ref *ref, const void *block)
{
	struct block_count *count = arg;
	const struct btrfs_key key = { .objectid = ref->bytenr, .type = BTRFS_EXTENT_ITEM_KEY };
	const struct btrfs_extent_item *extent;
	const struct btrfs_tree_block_info *info;
	struct btrfs_key first = { 0 }, said;

	assert_int_equal(btrfs_cursor_seek(&count->extents, &key), 0);
	assert_int_equal(count->extents.key.objectid, ref->bytenr);
	assert_int_equal(count->extents.key.type, BTRFS_EXTENT_ITEM_KEY);
	assert_int_equal(count->extents.key.offset, count->image->check.nodesize);
	assert_int_equal(count->extents.size, sizeof(*extent) + sizeof(*info) + 9);
	extent = count->extents.item;
	info = (const void *)(extent + 1);
	if (btrfs_header_nritems(block))
		first = btrfs_slot_key(block, 0);
	said = btrfs_disk_key_to_cpu(&info->key);
	assert_int_equal(btrfs_comp_cpu_keys(&first, &said), 0);
	assert_int_equal(info->level, ref->level);
	assert_int_equal(get_unaligned_le64((const u8 *)(info + 1) + 1), ref->tree);
	count->blocks++;
	count->height = MAX(count->height, ref->level + 1);
	return 0;
}

static int walk_tree(void *arg, const struct btrfs_tree_root *root)
{
	static const struct btrfs_walk_ops ops = { .read = read_block, .node = compare_block, .leaf = compare_block };
	struct block_count *count = arg;

	assert_int_equal(btrfs_walk_tree(count->image, root, &ops, arg), 0);
	return 0;
}

static void check_fat_records(u32 nodesize, int height)
{
	struct btrfs_image *image = make("^skinny-metadata,quota", nodesize, MKFS_DEDUPE_OFF);
	struct block_count count = { .image = image };
	struct btrfs_tree_root root = btrfs_root_tree_root(image), extents, chunks = btrfs_chunk_tree_root(image);

	assert_int_equal(btrfs_find_root(image, BTRFS_EXTENT_TREE_OBJECTID, &extents), 0);
	assert_int_equal(btrfs_cursor_init(&count.extents, image, &extents), 0);
	walk_tree(&count, &root);
	walk_tree(&count, &chunks);
	assert_int_equal(btrfs_each_root(image, &root, walk_tree, &count), 0);
	assert_true(count.blocks > (u64)10);
	assert_int_equal(count.height, height);
	btrfs_cursor_release(&count.extents);
	btrfs_image_close(image);
}

static void test_fat_records(void **state)
{
	(void)state;
	check_fat_records(SZ_4K, 3);
	check_fat_records(SZ_16K, 2);
	check_fat_records(SZ_64K, 2);
}

/* ---- quotas ---- */

static unsigned subvolume_number(u64 root)
{
	if (root == BTRFS_FS_TREE_OBJECTID)
		return 0;
	assert_in_range(root, BTRFS_FIRST_FREE_OBJECTID, BTRFS_FIRST_FREE_OBJECTID + NR_SUBVOLUMES - 2);
	return (unsigned)(root - BTRFS_FIRST_FREE_OBJECTID) + 1;
}

/* The extent at the cursor. With simple quotas the owner comes first, and is who refers to it. */
static void count_extent(const struct btrfs_cursor *extents, const struct btrfs_image *image, bool simple, u64 *used)
{
	const struct btrfs_extent_item *extent = extents->item;
	const struct btrfs_extent_inline_ref *ref = (const void *)(extent + 1);
	u64 root = le64_to_cpu(ref->offset), owner = root;

	if (extents->key.type == BTRFS_METADATA_ITEM_KEY) {
		if (btrfs_is_fstree(root) && root != BTRFS_DATA_RELOC_TREE_OBJECTID)
			used[subvolume_number(root)] += image->check.nodesize;
		return;
	}
	if (extents->key.type != BTRFS_EXTENT_ITEM_KEY)
		return;
	if (simple) {
		assert_int_equal(ref->type, BTRFS_EXTENT_OWNER_REF_KEY);
		ref++;
	}
	assert_int_equal(ref->type, BTRFS_EXTENT_DATA_REF_KEY);
	root = get_unaligned_le64((const u8 *)ref + 1);
	if (simple)
		assert_int_equal(owner, root);
	used[subvolume_number(root)] += extents->key.offset;
}

static void count_extents(const struct btrfs_image *image, bool simple, u64 *used)
{
	const struct btrfs_key key = { 0 };
	struct btrfs_cursor extents;
	struct btrfs_tree_root root;
	int ret;

	assert_int_equal(btrfs_find_root(image, BTRFS_EXTENT_TREE_OBJECTID, &root), 0);
	assert_int_equal(btrfs_cursor_init(&extents, image, &root), 0);
	for (ret = btrfs_cursor_seek(&extents, &key); !ret; ret = btrfs_cursor_next(&extents))
		count_extent(&extents, image, simple, used);
	assert_int_equal(ret, 1);
	btrfs_cursor_release(&extents);
}

static void expect_info(struct btrfs_cursor *quota, u64 id, u64 used, bool simple)
{
	const struct btrfs_qgroup_info_item *info = quota->item;

	assert_int_equal(quota->key.type, BTRFS_QGROUP_INFO_KEY);
	assert_int_equal(quota->key.offset, id);
	assert_int_equal(le64_to_cpu(info->generation), 1);
	assert_int_equal(le64_to_cpu(info->rfer), used);
	assert_int_equal(le64_to_cpu(info->excl), used);
	assert_int_equal(le64_to_cpu(info->rfer_cmpr), simple ? 0 : used);
	assert_int_equal(le64_to_cpu(info->excl_cmpr), simple ? 0 : used);
}

static void expect_status(const struct btrfs_cursor *quota, bool simple)
{
	const struct btrfs_qgroup_status_v2 *status = quota->item;

	assert_int_equal(quota->key.type, BTRFS_QGROUP_STATUS_KEY);
	assert_int_equal(quota->size, simple ? 40 : 32);
	assert_int_equal(le64_to_cpu(status->version), 1);
	assert_int_equal(le64_to_cpu(status->generation), 1);
	assert_int_equal(le64_to_cpu(status->flags), simple ? 9 : 1);
	assert_int_equal(le64_to_cpu(status->rescan), 0);
	if (simple)
		assert_int_equal(le64_to_cpu(status->enable_gen), 1);
}

static void check_quota(const char *feature, bool simple)
{
	static const u64 ids[NR_SUBVOLUMES] = { 5, 256, 257 };
	const struct btrfs_key key = { 0 };
	struct btrfs_image *image = make(feature, SZ_16K, MKFS_DEDUPE_OFF);
	struct btrfs_cursor quota;
	struct btrfs_tree_root root;
	u64 used[NR_SUBVOLUMES] = { 0 };
	unsigned i;

	assert_int_equal(btrfs_image_incompat(image, BTRFS_FEATURE_INCOMPAT_SIMPLE_QUOTA) != 0, simple);
	count_extents(image, simple, used);
	assert_int_equal(used[1], SZ_16K + 102400 + 53248);
	assert_int_equal(used[2], SZ_16K + 303104 + 2 * 401408);
	assert_int_equal(btrfs_find_root(image, BTRFS_QUOTA_TREE_OBJECTID, &root), 0);
	assert_int_equal(btrfs_cursor_init(&quota, image, &root), 0);
	assert_int_equal(btrfs_cursor_seek(&quota, &key), 0);
	expect_status(&quota, simple);
	for (i = 0; i < NR_SUBVOLUMES; i++) {
		assert_int_equal(btrfs_cursor_next(&quota), 0);
		expect_info(&quota, ids[i], used[i], simple);
	}
	for (i = 0; i < NR_SUBVOLUMES; i++) {
		assert_int_equal(btrfs_cursor_next(&quota), 0);
		assert_int_equal(quota.key.type, BTRFS_QGROUP_LIMIT_KEY);
		assert_int_equal(quota.key.offset, ids[i]);
	}
	assert_int_equal(btrfs_cursor_next(&quota), 1);
	btrfs_cursor_release(&quota);
	btrfs_image_close(image);
}

static void test_quota(void **state)
{
	(void)state;
	check_quota("quota", false);
	check_quota("squota", true);
}

static struct btrfs_qgroup_info_item usage(const struct btrfs_image *image, u64 id)
{
	const struct btrfs_key key = { .type = BTRFS_QGROUP_INFO_KEY, .offset = id };
	struct btrfs_qgroup_info_item info;
	struct btrfs_cursor quota;
	struct btrfs_tree_root root;

	assert_int_equal(btrfs_find_root(image, BTRFS_QUOTA_TREE_OBJECTID, &root), 0);
	assert_int_equal(btrfs_cursor_init(&quota, image, &root), 0);
	assert_int_equal(btrfs_cursor_seek(&quota, &key), 0);
	assert_int_equal(quota.key.offset, id);
	memcpy(&info, quota.item, sizeof(info));
	btrfs_cursor_release(&quota);
	return info;
}

static void expect_usage(const struct btrfs_image *image, u64 id, u64 referenced, u64 exclusive)
{
	const struct btrfs_qgroup_info_item info = usage(image, id);

	assert_int_equal(le64_to_cpu(info.rfer), referenced);
	assert_int_equal(le64_to_cpu(info.excl), exclusive);
}

/* Bytes of the top level that another subvolume refers to as well. */
static u64 top_shares(const struct btrfs_image *image)
{
	const struct btrfs_qgroup_info_item info = usage(image, BTRFS_FS_TREE_OBJECTID);

	return le64_to_cpu(info.rfer) - le64_to_cpu(info.excl);
}

/* The top level and 257 share one file, which 257 has twice; whole extents count. */
static void test_shared(void **state)
{
	struct btrfs_image *image = make("quota", SZ_16K, MKFS_DEDUPE_FILE);

	(void)state;
	expect_usage(image, 257, SZ_16K + 303104 + 401408, SZ_16K + 303104);
	expect_usage(image, 256, SZ_16K + 102400 + 53248, SZ_16K + 102400 + 53248);
	assert_int_equal(top_shares(image), 401408);
	btrfs_image_close(image);
	/* with simple quotas it is of the top level, which had it first */
	image = make("squota", SZ_16K, MKFS_DEDUPE_FILE);
	expect_usage(image, 257, SZ_16K + 303104, SZ_16K + 303104);
	assert_int_equal(top_shares(image), 0);
	btrfs_image_close(image);
}

static void test_no_quota(void **state)
{
	struct btrfs_image *image = make("", SZ_16K, MKFS_DEDUPE_OFF);
	struct btrfs_tree_root root;

	(void)state;
	assert_int_equal(btrfs_find_root(image, BTRFS_QUOTA_TREE_OBJECTID, &root), -ENOENT);
	btrfs_image_close(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fat_records),
		cmocka_unit_test(test_quota),
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_no_quota),
	};

	return cmocka_run_group_tests(tests, setup, scratch_teardown);
}
