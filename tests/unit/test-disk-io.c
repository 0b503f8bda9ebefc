// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Superblocks and block headers: every fault is found, and reported as what it is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "kernel-shared/disk-io.h"

#define NODESIZE 16384
#define FAR_END (256 * SZ_1G)	/* third superblock copy */

static struct btrfs_super_block good_super(void)
{
	struct btrfs_super_block super = {
		.magic = cpu_to_le64(BTRFS_MAGIC),
		.generation = cpu_to_le64(7),
		.root = cpu_to_le64(30408704),
		.chunk_root = cpu_to_le64(22020096),
		.total_bytes = cpu_to_le64(SZ_1G),
		.bytes_used = cpu_to_le64(6 * NODESIZE),
		.num_devices = cpu_to_le64(1),
		.sectorsize = cpu_to_le32(4096),
		.nodesize = cpu_to_le32(NODESIZE),
		.stripesize = cpu_to_le32(4096),
		.sys_chunk_array_size = cpu_to_le32(97),
	};

	memset(super.fsid, 0x11, sizeof(super.fsid));
	memset(super.dev_item.fsid, 0x11, sizeof(super.dev_item.fsid));
	return super;
}

static void sign(struct btrfs_super_block *super)
{
	btrfs_sign_super(csum_by_type(le16_to_cpu(super->csum_type)), super, 0);
}

static void test_places(void **state)
{
	(void)state;
	assert_true(btrfs_sb_offset(0) == 65536);
	assert_true(btrfs_sb_offset(1) == 64 * SZ_1M);
	assert_true(btrfs_sb_offset(2) == 256 * SZ_1G);
	assert_int_equal(btrfs_sb_copies(0), 0);
	assert_int_equal(btrfs_sb_copies(65536 + 4095), 0);
	assert_int_equal(btrfs_sb_copies(65536 + 4096), 1);
	assert_int_equal(btrfs_sb_copies(64 * SZ_1M + 4095), 1);
	assert_int_equal(btrfs_sb_copies(64 * SZ_1M + 4096), 2);
	assert_int_equal(btrfs_sb_copies(FAR_END), 2);
	assert_int_equal(btrfs_sb_copies(UINT64_MAX), 3);
}

static void test_overlap(void **state)
{
	(void)state;
	assert_false(btrfs_overlaps_super(0, 65536));
	assert_true(btrfs_overlaps_super(0, 65537));
	assert_true(btrfs_overlaps_super(131071, 1));
	assert_false(btrfs_overlaps_super(131072, 64 * SZ_1M - 131072));
	assert_true(btrfs_overlaps_super(SZ_1M, 64 * SZ_1M));
	assert_true(btrfs_overlaps_super(FAR_END + 65535, 10));
	assert_false(btrfs_overlaps_super(FAR_END + 65536, SZ_1G));
	assert_true(btrfs_overlaps_super(SZ_1G, UINT64_MAX));	/* wraps */
}

static void test_good_super(void **state)
{
	struct btrfs_super_block super;
	u16 type;
	int mirror;

	(void)state;
	for (type = 0; type < 4; type++) {
		for (mirror = 0; mirror < BTRFS_SUPER_MIRROR_MAX; mirror++) {
			super = good_super();
			super.csum_type = cpu_to_le16(type);
			btrfs_sign_super(csum_by_type(type), &super, mirror);
			assert_int_equal(btrfs_check_super(&super, mirror, NULL), BTRFS_SUPER_OK);
			assert_int_equal(btrfs_check_super(&super, (mirror + 1) % 3, NULL),
					 BTRFS_SUPER_BAD_BYTENR);
			((u8 *)&super)[4095] ^= 1;
			assert_int_equal(btrfs_check_super(&super, mirror, NULL), BTRFS_SUPER_BAD_CSUM);
		}
	}
}

static void test_super_identity(void **state)
{
	struct btrfs_super_block super = good_super();
	struct btrfs_reason reason;

	(void)state;
	super.csum_type = cpu_to_le16(9);
	assert_int_equal(btrfs_check_super(&super, 0, &reason), BTRFS_SUPER_BAD_CSUM_TYPE);
	assert_string_equal(reason.text, "unknown checksum type 9");
	super.magic = cpu_to_le64(BTRFS_MAGIC_TEMPORARY);
	assert_int_equal(btrfs_check_super(&super, 0, &reason), BTRFS_SUPER_UNFINISHED);
	assert_string_equal(reason.text, "unfinished mkfs");
	assert_memory_equal(&super.magic, "!BHRfS_M", 8);
	super.magic = 0;
	assert_int_equal(btrfs_check_super(&super, 0, &reason), BTRFS_SUPER_NO_MAGIC);
	super.magic = cpu_to_le64(BTRFS_MAGIC);
	assert_memory_equal(&super.magic, "_BHRfS_M", 8);
}

