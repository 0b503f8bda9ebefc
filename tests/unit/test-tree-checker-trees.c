// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Items of the extent, chunk, device, free space, root and quota trees.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>

#include "kernel-shared/extent-item.h"
#include "kernel-shared/qgroup-item.h"
#include "kernel-shared/root-item.h"
#include "kernel-shared/volumes.h"
#include "tests/unit/leaf-builder.h"

static struct leaf_builder leaf;

static void expect_clean(void)
{
	leaf_expect_clean(&leaf);
}

static void expect_fault(const char *text)
{
	leaf_expect_fault(&leaf, 0, text);
}

/* A leaf of @owner with one zeroed item. */
static void *one_item(u64 owner, struct btrfs_key key, u32 size)
{
	leaf_init(&leaf, owner);
	return leaf_add(&leaf, key.objectid, key.type, key.offset, size);
}

#define EXTENT(key, size) one_item(BTRFS_EXTENT_TREE_OBJECTID, (struct btrfs_key)key, (size))
#define KEY(...) { __VA_ARGS__ }

/* ---- extent items ---- */

/* An extent of file data with one reference inside. */
struct btrfs_data_extent_record {
	struct btrfs_extent_item item;
	__u8 ref_type;
	struct btrfs_extent_data_ref ref;
} __attribute__((__packed__));

static struct btrfs_data_extent_record *data_extent(void)
{
	struct btrfs_data_extent_record *record;

	record = EXTENT(KEY(SZ_1M, BTRFS_EXTENT_ITEM_KEY, 65536), sizeof(*record));
	*record = (struct btrfs_data_extent_record){
		.item = {
			.refs = cpu_to_le64(1), .generation = cpu_to_le64(10), .flags = cpu_to_le64(BTRFS_EXTENT_FLAG_DATA),
		},
		.ref_type = BTRFS_EXTENT_DATA_REF_KEY,
		.ref = { .root = cpu_to_le64(5), .objectid = cpu_to_le64(257), .count = cpu_to_le32(1) },
	};
	return record;
}

/* The same with simple quotas. */
struct btrfs_owned_extent_record {
	struct btrfs_extent_item item;
	struct btrfs_extent_inline_ref owner;
	__u8 ref_type;
	struct btrfs_extent_data_ref ref;
} __attribute__((__packed__));

static struct btrfs_owned_extent_record *owned_extent(void)
{
	const struct btrfs_data_extent_record plain = *data_extent();
	struct btrfs_owned_extent_record *record;

	record = EXTENT(KEY(SZ_1M, BTRFS_EXTENT_ITEM_KEY, 65536), sizeof(*record));
	*record = (struct btrfs_owned_extent_record){
		.item = plain.item,
		.owner = { .type = BTRFS_EXTENT_OWNER_REF_KEY, .offset = cpu_to_le64(256) },
		.ref_type = plain.ref_type,
		.ref = plain.ref,
	};
	return record;
}

static struct btrfs_skinny_record *skinny(void)
{
	struct btrfs_skinny_record *record;

	record = EXTENT(KEY(SZ_1M, BTRFS_METADATA_ITEM_KEY, 1), sizeof(*record));
	btrfs_fill_skinny(record, 10, 5);
	return record;
}

static struct btrfs_tree_block_record *tree_block(void)
{
	const struct btrfs_key key = { 256, BTRFS_INODE_ITEM_KEY, 0 };
	const struct btrfs_disk_key first = btrfs_cpu_key_to_disk(&key);
	struct btrfs_tree_block_record *record;

	record = EXTENT(KEY(SZ_1M, BTRFS_EXTENT_ITEM_KEY, TEST_NODESIZE), sizeof(*record));
	btrfs_fill_tree_block(record, 10, 5, &first, 7);
	return record;
}

#define BAD(make, field, value, text) do {	\
	(make)->field = (value);		\
	expect_fault(text);			\
} while (0)

