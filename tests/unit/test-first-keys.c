// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * First keys of blocks, collected from items and read back from any block on, against a model that keeps them all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mkfs/first-keys.h"

#define NODESIZE	4096
#define MAX_BLOCKS	40000

/* What the blocks of one tree begin with, by level. */
struct model {
	struct tree_plan plan;
	struct btrfs_key *keys[BTRFS_MAX_LEVEL];
};

static struct btrfs_key item_key(u64 tree, u64 nr)
{
	return (struct btrfs_key){ .objectid = tree, .type = (u8)(nr >> 20), .offset = nr };
}

static u32 item_size(u64 tree, u64 nr)
{
	return (u32)((nr * 2654435761u + tree) >> 7) % 700;
}

/* Leaves by the rule of a packed tree, nodes by that of their first child. */
static void build_model(struct model *model, u64 tree, u64 nr_items)
{
	const u32 fanout = btrfs_max_nr_ptrs(NODESIZE);
	u64 i, leaves = 0;
	u32 room = 0;
	int level;

	memset(model, 0, sizeof(*model));
	model->plan.owner = tree;
	geometry_init(&model->plan.geometry, NODESIZE);
	for (level = 0; level < BTRFS_MAX_LEVEL; level++) {
		model->keys[level] = calloc(MAX_BLOCKS, sizeof(struct btrfs_key));
		assert_non_null(model->keys[level]);
	}
	for (i = 0; i < nr_items; i++) {
		const u32 need = item_size(tree, i) + 25;

		if (!leaves || need > room) {
			assert_true(leaves < MAX_BLOCKS);
			model->keys[0][leaves++] = item_key(tree, i);
			room = NODESIZE - 101;
		}
		room -= need;
		geometry_add(&model->plan.geometry, item_size(tree, i));
	}
	assert_int_equal(geometry_finish(&model->plan.geometry), 0);
	for (level = 1; level < model->plan.geometry.height; level++) {
		for (i = 0; i < model->plan.geometry.blocks[level]; i++)
			model->keys[level][i] = model->keys[level - 1][i * fanout];
	}
}

static void release_model(struct model *model)
{
	int level;

	for (level = 0; level < BTRFS_MAX_LEVEL; level++)
		free(model->keys[level]);
}

static int collect(struct first_keys *keys, struct model *model, u64 nr_items)
{
	struct first_keys_pass pass;
	u64 i;

	first_keys_begin(&pass, keys, &model->plan);
	for (i = 0; i < nr_items; i++) {
		const struct btrfs_key key = item_key(model->plan.owner, i);

		assert_int_equal(first_keys_add(&pass, &key, NULL, item_size(model->plan.owner, i)), 0);
	}
	return first_keys_end(&pass);
}

static void expect_from(const struct first_keys *keys, const struct model *model, int level, u64 index)
{
	struct spool_reader reader;

	assert_int_equal(first_keys_read(keys, &model->plan, level, index, &reader), 0);
	for (; index < model->plan.geometry.blocks[level]; index++) {
		struct btrfs_disk_key disk_key;
		struct btrfs_key key;

		assert_int_equal(spool_read(&reader, &disk_key, sizeof(disk_key)), 0);
		key = btrfs_disk_key_to_cpu(&disk_key);
		assert_int_equal(btrfs_comp_cpu_keys(&key, &model->keys[level][index]), 0);
	}
	spool_reader_release(&reader);
}

static void expect_all(const struct first_keys *keys, const struct model *model)
{
	int level;

	for (level = 0; level < model->plan.geometry.height; level++) {
		const u64 nr = model->plan.geometry.blocks[level];

		expect_from(keys, model, level, 0);
		expect_from(keys, model, level, nr / 2);
		expect_from(keys, model, level, nr - 1);
	}
}

static void test_several_trees(void **state)
{
	/* a lone leaf, one node, a node that is full and one that is not, four levels; and none at all */
	static const u64 nr_items[] = { 3, 900, 0, 20000, 1, 250000 };
	struct model models[ARRAY_SIZE(nr_items)];
	struct first_keys keys;
	size_t i;

	(void)state;
	assert_int_equal(first_keys_init(&keys), 0);
	for (i = 0; i < ARRAY_SIZE(nr_items); i++) {
		build_model(&models[i], i + 5, nr_items[i]);
		assert_int_equal(collect(&keys, &models[i], nr_items[i]), 0);
	}
	assert_int_equal(models[5].plan.geometry.height, 4);
	for (i = 0; i < ARRAY_SIZE(nr_items); i++) {
		expect_all(&keys, &models[i]);
		release_model(&models[i]);
	}
	first_keys_release(&keys);
	first_keys_release(&keys);
}

/* An item more or less than was planned, where that makes a leaf more or less. */
static void test_other_than_planned(void **state)
{
	struct first_keys keys;
	struct model model;

	(void)state;
	assert_int_equal(first_keys_init(&keys), 0);
	build_model(&model, 5, 1000);
	assert_int_equal(collect(&keys, &model, 1100), -EUCLEAN);
	assert_int_equal(collect(&keys, &model, 900), -EUCLEAN);
	assert_int_equal(collect(&keys, &model, 1000), 0);
	expect_all(&keys, &model);
	release_model(&model);
	first_keys_release(&keys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_several_trees),
		cmocka_unit_test(test_other_than_planned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
