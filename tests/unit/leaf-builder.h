/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Leaves for tests of the tree-checker: items are added one by one, then the whole is checked.
 */
#ifndef BO_TESTS_UNIT_LEAF_BUILDER_H
#define BO_TESTS_UNIT_LEAF_BUILDER_H

#include "kernel-shared/tree-checker.h"

#define TEST_NODESIZE 16384

struct leaf_builder {
	u8 block[TEST_NODESIZE];
	struct btrfs_check_context ctx;
	/* what the last check reported */
	unsigned reports;
	int slot;		/* of the last report */
	char text[200];
};

/* An empty leaf of the tree @owner; the filesystem is at generation 10. */
void leaf_init(struct leaf_builder *leaf, u64 owner);

/* The next item: its payload, @size zero bytes. Keys and room are the caller's business. */
void *leaf_add(struct leaf_builder *leaf, u64 objectid, u8 type, u64 offset, u32 size);

/* The header of the item in @slot, to be damaged. */
struct btrfs_item *leaf_item(struct leaf_builder *leaf, u32 slot);

/* btrfs_check_leaf() and btrfs_check_leaf_items(); the reports are in @leaf then. */
int leaf_check(struct leaf_builder *leaf);
int leaf_check_items(struct leaf_builder *leaf);
/* btrfs_check_node() of the block. */
int leaf_check_node(struct leaf_builder *leaf);

/* The test fails unless the leaf raises nothing; unless it raises one finding, in @slot, with @text in it. */
void leaf_expect_clean(struct leaf_builder *leaf);
void leaf_expect_fault(struct leaf_builder *leaf, int slot, const char *text);

#endif