/* Sets one field of a good superblock, then expects a fault. */
#define BAD_FIELD(field, value) do {							\
	struct btrfs_super_block super_ = good_super();					\
	struct btrfs_reason reason_ = { "" };						\
	super_.field = (value);								\
	sign(&super_);									\
	assert_int_equal(btrfs_check_super(&super_, 0, &reason_), BTRFS_SUPER_BAD_FIELD);	\
	assert_true(reason_.text[0]);							\
} while (0)

static void test_super_fields(void **state)
{
	(void)state;
	BAD_FIELD(sectorsize, 0);
	BAD_FIELD(sectorsize, cpu_to_le32(2048));
	BAD_FIELD(sectorsize, cpu_to_le32(6144));
	BAD_FIELD(sectorsize, cpu_to_le32(131072));
	BAD_FIELD(nodesize, cpu_to_le32(2048));
	BAD_FIELD(nodesize, cpu_to_le32(SZ_1M));
	BAD_FIELD(nodesize, cpu_to_le32(12288));
	BAD_FIELD(stripesize, cpu_to_le32(593920));
	BAD_FIELD(sys_chunk_array_size, cpu_to_le32(96));
	BAD_FIELD(sys_chunk_array_size, cpu_to_le32(2049));
	BAD_FIELD(root, cpu_to_le64(30408705));
	BAD_FIELD(root, 0);
	BAD_FIELD(chunk_root, 0);
	BAD_FIELD(log_root, cpu_to_le64(1));
	BAD_FIELD(root_level, 8);
	BAD_FIELD(chunk_root_level, 255);
	BAD_FIELD(log_root_level, 8);
	BAD_FIELD(total_bytes, 0);
	BAD_FIELD(num_devices, 0);
	BAD_FIELD(bytes_used, cpu_to_le64(6 * NODESIZE - 1));
	BAD_FIELD(fsid[0], 0x12);
	BAD_FIELD(incompat_flags, cpu_to_le64(BTRFS_FEATURE_INCOMPAT_METADATA_UUID));
}

static void test_metadata_uuid(void **state)
{
	struct btrfs_super_block super = good_super();

	(void)state;
	assert_ptr_equal(btrfs_super_metadata_uuid(&super), super.fsid);
	super.incompat_flags = cpu_to_le64(BTRFS_FEATURE_INCOMPAT_METADATA_UUID);
	memset(super.fsid, 0x22, sizeof(super.fsid));
	memset(super.metadata_uuid, 0x11, sizeof(super.metadata_uuid));
	sign(&super);
	assert_int_equal(btrfs_check_super(&super, 0, NULL), BTRFS_SUPER_OK);
	assert_ptr_equal(btrfs_super_metadata_uuid(&super), super.metadata_uuid);
}

/* ---- tree blocks ---- */

struct block {
	union {
		struct btrfs_header header;
		u8 bytes[NODESIZE];
	};
};

static const u8 fsids[2][BTRFS_FSID_SIZE] = { { 1 }, { 2 } };
static const u8 chunk_uuid[BTRFS_UUID_SIZE] = { 3 };
static const struct btrfs_key first_key = { 256, BTRFS_INODE_ITEM_KEY, 0 };

static const struct btrfs_block_expect expect_all = {
	.bytenr = 65536,
	.fsids = fsids,
	.nr_fsids = 2,
	.chunk_tree_uuid = chunk_uuid,
	.level = 0,
	.generation = 7,
	.owner = BTRFS_FS_TREE_OBJECTID,
	.first_key = &first_key,
};

static struct block *good_leaf(void)
{
	static struct block block;
	struct btrfs_item *item = (struct btrfs_item *)(block.bytes + sizeof(block.header));

	memset(&block, 0, sizeof(block));
	memcpy(block.header.fsid, fsids[1], BTRFS_FSID_SIZE);
	memcpy(block.header.chunk_tree_uuid, chunk_uuid, BTRFS_UUID_SIZE);
	block.header.bytenr = cpu_to_le64(65536);
	block.header.flags = cpu_to_le64(BTRFS_HEADER_FLAG_WRITTEN);
	block.header.generation = cpu_to_le64(7);
	block.header.owner = cpu_to_le64(300);	/* a snapshot's block, seen from the top level */
	block.header.nritems = cpu_to_le32(1);
	item->key = btrfs_cpu_key_to_disk(&first_key);
	return &block;
}

static enum btrfs_block_fault verdict(struct block *block, const struct btrfs_block_expect *expect)
{
	const struct csum_algorithm *algo = csum_by_type(0);
	struct btrfs_reason reason;

	btrfs_sign_tree_block(algo, block, NODESIZE);
	return btrfs_check_tree_block(algo, block, NODESIZE, expect, &reason);
}