static void test_extent_items(void **state)
{
	const u64 both = BTRFS_EXTENT_FLAG_DATA | BTRFS_EXTENT_FLAG_TREE_BLOCK;

	(void)state;
	data_extent();
	expect_clean();
	skinny();
	expect_clean();
	tree_block();
	expect_clean();
	tree_block()->item.flags |= cpu_to_le64(BTRFS_BLOCK_FLAG_FULL_BACKREF);
	expect_clean();
	BAD(data_extent(), item.refs, 0, "refs 0");
	BAD(data_extent(), item.flags, 0, "either data or tree block");
	BAD(data_extent(), item.flags, cpu_to_le64(both), "either data or tree block");
	BAD(data_extent(), item.flags, cpu_to_le64(1 | 1ULL << 20), "unknown are 0x100000");
	BAD(data_extent(), item.flags, cpu_to_le64(1 | BTRFS_BLOCK_FLAG_FULL_BACKREF), "full backref");
	BAD(data_extent(), item.generation, cpu_to_le64(12), "generation 12");
	BAD(data_extent(), item.flags, cpu_to_le64(BTRFS_EXTENT_FLAG_TREE_BLOCK), "tree block of 65536");
	BAD(skinny(), item.flags, cpu_to_le64(BTRFS_EXTENT_FLAG_DATA), "not flagged as tree block");
	BAD(tree_block(), info.level, 8, "level 8");
	EXTENT(KEY(SZ_1M, BTRFS_EXTENT_ITEM_KEY, 4096), sizeof(struct btrfs_extent_item_v0));
	expect_fault("item of 4 bytes");
	skinny();
	leaf.ctx.incompat_flags = 0;
	expect_fault("lacks that feature");
}

static void test_extent_keys(void **state)
{
	(void)state;
	data_extent();
	leaf_item(&leaf, 0)->key.objectid = cpu_to_le64(SZ_1M + 512);
	expect_fault("not aligned");
	data_extent();
	leaf_item(&leaf, 0)->key.offset = 0;
	expect_fault("length 0");
	data_extent();
	leaf_item(&leaf, 0)->key.objectid = cpu_to_le64(UINT64_MAX & ~(u64)4095);
	expect_fault("wraps around");
	skinny();
	leaf_item(&leaf, 0)->key.offset = cpu_to_le64(8);
	expect_fault("level 8");
}

static void test_inline_refs(void **state)
{
	(void)state;
	BAD(data_extent(), ref_type, 255, "type 255 in an item of data");
	BAD(data_extent(), ref_type, BTRFS_TREE_BLOCK_REF_KEY, "type 176 in an item of data");
	BAD(data_extent(), ref.count, 0, "count 0");
	BAD(data_extent(), ref.count, cpu_to_le32(2), "refs 1, but 2 inline references");
	BAD(data_extent(), ref.offset, cpu_to_le64(1), "file offset of a reference");
	data_extent()->ref.offset = cpu_to_le64((u64)-4096);	/* a file offset before the extent's start */
	expect_clean();
	data_extent()->item.refs = cpu_to_le64(5);	/* the rest is keyed */
	expect_clean();
	owned_extent();
	expect_clean();
	BAD(owned_extent(), owner.type, BTRFS_SHARED_DATA_REF_KEY, "not aligned");
	BAD(owned_extent(), ref_type, BTRFS_EXTENT_OWNER_REF_KEY, "inline reference");
	BAD(skinny(), ref.type, BTRFS_EXTENT_OWNER_REF_KEY, "type 172 in an item of a tree block");
	BAD(skinny(), ref.type, BTRFS_EXTENT_DATA_REF_KEY, "type 178 in an item of a tree block");
	BAD(skinny(), ref.offset, 0, "from tree 0");
	BAD(skinny(), ref.type, 0, "type 0");
	skinny()->ref.type = BTRFS_SHARED_BLOCK_REF_KEY;
	expect_fault("not aligned");
}

struct pair {
	struct btrfs_extent_item item;
	struct btrfs_extent_inline_ref first;
	struct btrfs_extent_inline_ref second;
	__le32 count;
} __attribute__((__packed__));

/* Two references in one item; @count: the second is a SHARED_DATA_REF with its count. */
static struct pair *two_refs(u64 flags, u8 first, u8 second, bool count)
{
	struct pair *pair = EXTENT(KEY(SZ_1M, BTRFS_EXTENT_ITEM_KEY, TEST_NODESIZE),
				   sizeof(*pair) - (count ? 0 : 4));

	pair->item.refs = cpu_to_le64(2);
	pair->item.flags = cpu_to_le64(flags);
	pair->first = (struct btrfs_extent_inline_ref){ first, cpu_to_le64(SZ_1M) };
	pair->second = (struct btrfs_extent_inline_ref){ second, cpu_to_le64(SZ_1M) };
	if (count)
		pair->count = cpu_to_le32(2);
	return pair;
}

