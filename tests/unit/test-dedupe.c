// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of known data, and the items of extents with many references.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "crypto/csum.h"
#include "kernel-shared/extent-item.h"
#include "mkfs/dedupe.h"
#include "mkfs/extent-refs.h"

static void make_hash(u64 nr, u8 *hash)
{
	dedupe_hash(&nr, sizeof(nr), hash);
}

/* Only compressed extents are of another length on disk, and short. */
static u32 ram_sectors(u64 nr)
{
	return (u32)(nr % 4 ? 1 + nr % 32 : 1 + nr % 256);
}

static void test_table(void **state)
{
	struct dedupe_table *table;
	struct dedupe_place place;
	u8 hash[DEDUPE_HASH_SIZE];
	u64 i;

	(void)state;
	assert_int_equal(dedupe_table_create(&table, SZ_64K * 64), 0);
	for (i = 1; i <= 5000; i++) {
		make_hash(i, hash);
		assert_false(dedupe_find(table, hash, &place));
		place = (struct dedupe_place){
			.bytenr = i << 20, .len = (u32)(1 + i % 256) * 4096, .offset = (u32)(i % (1 + i % 256)) * 4096,
			.compression = (u8)(i % 4), .ram_len = ram_sectors(i) * 4096,
		};
		assert_int_equal(dedupe_add(table, hash, &place), 0);
	}
	assert_false(dedupe_table_full(table));
	for (i = 1; i <= 5000; i++) {
		make_hash(i, hash);
		assert_true(dedupe_find(table, hash, &place));
		assert_int_equal(place.bytenr, i << 20);
		assert_int_equal(place.len, (1 + i % 256) * 4096);
		assert_int_equal(place.offset, (i % (1 + i % 256)) * 4096);
		assert_int_equal(place.ram_len, ram_sectors(i) * 4096);
		assert_int_equal(place.compression, i % 4);
	}
	dedupe_table_destroy(table);
}

/* When an entry has given away all it may, the data is stored anew, and the entry leads there. */
static void test_max_refs(void **state)
{
	struct dedupe_place place = { .bytenr = SZ_1M, .len = 4096, .ram_len = 4096 };
	struct dedupe_table *table;
	u8 hash[DEDUPE_HASH_SIZE];
	u32 i;

	(void)state;
	make_hash(1, hash);
	assert_int_equal(dedupe_table_create(&table, SZ_1M), 0);
	assert_int_equal(dedupe_add(table, hash, &place), 0);
	for (i = 0; i < DEDUPE_MAX_REFS; i++)
		assert_true(dedupe_find(table, hash, &place));
	assert_false(dedupe_find(table, hash, &place));
	place.bytenr = 2 * SZ_1M;
	assert_int_equal(dedupe_add(table, hash, &place), 0);
	assert_true(dedupe_find(table, hash, &place));
	assert_int_equal(place.bytenr, 2 * SZ_1M);
	dedupe_table_destroy(table);
}

static void test_full(void **state)
{
	struct dedupe_place place = { .bytenr = SZ_1M, .len = 4096, .ram_len = 4096 };
	struct dedupe_table *table;
	u8 hash[DEDUPE_HASH_SIZE];
	u64 i;

	(void)state;
	assert_int_equal(dedupe_table_create(&table, SZ_64K), 0);
	for (i = 0; i < 10000; i++) {
		make_hash(i, hash);
		assert_int_equal(dedupe_add(table, hash, &place), 0);
	}
	assert_true(dedupe_table_full(table));
	make_hash(0, hash);
	assert_true(dedupe_find(table, hash, &place));
	make_hash(9999, hash);
	assert_false(dedupe_find(table, hash, &place));
	dedupe_table_destroy(table);
}

struct seen_items {
	struct btrfs_key last;
	u64 refs;		/* what the extent item says */
	u64 counted;
	u32 inline_refs;
	u32 items;
	u64 last_hash;
};

static void count_ref(struct seen_items *seen, const struct btrfs_extent_data_ref *ref)
{
	seen->counted += le32_to_cpu(ref->count);
	seen->last_hash = btrfs_hash_extent_data_ref(le64_to_cpu(ref->root), le64_to_cpu(ref->objectid),
						     le64_to_cpu(ref->offset));
}

static int see_item(void *arg, const struct btrfs_key *key, const void *payload, u32 size)
{
	struct seen_items *seen = arg;
	const u8 *at = payload, *end = at + size;
	struct btrfs_extent_data_ref ref;
	u64 hash = UINT64_MAX;

	if (seen->items++)
		assert_true(btrfs_comp_cpu_keys(&seen->last, key) < 0);
	seen->last = *key;
	if (key->type == BTRFS_EXTENT_DATA_REF_KEY) {
		assert_int_equal(size, sizeof(ref));
		memcpy(&ref, at, sizeof(ref));
		count_ref(seen, &ref);
		assert_true(key->offset >= seen->last_hash && key->offset < seen->last_hash + 10);
		return 0;
	}
	assert_int_equal(key->type, BTRFS_EXTENT_ITEM_KEY);
	seen->refs = le64_to_cpu(((const struct btrfs_extent_item *)payload)->refs);
	for (at += sizeof(struct btrfs_extent_item); at < end; at += sizeof(ref)) {
		assert_int_equal(*at++, BTRFS_EXTENT_DATA_REF_KEY);
		memcpy(&ref, at, sizeof(ref));
		count_ref(seen, &ref);
		assert_true(seen->last_hash <= hash);
		hash = seen->last_hash;
		seen->inline_refs++;
	}
	return 0;
}

static void test_items(void **state)
{
	static const size_t numbers[] = { 1, 2, 32, 33, 34, 35, 1000 };
	const struct btrfs_key key = { .objectid = SZ_1M, .type = BTRFS_EXTENT_ITEM_KEY, .offset = 8192 };
	struct extent_refs refs = { 0 };
	size_t n, i;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(numbers); n++) {
		struct seen_items seen = { 0 };

		for (i = 0; i < numbers[n]; i++)
			assert_int_equal(extent_refs_add(&refs, 5 + i % 3, 257 + i, i * 4096), 0);
		/* the last file once more: a count of 2 */
		i = numbers[n] - 1;
		assert_int_equal(extent_refs_add(&refs, 5 + i % 3, 257 + i, i * 4096), 0);
		assert_int_equal(extent_refs_feed(&refs, 16384, 1, &key, see_item, &seen), 0);
		assert_int_equal(seen.refs, numbers[n] + 1);
		assert_int_equal(seen.counted, numbers[n] + 1);
		assert_int_equal(seen.inline_refs, MIN(numbers[n], (size_t)33));
		assert_int_equal(seen.items, 1 + numbers[n] - seen.inline_refs);
		assert_int_equal(refs.nr, 0);
	}
	extent_refs_release(&refs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_max_refs),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_items),
	};

	if (csum_init())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
