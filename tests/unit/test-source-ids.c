// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owners and maps of numbers, and the tree of paths.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/id-map.h"
#include "source/path-tree.h"

static void expect_range(struct id_map *map, const char *text, bool good)
{
	int error = 1;
	const char *problem = id_map_add(map, text, &error);

	if (good != !problem)
		fail_msg("%s: %s", text, problem ? problem : "taken");
	assert_int_equal(error, good ? 0 : -EINVAL);
}

static void test_maps(void **state)
{
	struct id_map map = { 0 };

	(void)state;
	assert_int_equal(id_map_apply(&map, 5), 5);
	expect_range(&map, "1000:0:10", true);
	expect_range(&map, "0:100000:1000", true);
	expect_range(&map, "4294967294:7:1", true);
	expect_range(&map, "2000:0:5", true);
	assert_int_equal(id_map_apply(&map, 0), 100000);
	assert_int_equal(id_map_apply(&map, 999), 100999);
	assert_int_equal(id_map_apply(&map, 1000), 0);
	assert_int_equal(id_map_apply(&map, 1009), 9);
	assert_int_equal(id_map_apply(&map, 1010), 1010);
	assert_int_equal(id_map_apply(&map, 2004), 4);
	assert_int_equal(id_map_apply(&map, 2005), 2005);
	assert_int_equal(id_map_apply(&map, 4294967294), 7);
	assert_int_equal(id_map_apply(&map, 4294967293), 4294967293);
	expect_range(&map, "1009:0:1", false);
	expect_range(&map, "500:0:501", false);
	expect_range(&map, "1010:0:991", false);
	expect_range(&map, "0:0:4294967294", false);
	expect_range(&map, "1010:0:990", true);
	id_map_release(&map);
}

static void test_bad_maps(void **state)
{
	static const char *const bad[] = {
		"", ":", "::", "1", "1:2", "1:2:", ":2:3", "1::3", "1:2:3:4", "1:2:0", "-1:2:3", "1:2:x", "0x1:2:3",
		"4294967295:0:1", "0:4294967295:1", "4294967294:0:2", "0:4294967294:2", "0:0:4294967295",
		"99999999999999999999:0:1", "1: 2:3", "1:2:3 ",
	};
	struct id_map map = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		expect_range(&map, bad[i], false);
	assert_int_equal(map.nr, 0);
	expect_range(&map, "0:0:4294967294", true);
	id_map_release(&map);
}

static void test_owners(void **state)
{
	static const char *const bad[] = {
		"", ":", "1:", "no-such-user-here", ":no-such-group-here", "1:2:3", "4294967295", "1:-1",
	};
	struct id_owner owner;

	(void)state;
	assert_null(id_parse_owner("12:34", &owner));
	assert_true(owner.has_uid && owner.has_gid && owner.uid == 12 && owner.gid == 34);
	assert_null(id_parse_owner("12", &owner));
	assert_true(owner.has_uid && !owner.has_gid && owner.uid == 12);
	assert_null(id_parse_owner(":34", &owner));
	assert_true(!owner.has_uid && owner.has_gid && owner.gid == 34);
	assert_null(id_parse_owner("root:root", &owner));
	assert_true(owner.has_uid && owner.has_gid && !owner.uid && !owner.gid);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		if (!id_parse_owner(bad[i], &owner))
			fail_msg("%s is taken", bad[i]);
	}
}

static u32 add(struct path_tree *tree, const char *path)
{
	u32 node = 0;
	int error;
	const char *problem = path_tree_add(tree, path, strlen(path), &node, &error);

	if (problem)
		fail_msg("%s: %s", path, problem);
	assert_int_equal(error, 0);
	return node;
}

static void test_path_tree(void **state)
{
	struct path_tree tree = { 0 };
	u32 a, b;
	char *text;

	(void)state;
	assert_int_equal(path_tree_child(&tree, PATH_NODE_TOP, "a", 1), PATH_NODE_NONE);
	assert_int_equal(add(&tree, "."), PATH_NODE_TOP);
	assert_int_equal(add(&tree, "///"), PATH_NODE_TOP);
	a = add(&tree, "a");
	b = add(&tree, "/a//./b/");
	assert_int_equal(add(&tree, "a/b"), b);
	assert_int_equal(path_tree_child(&tree, PATH_NODE_TOP, "a", 1), a);
	assert_int_equal(path_tree_child(&tree, a, "b", 1), b);
	assert_int_equal(path_tree_child(&tree, b, "b", 1), PATH_NODE_NONE);
	assert_int_equal(path_tree_child(&tree, PATH_NODE_NONE, "a", 1), PATH_NODE_NONE);
	text = path_tree_path(&tree, b);
	assert_string_equal(text, "a/b");
	free(text);
	path_tree_release(&tree);
}

static void test_bad_paths(void **state)
{
	struct path_tree tree = { 0 };
	char longest[300];
	u32 node;
	int error;

	(void)state;
	memset(longest, 'n', sizeof(longest));
	assert_non_null(path_tree_add(&tree, "", 0, &node, &error));
	assert_non_null(path_tree_add(&tree, "a/../b", 6, &node, &error));
	assert_non_null(path_tree_add(&tree, "..", 2, &node, &error));
	assert_non_null(path_tree_add(&tree, "a\0b", 3, &node, &error));
	assert_non_null(path_tree_add(&tree, longest, 256, &node, &error));
	assert_int_equal(error, -EINVAL);
	assert_null(path_tree_add(&tree, longest, 255, &node, &error));
	assert_null(path_tree_add(&tree, "...", 3, &node, &error));
	path_tree_release(&tree);
}

static void test_many_paths(void **state)
{
	struct path_tree tree = { 0 };
	u32 nodes[2000];
	char text[64];
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(nodes); i++) {
		snprintf(text, sizeof(text), "%u/%u/%u", i % 7, i % 101, i);
		nodes[i] = add(&tree, text);
	}
	for (i = 0; i < ARRAY_SIZE(nodes); i++) {
		char *path;

		snprintf(text, sizeof(text), "%u/%u/%u", i % 7, i % 101, i);
		assert_int_equal(add(&tree, text), nodes[i]);
		path = path_tree_path(&tree, nodes[i]);
		assert_string_equal(path, text);
		free(path);
	}
	path_tree_release(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_maps),
		cmocka_unit_test(test_bad_maps),
		cmocka_unit_test(test_owners),
		cmocka_unit_test(test_path_tree),
		cmocka_unit_test(test_bad_paths),
		cmocka_unit_test(test_many_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