static void test_several_refs(void **state)
{
	struct pair *pair;

	(void)state;
	/* the owner of a simple quota comes first and counts for nothing */
	two_refs(BTRFS_EXTENT_FLAG_DATA, BTRFS_EXTENT_OWNER_REF_KEY, BTRFS_SHARED_DATA_REF_KEY, true);
	expect_clean();
	pair = two_refs(BTRFS_EXTENT_FLAG_DATA, BTRFS_EXTENT_OWNER_REF_KEY, BTRFS_SHARED_DATA_REF_KEY, true);
	BAD(pair, count, cpu_to_le32(3), "refs 2, but 3");
	BAD(pair, count, 0, "count 0");
	pair->count = cpu_to_le32(1);
	BAD(pair, second.offset, 0, "from block 0");
	two_refs(BTRFS_EXTENT_FLAG_DATA, BTRFS_EXTENT_OWNER_REF_KEY, BTRFS_SHARED_DATA_REF_KEY, false);
	expect_fault("13 bytes, the item has 9 left");

	pair = EXTENT(KEY(SZ_1M, BTRFS_METADATA_ITEM_KEY, 0), sizeof(*pair) - 4);
	pair->item.refs = cpu_to_le64(2);
	pair->item.flags = cpu_to_le64(BTRFS_EXTENT_FLAG_TREE_BLOCK);
	pair->first = (struct btrfs_extent_inline_ref){ BTRFS_TREE_BLOCK_REF_KEY, cpu_to_le64(256) };
	pair->second = (struct btrfs_extent_inline_ref){ BTRFS_SHARED_BLOCK_REF_KEY, cpu_to_le64(SZ_1M) };
	expect_clean();
	pair->first.type = BTRFS_SHARED_BLOCK_REF_KEY;
	pair->first.offset = cpu_to_le64(SZ_1M);
	pair->second.type = BTRFS_TREE_BLOCK_REF_KEY;
	expect_fault("type 176 behind type 182");
}

static void test_keyed_refs(void **state)
{
	struct btrfs_extent_data_ref *refs;
	struct btrfs_shared_data_ref *shared;

	(void)state;
	EXTENT(KEY(SZ_1M, BTRFS_TREE_BLOCK_REF_KEY, 5), 0);
	expect_clean();
	EXTENT(KEY(SZ_1M, BTRFS_TREE_BLOCK_REF_KEY, 5), 1);
	expect_fault("item of 1 bytes");
	EXTENT(KEY(SZ_1M, BTRFS_SHARED_BLOCK_REF_KEY, SZ_1M), 0);
	expect_clean();
	EXTENT(KEY(SZ_1M, BTRFS_SHARED_BLOCK_REF_KEY, 5), 0);
	expect_fault("not aligned");
	refs = EXTENT(KEY(SZ_1M, BTRFS_EXTENT_DATA_REF_KEY, 12345), 2 * sizeof(*refs));
	refs[0].count = refs[1].count = cpu_to_le32(1);
	expect_clean();
	refs[1].count = 0;
	expect_fault("count 0");
	EXTENT(KEY(SZ_1M, BTRFS_EXTENT_DATA_REF_KEY, 12345), sizeof(*refs) + 1);
	expect_fault("multiple of 28");
	shared = EXTENT(KEY(SZ_1M, BTRFS_SHARED_DATA_REF_KEY, SZ_1M), sizeof(*shared));
	expect_fault("count 0");
	shared->count = cpu_to_le32(1);
	expect_clean();
}

/* ---- block groups and free space ---- */

static struct btrfs_block_group_item *block_group(void)
{
	struct btrfs_block_group_item *group;

	group = EXTENT(KEY(SZ_1M, BTRFS_BLOCK_GROUP_ITEM_KEY, SZ_1M), sizeof(*group));
	btrfs_fill_block_group(group, SZ_1M, BTRFS_BLOCK_GROUP_DATA);
	return group;
}

