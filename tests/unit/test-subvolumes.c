// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The list of subvolumes: ids, and who lies in whom.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "mkfs/subvolumes.h"

static u32 add(struct mkfs_subvolumes *subvolumes, u32 parent, const char *name)
{
	const struct mkfs_subvolume new = {
		.parent = parent, .name_len = (u16)strlen(name), .dirid = 300, .dir_index = 7, .read_only = true,
	};
	u32 number;

	assert_int_equal(mkfs_subvolumes_add(subvolumes, &new, name, &number), 0);
	return number;
}

static void test_family(void **state)
{
	const u8 uuid[BTRFS_UUID_SIZE] = "0123456789abcde";
	struct mkfs_subvolumes subvolumes;
	u32 a, b, a1, a2, i, children = 0;

	(void)state;
	assert_int_equal(mkfs_subvolumes_init(&subvolumes, uuid), 0);
	assert_int_equal(subvolumes.nr, 1);
	assert_int_equal(subvolumes.list[0].id, BTRFS_FS_TREE_OBJECTID);
	assert_memory_equal(subvolumes.list[0].uuid, uuid, sizeof(uuid));
	a = add(&subvolumes, SUBVOLUME_TOP, "a");
	b = add(&subvolumes, SUBVOLUME_TOP, "b");
	a1 = add(&subvolumes, a, "1");
	for (i = 0; i < 1000; i++)
		add(&subvolumes, b, "many");
	a2 = add(&subvolumes, a, "2");
	assert_int_equal(subvolumes.list[a].id, 256);
	assert_int_equal(subvolumes.list[b].id, 257);
	assert_int_equal(subvolumes.list[a2].id, mkfs_subvolume_id(a2));
	assert_int_equal(subvolumes.list[a].next_ino, 256);
	assert_string_equal(subvolumes.list[a1].name, "1");
	assert_true(subvolumes.list[a1].read_only);
	assert_int_equal(subvolumes.list[0].first_child, a);
	assert_int_equal(subvolumes.list[a].next_sibling, b);
	assert_int_equal(subvolumes.list[b].next_sibling, 0);
	assert_int_equal(subvolumes.list[a].first_child, a1);
	assert_int_equal(subvolumes.list[a1].next_sibling, a2);
	assert_int_equal(subvolumes.list[a2].next_sibling, 0);
	for (i = subvolumes.list[b].first_child; i; i = subvolumes.list[i].next_sibling)
		children++;
	assert_int_equal(children, 1000);
	mkfs_subvolumes_release(&subvolumes);
	assert_null(subvolumes.list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_family),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
