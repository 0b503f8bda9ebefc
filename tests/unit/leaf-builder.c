// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Leaves for tests: see leaf-builder.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>

#include "tests/unit/leaf-builder.h"

void leaf_init(struct leaf_builder *leaf, u64 owner)
{
	struct btrfs_header *header = (struct btrfs_header *)leaf->block;

	memset(leaf, 0, sizeof(*leaf));
	leaf->ctx = (struct btrfs_check_context){
		.nodesize = TEST_NODESIZE,
		.sectorsize = 4096,
		.csum_size = 4,
		.generation = 10,
		.incompat_flags = BTRFS_FEATURE_INCOMPAT_SKINNY_METADATA,
	};
	header->owner = cpu_to_le64(owner);
	header->generation = cpu_to_le64(10);
}

struct btrfs_item *leaf_item(struct leaf_builder *leaf, u32 slot)
{
	return (struct btrfs_item *)(leaf->block + sizeof(struct btrfs_header)) + slot;
}

void *leaf_add(struct leaf_builder *leaf, u64 objectid, u8 type, u64 offset, u32 size)
{
	struct btrfs_header *header = (struct btrfs_header *)leaf->block;
	const struct btrfs_key key = { objectid, type, offset };
	const u32 slot = le32_to_cpu(header->nritems);
	u32 end = btrfs_leaf_data_size(TEST_NODESIZE);

	if (slot)
		end = le32_to_cpu(leaf_item(leaf, slot - 1)->offset);
	*leaf_item(leaf, slot) = (struct btrfs_item){
		.key = btrfs_cpu_key_to_disk(&key),
		.offset = cpu_to_le32(end - size),
		.size = cpu_to_le32(size),
	};
	header->nritems = cpu_to_le32(slot + 1);
	return leaf->block + sizeof(*header) + end - size;
}

static void record(void *arg, int slot, const struct btrfs_key *key, const char *text)
{
	struct leaf_builder *leaf = arg;

	(void)key;
	leaf->reports++;
	leaf->slot = slot;
	snprintf(leaf->text, sizeof(leaf->text), "%s", text);
}

static void forget(struct leaf_builder *leaf)
{
	leaf->reports = 0;
	leaf->slot = -2;
	leaf->text[0] = 0;
}

int leaf_check(struct leaf_builder *leaf)
{
	forget(leaf);
	return btrfs_check_leaf(&leaf->ctx, leaf->block, record, leaf, NULL);
}

int leaf_check_items(struct leaf_builder *leaf)
{
	forget(leaf);
	return btrfs_check_leaf_items(&leaf->ctx, leaf->block, record, leaf);
}

int leaf_check_node(struct leaf_builder *leaf)
{
	forget(leaf);
	return btrfs_check_node(&leaf->ctx, leaf->block, record, leaf);
}

void leaf_expect_clean(struct leaf_builder *leaf)
{
	const int reported = leaf_check(leaf);

	if (leaf->reports)
		print_message("unexpected: slot %d: %s\n", leaf->slot, leaf->text);
	assert_int_equal(reported, 0);
	assert_int_equal(leaf->reports, 0);
}

void leaf_expect_fault(struct leaf_builder *leaf, int slot, const char *text)
{
	assert_int_equal(leaf_check(leaf), 1);
	assert_int_equal(leaf->reports, 1);
	assert_int_equal(leaf->slot, slot);
	if (!strstr(leaf->text, text))
		print_message("wanted \"%s\", got \"%s\"\n", text, leaf->text);
	assert_non_null(strstr(leaf->text, text));
}