static void test_block_groups(void **state)
{
	const u64 two = BTRFS_BLOCK_GROUP_DATA | BTRFS_BLOCK_GROUP_RAID0 | BTRFS_BLOCK_GROUP_DUP;

	(void)state;
	block_group();
	expect_clean();
	block_group()->flags = cpu_to_le64(BTRFS_BLOCK_GROUP_DATA | BTRFS_BLOCK_GROUP_METADATA);
	expect_clean();
	BAD(block_group(), used, cpu_to_le64(SZ_1M + 1), "used 1048577");
	BAD(block_group(), chunk_objectid, 0, "chunk_objectid 0");
	BAD(block_group(), flags, cpu_to_le64(two), "more than one profile");
	BAD(block_group(), flags, 0, "no valid type");
	BAD(block_group(), flags, cpu_to_le64(3), "no valid type");
	BAD(block_group(), flags, cpu_to_le64(1 | 1ULL << 60), "unknown bits");
	block_group();
	leaf_item(&leaf, 0)->key.offset = 0;
	expect_fault("length 0");
}

static void *free_space(u8 type, u64 offset, u32 size)
{
	return one_item(BTRFS_FREE_SPACE_TREE_OBJECTID, (struct btrfs_key){ SZ_1M, type, offset }, size);
}

static void test_free_space(void **state)
{
	struct btrfs_free_space_info *info = free_space(BTRFS_FREE_SPACE_INFO_KEY, SZ_1M, sizeof(*info));

	(void)state;
	expect_clean();
	info->flags = cpu_to_le32(BTRFS_FREE_SPACE_USING_BITMAPS);
	expect_clean();
	info->flags = cpu_to_le32(2);
	expect_fault("flags 0x2");
	free_space(BTRFS_FREE_SPACE_EXTENT_KEY, 4096, 0);
	expect_clean();
	free_space(BTRFS_FREE_SPACE_EXTENT_KEY, 0, 0);
	expect_fault("length 0");
	free_space(BTRFS_FREE_SPACE_EXTENT_KEY, 4096, 1);
	expect_fault("item of 1 bytes");
	free_space(BTRFS_FREE_SPACE_BITMAP_KEY, 9 * 4096, 2);
	expect_clean();
	free_space(BTRFS_FREE_SPACE_BITMAP_KEY, 8 * 4096, 1);
	expect_clean();
	free_space(BTRFS_FREE_SPACE_BITMAP_KEY, 9 * 4096, 1);
	expect_fault("bitmap of 1 bytes for 9 sectors");
	free_space(BTRFS_FREE_SPACE_BITMAP_KEY, UINT64_MAX & ~(u64)4095, 1);
	expect_fault("wraps around");
}

/* ---- chunks and devices ---- */

static void test_chunk(void **state)
{
	struct btrfs_chunk_map *dup = calloc(1, sizeof(*dup) + 2 * sizeof(dup->stripes[0]));
	const struct btrfs_key key = { 256, BTRFS_CHUNK_ITEM_KEY, SZ_1M };
	struct btrfs_chunk *chunk = one_item(BTRFS_CHUNK_TREE_OBJECTID, key, (u32)btrfs_chunk_item_size(2));

	(void)state;
	assert_non_null(dup);
	dup->length = SZ_1M;
	dup->num_stripes = 2;
	dup->sub_stripes = 1;
	dup->type = BTRFS_BLOCK_GROUP_METADATA | BTRFS_BLOCK_GROUP_DUP;
	btrfs_write_chunk_item(dup, 4096, chunk);
	expect_clean();
	chunk->stripe_len = 0;
	expect_fault("stripe_len 0, must be 65536");
	btrfs_write_chunk_item(dup, 4096, chunk);
	chunk->type |= cpu_to_le64(BTRFS_BLOCK_GROUP_DATA);
	expect_fault("no mixed block groups");
	leaf.ctx.incompat_flags |= BTRFS_FEATURE_INCOMPAT_MIXED_GROUPS;
	expect_clean();
	free(dup);
}

static void test_dev_item(void **state)
{
	struct btrfs_dev_item *device = one_item(BTRFS_CHUNK_TREE_OBJECTID, (struct btrfs_key)
						 { 1, BTRFS_DEV_ITEM_KEY, 3 }, sizeof(*device));

	(void)state;
	device->devid = cpu_to_le64(3);
	expect_clean();
	device->bytes_used = cpu_to_le64(1);
	expect_fault("bytes_used 1 of a device with 0 bytes");
	device->devid = cpu_to_le64(4);
	expect_fault("devid 4, the key says 3");
}

static struct btrfs_dev_extent *add_dev_extent(u64 offset, u64 length)
{
	struct btrfs_dev_extent *extent = leaf_add(&leaf, 1, BTRFS_DEV_EXTENT_KEY, offset, sizeof(*extent));

