// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The link table: an inode of the source is found again, however many others there are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mkfs/link-table.h"

static struct link_entry *find(struct link_table *table, u64 dev, u64 ino)
{
	struct link_entry *entry = link_table_find(table, dev, ino, 0);

	assert_non_null(entry);
	return entry;
}

static void test_add_and_find(void **state)
{
	struct link_table table = { 0 };
	struct link_entry *entry = find(&table, 7, 42);

	(void)state;
	assert_int_equal(entry->ino, 0);
	assert_int_equal(entry->nlink, 0);
	*entry = (struct link_entry){ .dev = 7, .source_ino = 42, .ino = 300, .nlink = 1 };
	entry = find(&table, 7, 42);
	assert_int_equal(entry->ino, 300);
	entry->nlink++;
	assert_int_equal(find(&table, 7, 42)->nlink, 2);
	assert_int_equal(table.nr, 1);
	/* each half of the identity counts */
	assert_int_equal(find(&table, 8, 42)->ino, 0);
	assert_int_equal(find(&table, 7, 43)->ino, 0);
	link_table_release(&table);
	assert_null(table.slots);
}

/* Each tree has an inode of its own; the first that comes is no split. */
static void test_trees(void **state)
{
	const u32 nr = 3000, first = 17;
	struct link_table table = { 0 };
	struct link_entry *entry;
	u32 i;

	(void)state;
	for (i = 0; i < nr; i++) {
		u32 tree = (i + first) % nr;

		entry = link_table_find(&table, 7, 42, tree);
		assert_non_null(entry);
		assert_int_equal(entry->ino, 0);
		assert_int_equal(entry->split, tree != first);
		entry->ino = tree + 1000;
		entry->nlink = 1;
	}
	assert_int_equal(table.nr, nr);
	for (i = 0; i < nr; i++) {
		entry = link_table_find(&table, 7, 42, i);
		assert_int_equal(entry->ino, i + 1000);
		assert_int_equal(entry->tree, i);
	}
	/* another inode is no split, whatever its tree */
	entry = link_table_find(&table, 7, 43, first + 1);
	assert_int_equal(entry->ino, 0);
	assert_false(entry->split);
	link_table_release(&table);
}

/* Identities that hash badly: equal low bits, swapped halves, neighbours. */
static void identity(u64 nr, u64 *dev, u64 *ino)
{
	switch (nr % 4) {
	case 0:
		*dev = 1;
		*ino = nr << 20;
		break;
	case 1:
		*dev = nr;
		*ino = 1;
		break;
	case 2:
		*dev = 0;
		*ino = nr;
		break;
	default:
		*dev = nr << 32;
		*ino = 0;
		break;
	}
}

static void test_growth_keeps_all(void **state)
{
	struct link_table table = { 0 };
	const u64 nr = 50000;
	u64 i, dev, ino;

	(void)state;
	for (i = 1; i <= nr; i++) {
		struct link_entry *entry;

		identity(i, &dev, &ino);
		entry = find(&table, dev, ino);
		assert_int_equal(entry->ino, 0);
		entry->ino = i + 1000;
		entry->nlink = (u32)i;
	}
	assert_int_equal(table.nr, nr);
	assert_true(table.capacity > nr && table.capacity < 4 * nr);
	for (i = nr; i > 0; i--) {
		identity(i, &dev, &ino);
		assert_int_equal(find(&table, dev, ino)->ino, i + 1000);
		assert_int_equal(find(&table, dev, ino)->nlink, (u32)i);
	}
	assert_int_equal(table.nr, nr);
	link_table_release(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add_and_find),
		cmocka_unit_test(test_trees),
		cmocka_unit_test(test_growth_keeps_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