static void test_good_block(void **state)
{
	struct btrfs_block_expect expect = { .bytenr = 65536, .fsids = fsids, .nr_fsids = 2, .level = -1 };
	struct block *block = good_leaf();

	(void)state;
	assert_int_equal(verdict(block, &expect_all), BTRFS_BLOCK_OK);
	assert_int_equal(verdict(block, &expect), BTRFS_BLOCK_OK);
	expect.max_generation = 7;
	assert_int_equal(verdict(block, &expect), BTRFS_BLOCK_OK);
	expect.max_generation = 6;
	assert_int_equal(verdict(block, &expect), BTRFS_BLOCK_BAD_GENERATION);
	block->bytes[NODESIZE - 1] ^= 1;
	assert_int_equal(btrfs_check_tree_block(csum_by_type(0), block, NODESIZE, &expect_all, NULL),
			 BTRFS_BLOCK_BAD_CSUM);
	block->header.nritems = 0;
	expect.max_generation = 0;
	assert_int_equal(verdict(block, &expect), BTRFS_BLOCK_OK);
	assert_int_equal(verdict(block, &expect_all), BTRFS_BLOCK_BAD_FIRST_KEY);
}

#define BAD_BLOCK(field, value, fault) do {				\
	struct block *block_ = good_leaf();				\
	block_->header.field = (value);					\
	assert_int_equal(verdict(block_, &expect_all), (fault));	\
} while (0)

static void test_bad_blocks(void **state)
{
	(void)state;
	BAD_BLOCK(bytenr, cpu_to_le64(131072), BTRFS_BLOCK_BAD_BYTENR);
	BAD_BLOCK(fsid[0], 9, BTRFS_BLOCK_BAD_FSID);
	BAD_BLOCK(chunk_tree_uuid[15], 9, BTRFS_BLOCK_BAD_CHUNK_TREE_UUID);
	BAD_BLOCK(flags, 0, BTRFS_BLOCK_NOT_WRITTEN);
	BAD_BLOCK(level, 1, BTRFS_BLOCK_BAD_LEVEL);
	BAD_BLOCK(level, 255, BTRFS_BLOCK_BAD_LEVEL);
	BAD_BLOCK(generation, cpu_to_le64(6), BTRFS_BLOCK_BAD_GENERATION);
	BAD_BLOCK(owner, cpu_to_le64(BTRFS_CSUM_TREE_OBJECTID), BTRFS_BLOCK_BAD_OWNER);
	BAD_BLOCK(nritems, cpu_to_le32(btrfs_max_nr_items(NODESIZE) + 1), BTRFS_BLOCK_BAD_NRITEMS);
	BAD_BLOCK(nritems, cpu_to_le32(UINT32_MAX), BTRFS_BLOCK_BAD_NRITEMS);
}

static void test_first_key(void **state)
{
	struct btrfs_block_expect expect = expect_all;
	const struct btrfs_key other = { 256, BTRFS_INODE_ITEM_KEY, 1 };

	(void)state;
	expect.first_key = &other;
	assert_int_equal(verdict(good_leaf(), &expect), BTRFS_BLOCK_BAD_FIRST_KEY);
}

static void test_unknown_level(void **state)
{
	struct btrfs_block_expect expect = expect_all;
	struct block *block = good_leaf();

	(void)state;
	expect.level = -1;
	block->header.level = 8;
	assert_int_equal(verdict(block, &expect), BTRFS_BLOCK_BAD_LEVEL);
	block->header.level = 7;
	assert_int_equal(verdict(block, &expect), BTRFS_BLOCK_OK);
	block->header.nritems = 0;	/* only a leaf may be empty */
	assert_int_equal(verdict(block, &expect), BTRFS_BLOCK_BAD_NRITEMS);
	block->header.nritems = cpu_to_le32(btrfs_max_nr_ptrs(NODESIZE) + 1);
	assert_int_equal(verdict(block, &expect), BTRFS_BLOCK_BAD_NRITEMS);
}

static void test_owner_rules(void **state)
{
	struct btrfs_block_expect expect = expect_all;
	struct block *block = good_leaf();

	(void)state;
	expect.owner = BTRFS_EXTENT_TREE_OBJECTID;
	assert_int_equal(verdict(block, &expect), BTRFS_BLOCK_BAD_OWNER);
	block->header.owner = cpu_to_le64(BTRFS_EXTENT_TREE_OBJECTID);
	assert_int_equal(verdict(block, &expect), BTRFS_BLOCK_OK);
	expect.owner = 300;
	assert_int_equal(verdict(block, &expect), BTRFS_BLOCK_BAD_OWNER);
	expect.owner = 0;
	assert_int_equal(verdict(block, &expect), BTRFS_BLOCK_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_good_super),
		cmocka_unit_test(test_super_identity),
		cmocka_unit_test(test_super_fields),
		cmocka_unit_test(test_metadata_uuid),
		cmocka_unit_test(test_good_block),
		cmocka_unit_test(test_bad_blocks),
		cmocka_unit_test(test_first_key),
		cmocka_unit_test(test_unknown_level),
		cmocka_unit_test(test_owner_rules),
	};

	if (csum_init())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