	extent->chunk_tree = cpu_to_le64(BTRFS_CHUNK_TREE_OBJECTID);
	extent->chunk_objectid = cpu_to_le64(BTRFS_FIRST_CHUNK_TREE_OBJECTID);
	extent->length = cpu_to_le64(length);
	return extent;
}

static void test_dev_extents(void **state)
{
	struct btrfs_dev_extent *first;

	(void)state;
	leaf_init(&leaf, BTRFS_DEV_TREE_OBJECTID);
	first = add_dev_extent(SZ_1M, SZ_1M);
	add_dev_extent(2 * SZ_1M, SZ_1M);
	expect_clean();
	first->length = cpu_to_le64(SZ_1M + 4096);
	leaf_expect_fault(&leaf, 1, "ends at 2101248");
	first->length = 0;
	expect_fault("length 0");
	first->length = cpu_to_le64(SZ_1M);
	first->chunk_tree = 0;
	expect_fault("chunk_tree 0");
}

/* ---- roots ---- */

static struct btrfs_root_item *root_item(u32 size)
{
	struct btrfs_root_item whole;
	const struct btrfs_root_meta meta = { .bytenr = SZ_1M, .generation = 10, .nodesize = TEST_NODESIZE };
	struct btrfs_root_item *root = one_item(BTRFS_ROOT_TREE_OBJECTID, (struct btrfs_key)
						{ 5, BTRFS_ROOT_ITEM_KEY, 0 }, size);

	btrfs_fill_root_item(&whole, &meta);
	memcpy(root, &whole, MIN(size, sizeof(whole)));
	return root;
}

#define NEW_SIZE ((u32)sizeof(struct btrfs_root_item))
#define OLD_SIZE ((u32)BTRFS_ROOT_ITEM_SIZE_V1)

static void test_root_items(void **state)
{
	(void)state;
	assert_int_equal(OLD_SIZE, 239);
	assert_int_equal(NEW_SIZE, 439);
	root_item(OLD_SIZE);
	expect_clean();
	root_item(NEW_SIZE);
	expect_clean();
	root_item(NEW_SIZE - 1);
	expect_fault("item of 438 bytes, must be 439 or 239");
	BAD(root_item(OLD_SIZE), generation, cpu_to_le64(12), "generation 12, at most 11");
	BAD(root_item(NEW_SIZE), generation_v2, cpu_to_le64(12), "generation_v2 12");
	BAD(root_item(NEW_SIZE), last_snapshot, cpu_to_le64(12), "last_snapshot 12");
	BAD(root_item(NEW_SIZE), bytenr, cpu_to_le64(SZ_1M + 1), "bytenr");
	BAD(root_item(NEW_SIZE), level, 8, "level 8");
	BAD(root_item(OLD_SIZE), drop_level, 200, "drop_level 200");
	BAD(root_item(NEW_SIZE), flags, cpu_to_le64(2), "unknown are 0x2");
	root_item(NEW_SIZE)->flags = cpu_to_le64(BTRFS_ROOT_SUBVOL_DEAD | BTRFS_ROOT_SUBVOL_RDONLY);
	expect_clean();
	root_item(NEW_SIZE);
	leaf_item(&leaf, 0)->key.objectid = 0;
	expect_fault("tree 0");
	leaf_item(&leaf, 0)->key.objectid = cpu_to_le64(BTRFS_TREE_RELOC_OBJECTID);
	expect_fault("relocation tree of tree 0");
}

static void test_root_refs(void **state)
{
	struct btrfs_root_ref *ref = one_item(BTRFS_ROOT_TREE_OBJECTID, (struct btrfs_key)
					      { 5, BTRFS_ROOT_REF_KEY, 256 }, sizeof(*ref) + 3);

	(void)state;
	ref->name_len = cpu_to_le16(3);
	memcpy(ref + 1, "sub", 3);
	expect_clean();
	ref->name_len = cpu_to_le16(2);
	expect_fault("must be 20");
	ref->name_len = cpu_to_le16(4);
	expect_fault("beyond the item");
	ref->name_len = cpu_to_le16(3);
	memcpy(ref + 1, "s/b", 3);
	expect_fault("slash");
}

static struct btrfs_qgroup_status_v2 *qgroup_status(u32 size)
{
	return one_item(BTRFS_QUOTA_TREE_OBJECTID, (struct btrfs_key){ 0, BTRFS_QGROUP_STATUS_KEY, 0 }, size);
}

static struct btrfs_qgroup_status_v2 *simple_status(void)
{
	struct btrfs_qgroup_status_v2 *status = qgroup_status(40);

	btrfs_fill_simple_qgroup_status(status, 10);
	return status;
}

static void test_qgroups(void **state)
{
	struct btrfs_qgroup_status_v2 status;
	struct btrfs_qgroup_info_item *info;

	(void)state;
	btrfs_fill_qgroup_status(&status, 10);
	memcpy(qgroup_status(32), &status, 32);
	expect_clean();
	memcpy(qgroup_status(40), &status, 40);
	expect_clean();
	memcpy(qgroup_status(33), &status, 33);
	expect_fault("must be 32 or 40");
	memcpy(qgroup_status(24), &status, 24);
	expect_fault("must be 32 or 40");
	simple_status();
	expect_clean();
	BAD(simple_status(), version, cpu_to_le64(2), "version 2, must be 1");
	BAD(simple_status(), generation, cpu_to_le64(12), "generation 12");
	BAD(simple_status(), enable_gen, cpu_to_le64(12), "enable_gen 12");
	btrfs_fill_simple_qgroup_status(&status, 10);
	memcpy(qgroup_status(32), &status, 32);
	expect_fault("must be 40 for simple quotas");

	info = one_item(BTRFS_QUOTA_TREE_OBJECTID, (struct btrfs_key){ 0, BTRFS_QGROUP_INFO_KEY, 5 }, sizeof(*info));
	btrfs_fill_qgroup_info(info, 10, 5000, 3000, false);
	assert_int_equal(le64_to_cpu(info->rfer_cmpr), 5000);
	assert_int_equal(le64_to_cpu(info->excl_cmpr), 3000);
	expect_clean();
	leaf_item(&leaf, 0)->key.objectid = cpu_to_le64(1);
	expect_fault("objectid 1, must be 0");
	one_item(BTRFS_QUOTA_TREE_OBJECTID, (struct btrfs_key){ 7, BTRFS_QGROUP_LIMIT_KEY, 5 }, 40);
	expect_fault("objectid 7, must be 0");
}

static void test_sizes(void **state)
{
	static const struct {
		struct btrfs_key key;
		u32 good;
		u32 bad;
	} cases[] = {
		{ { BTRFS_ORPHAN_OBJECTID, BTRFS_ORPHAN_ITEM_KEY, 257 }, 0, 1 },
		{ { 257, BTRFS_DIR_LOG_INDEX_KEY, 2 }, 8, 9 },
		{ { 0, BTRFS_QGROUP_INFO_KEY, 5 }, 40, 39 },
		{ { 0, BTRFS_QGROUP_LIMIT_KEY, 5 }, 40, 41 },
		{ { 5, BTRFS_QGROUP_RELATION_KEY, 6 }, 0, 8 },
		{ { BTRFS_BALANCE_OBJECTID, BTRFS_TEMPORARY_ITEM_KEY, 0 }, 448, 447 },
		{ { BTRFS_DEV_STATS_OBJECTID, BTRFS_PERSISTENT_ITEM_KEY, 1 }, 40, 41 },
		{ { 0, BTRFS_DEV_REPLACE_KEY, 0 }, 72, 71 },
		{ { 1, BTRFS_UUID_KEY_SUBVOL, 1 }, 16, 0 },
		{ { 1, BTRFS_UUID_KEY_RECEIVED_SUBVOL, 1 }, 8, 9 },
		{ { BTRFS_FREE_SPACE_OBJECTID, 0, SZ_1M }, 41, 40 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		one_item(BTRFS_ROOT_TREE_OBJECTID, cases[i].key, cases[i].good);
		expect_clean();
		one_item(BTRFS_ROOT_TREE_OBJECTID, cases[i].key, cases[i].bad);
		expect_fault("must be");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_extent_items),
		cmocka_unit_test(test_extent_keys),
		cmocka_unit_test(test_inline_refs),
		cmocka_unit_test(test_several_refs),
		cmocka_unit_test(test_keyed_refs),
		cmocka_unit_test(test_block_groups),
		cmocka_unit_test(test_free_space),
		cmocka_unit_test(test_chunk),
		cmocka_unit_test(test_dev_item),
		cmocka_unit_test(test_dev_extents),
		cmocka_unit_test(test_root_items),
		cmocka_unit_test(test_root_refs),
		cmocka_unit_test(test_qgroups),
		cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
