// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The item log: order, combining of records with one key, and that spilling changes nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "crypto/csum.h"
#include "mkfs/item-log.h"

static struct item_log *new_log(size_t memory)
{
	struct item_log *log;

	assert_int_equal(item_log_create(&log, memory), 0);
	return log;
}

static struct btrfs_key make_key(u64 objectid, u8 type, u64 offset)
{
	return (struct btrfs_key){ .objectid = objectid, .type = type, .offset = offset };
}

/* item_log_add() into tree number 0. */
static int add_bytes(struct item_log *log, const struct btrfs_key *key, const void *bytes, size_t len)
{
	const struct log_key log_key = { .key = *key };

	return item_log_add(log, &log_key, bytes, len, NULL, 0);
}

static void add_to(struct item_log *log, u32 tree, struct btrfs_key key, const char *head, const char *tail)
{
	const struct log_key log_key = { .tree = tree, .key = key };

	assert_int_equal(item_log_add(log, &log_key, head, strlen(head), tail, tail ? strlen(tail) : 0), 0);
}

static void add(struct item_log *log, struct btrfs_key key, const char *head, const char *tail)
{
	add_to(log, 0, key, head, tail);
}

/* What a feed gave: enough to compare two. */
struct feed {
	u64 items;
	u64 bytes;
	u32 hash;
	u32 tree;				/* of the last */
	struct btrfs_key last;
	u8 payload[ITEM_LOG_MAX_PAYLOAD];	/* of the last */
	u32 size;
	u64 stop_after;				/* 0: never */
};

static int note_item(void *arg, u32 tree, const struct btrfs_key *key, const void *payload, u32 size)
{
	struct feed *feed = arg;
	const struct btrfs_disk_key disk = btrfs_cpu_key_to_disk(key);

	if (feed->items)
		assert_true(feed->tree < tree || (feed->tree == tree && btrfs_comp_cpu_keys(&feed->last, key) < 0));
	feed->tree = tree;
	feed->last = *key;
	feed->items++;
	feed->bytes += size;
	feed->hash = crc32c_raw(feed->hash, &tree, sizeof(tree));
	feed->hash = crc32c_raw(feed->hash, &disk, sizeof(disk));
	feed->hash = crc32c_raw(feed->hash, payload, size);
	memcpy(feed->payload, payload, size);
	feed->size = size;
	return feed->items == feed->stop_after ? -ECANCELED : 0;
}

static struct feed *run_feed(struct item_log *log)
{
	struct feed *feed = calloc(1, sizeof(*feed));

	assert_non_null(feed);
	assert_int_equal(item_log_feed(log, note_item, feed), 0);
	return feed;
}

static void test_empty(void **state)
{
	struct item_log *log = new_log(0);
	struct feed *feed = run_feed(log);

	(void)state;
	assert_int_equal(feed->items, 0);
	assert_int_equal(item_log_records(log), 0);
	free(feed);
	item_log_destroy(log);
	item_log_destroy(NULL);
}

/* A few keys that differ in each field alone, largest values too. */
static void test_order(void **state)
{
	const struct btrfs_key keys[] = {
		{ 256, BTRFS_EXTENT_DATA_KEY, 0 },	{ 256, BTRFS_EXTENT_DATA_KEY, (u64)-1 },
		{ 256, BTRFS_DIR_INDEX_KEY, 7 },	{ 257, BTRFS_EXTENT_DATA_KEY, 4096 },
		{ (u64)-9, BTRFS_EXTENT_DATA_KEY, 1 },	{ 256, BTRFS_EXTENT_DATA_KEY, (u64)1 << 40 },
		{ 1, 255, 0 },				{ 1, 0, 0 },
	};
	struct item_log *log = new_log(0);
	struct feed *feed;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		add(log, keys[i], "x", NULL);
	feed = run_feed(log);	/* note_item() looks at the order */
	assert_int_equal(feed->items, ARRAY_SIZE(keys));
	assert_int_equal(feed->last.objectid, (u64)-9);
	free(feed);
	item_log_destroy(log);
}

/* One key in several trees is several items; an amendment finds its own. */
static void test_trees(void **state)
{
	const struct inode_amendment amendment = { .nlink = 5 };
	const struct log_key amended = { .tree = 7, .key = make_key(257, BTRFS_INODE_ITEM_KEY, 0) };
	struct btrfs_inode_item inode = { .nlink = cpu_to_le32(1) };
	struct log_key key = amended;
	struct item_log *log = new_log(0);
	struct feed *feed;

	(void)state;
	add_to(log, UINT32_MAX, make_key(1, BTRFS_DIR_ITEM_KEY, 1), "last", NULL);
	add_to(log, 7, make_key((u64)-1, BTRFS_DIR_ITEM_KEY, 1), "x", NULL);
	for (key.tree = 8; key.tree-- > 0;)
		assert_int_equal(item_log_add(log, &key, &inode, sizeof(inode), NULL, 0), 0);
	add_to(log, 0, make_key(1, BTRFS_DIR_ITEM_KEY, 1), "y", NULL);
	assert_int_equal(item_log_add(log, &amended, &amendment, sizeof(amendment), NULL, 0), 0);
	feed = run_feed(log);	/* note_item() looks at the order */
	assert_int_equal(feed->items, 11);
	assert_int_equal(feed->tree, UINT32_MAX);
	assert_int_equal(feed->size, 4);
	memset(feed, 0, sizeof(*feed));
	feed->stop_after = 9;	/* tree 0 has two, then one each: the ninth is that of tree 7 */
	assert_int_equal(item_log_feed(log, note_item, feed), -ECANCELED);
	assert_int_equal(feed->tree, 7);
	assert_int_equal(le32_to_cpu(((struct btrfs_inode_item *)feed->payload)->nlink), 6);
	free(feed);
	item_log_destroy(log);
}

static void test_payload_without_bytes(void **state)
{
	struct item_log *log = new_log(0);
	const struct btrfs_key key = make_key(5, BTRFS_ORPHAN_ITEM_KEY, 6);
	struct feed *feed;

	(void)state;
	assert_int_equal(add_bytes(log, &key, NULL, 0), 0);
	feed = run_feed(log);
	assert_int_equal(feed->items, 1);
	assert_int_equal(feed->size, 0);
	free(feed);
	item_log_destroy(log);
}

static void expect_combined(u8 type)
{
	struct item_log *log = new_log(0);
	struct feed *feed;

	add(log, make_key(300, type, 9), "one", "-a ");
	add(log, make_key(299, type, 9), "other", NULL);
	add(log, make_key(300, type, 9), "two ", NULL);
	add(log, make_key(300, type, 9), "", "three");
	feed = run_feed(log);
	assert_int_equal(feed->items, 2);
	assert_int_equal(feed->size, 15);
	assert_memory_equal(feed->payload, "one-a two three", 15);
	assert_int_equal(item_log_records(log), 4);
	free(feed);
	item_log_destroy(log);
}

static void test_concatenation(void **state)
{
	(void)state;
	expect_combined(BTRFS_INODE_REF_KEY);
	expect_combined(BTRFS_INODE_EXTREF_KEY);
	expect_combined(BTRFS_DIR_ITEM_KEY);
	expect_combined(BTRFS_XATTR_ITEM_KEY);
}

static void test_duplicates_are_refused(void **state)
{
	const u8 types[] = { BTRFS_EXTENT_DATA_KEY, BTRFS_DIR_INDEX_KEY, BTRFS_EXTENT_CSUM_KEY };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		struct item_log *log = new_log(0);
		struct feed *feed = calloc(1, sizeof(*feed));

		assert_non_null(feed);
		add(log, make_key(1, types[i], 2), "a", NULL);
		add(log, make_key(1, types[i], 2), "b", NULL);
		assert_int_equal(item_log_feed(log, note_item, feed), -EEXIST);
		free(feed);
		item_log_destroy(log);
	}
}

static void add_inode(struct item_log *log, u64 ino, u64 size, u64 nbytes, u32 nlink)
{
	const struct btrfs_key key = make_key(ino, BTRFS_INODE_ITEM_KEY, 0);
	const struct btrfs_inode_item item = {
		.generation = cpu_to_le64(1), .mode = cpu_to_le32(0100644),
		.size = cpu_to_le64(size), .nbytes = cpu_to_le64(nbytes), .nlink = cpu_to_le32(nlink),
	};

	assert_int_equal(add_bytes(log, &key, &item, sizeof(item)), 0);
}

static void amend(struct item_log *log, u64 ino, struct inode_amendment amendment)
{
	const struct btrfs_key key = make_key(ino, BTRFS_INODE_ITEM_KEY, 0);

	assert_int_equal(add_bytes(log, &key, &amendment, sizeof(amendment)), 0);
}

static void test_amendments(void **state)
{
	struct item_log *log = new_log(0);
	struct btrfs_inode_item item;
	struct feed *feed;

	(void)state;
	add_inode(log, 256, 10000, 1, 1);
	amend(log, 256, (struct inode_amendment){ .nlink = 1 });
	amend(log, 256, (struct inode_amendment){ .nlink = 1, .nbytes = 8191 });
	/* the file turned out to be 3000 bytes long: the difference wraps around */
	amend(log, 256, (struct inode_amendment){ .size = (u64)3000 - 10000 });
	feed = run_feed(log);
	assert_int_equal(feed->items, 1);
	assert_int_equal(feed->size, sizeof(item));
	memcpy(&item, feed->payload, sizeof(item));
	assert_int_equal(le64_to_cpu(item.size), 3000);
	assert_int_equal(le64_to_cpu(item.nbytes), 8192);
	assert_int_equal(le32_to_cpu(item.nlink), 3);
	assert_int_equal(le32_to_cpu(item.mode), 0100644);
	free(feed);
	item_log_destroy(log);
}

static void test_second_inode_item(void **state)
{
	struct item_log *log = new_log(0);
	struct feed *feed = calloc(1, sizeof(*feed));

	(void)state;
	assert_non_null(feed);
	add_inode(log, 256, 1, 1, 1);
	add_inode(log, 256, 1, 1, 1);
	assert_int_equal(item_log_feed(log, note_item, feed), -EEXIST);
	free(feed);
	item_log_destroy(log);
}

static void test_size_limits(void **state)
{
	u8 *bytes = calloc(1, ITEM_LOG_MAX_PAYLOAD + 1);
	const struct btrfs_key key = make_key(1, BTRFS_DIR_ITEM_KEY, 1);
	const struct log_key log_key = { .key = key };
	struct item_log *log = new_log(0);
	struct feed *feed;

	(void)state;
	assert_non_null(bytes);
	assert_int_equal(add_bytes(log, &key, bytes, ITEM_LOG_MAX_PAYLOAD + 1), -EMSGSIZE);
	assert_int_equal(item_log_add(log, &log_key, bytes, ITEM_LOG_MAX_PAYLOAD - 9, bytes, 10), -EMSGSIZE);
	assert_int_equal(item_log_add(log, &log_key, bytes, ITEM_LOG_MAX_PAYLOAD - 10, bytes, 10), 0);
	feed = run_feed(log);
	assert_int_equal(feed->size, ITEM_LOG_MAX_PAYLOAD);
	memset(feed, 0, sizeof(*feed));
	assert_int_equal(add_bytes(log, &key, bytes, 1), 0);
	assert_int_equal(item_log_feed(log, note_item, feed), -EMSGSIZE);
	free(feed);
	item_log_destroy(log);
	free(bytes);
}

/* The same pseudo-random records for every memory bound. */
static void add_many(struct item_log *log, u32 nr)
{
	static const u8 types[] = { BTRFS_DIR_ITEM_KEY, BTRFS_INODE_REF_KEY, BTRFS_XATTR_ITEM_KEY };
	u64 x = 12345;
	u8 bytes[600];
	u32 i;

	for (i = 0; i < nr; i++) {
		struct log_key key;
		size_t len;

		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		len = (size_t)(x >> 40) % sizeof(bytes);
		memset(bytes, (int)i, sizeof(bytes));
		/* about every third key comes twice or more; runs see the same keys */
		key.tree = (u32)(x >> 60) * 0x11111111;
		key.key = make_key((x >> 33) % (nr / 30 + 1), types[i % 3], i % 2);
		assert_int_equal(item_log_add(log, &key, &i, sizeof(i), bytes, len), 0);
		if (i % 5 == 0) {
			key.key = make_key((u64)1 << 50 | ((x >> 20) % 100000), BTRFS_INODE_ITEM_KEY, i);
			assert_int_equal(item_log_add(log, &key, bytes, sizeof(struct btrfs_inode_item), NULL, 0), 0);
		}
	}
	/* one inode whose amendments lie in different runs */
	for (i = 0; i < 40; i++) {
		struct btrfs_key key = make_key(3, BTRFS_EXTENT_DATA_KEY, 0);
		u32 k;

		if (i)
			amend(log, 2, (struct inode_amendment){ .nlink = 1, .size = (u64)-1 });
		else
			add_inode(log, 2, 39, 0, 1);
		for (k = 0; k < 100; k++) {
			key.offset = (u64)(99 - k) * 100 + i;
			assert_int_equal(add_bytes(log, &key, bytes, sizeof(bytes)), 0);
		}
	}
}

static void expect_equal_feeds(const struct feed *a, const struct feed *b)
{
	assert_int_equal(a->items, b->items);
	assert_int_equal(a->bytes, b->bytes);
	assert_int_equal(a->hash, b->hash);
}

static void test_spilling_changes_nothing(void **state)
{
	const size_t bounds[] = { 0, 2 << 20, 5 << 20 };
	struct item_log *whole = new_log((size_t)1 << 30);
	struct feed *expected;
	size_t i;

	(void)state;
	add_many(whole, 20000);
	assert_int_equal(item_log_runs(whole), 0);
	expected = run_feed(whole);
	assert_true(expected->items > 10000 && expected->items < 28000);
	for (i = 0; i < ARRAY_SIZE(bounds); i++) {
		struct item_log *log = new_log(bounds[i]);
		struct feed *feed;

		add_many(log, 20000);
		assert_true(item_log_runs(log) >= 1);
		assert_int_equal(item_log_records(log), item_log_records(whole));
		feed = run_feed(log);
		expect_equal_feeds(feed, expected);
		free(feed);
		feed = run_feed(log);	/* and once more */
		expect_equal_feeds(feed, expected);
		free(feed);
		item_log_destroy(log);
	}
	free(expected);
	item_log_destroy(whole);
}

/* Records of one key that are in the first run, in the last and in memory come out as recorded. */
static void test_order_across_runs(void **state)
{
	struct item_log *log = new_log(0);
	u8 *filler = calloc(1, 60000);
	struct feed *feed;
	u32 i;

	(void)state;
	assert_non_null(filler);
	for (i = 0; i < 8; i++) {
		const char digit[2] = { (char)('a' + i) };
		u32 k;

		add(log, make_key((u64)1 << 40, BTRFS_DIR_ITEM_KEY, 1), digit, NULL);
		for (k = 0; k < 20; k++) {
			const struct btrfs_key key = make_key(i, BTRFS_EXTENT_DATA_KEY, k);

			assert_int_equal(add_bytes(log, &key, filler, 60000), 0);
		}
	}
	assert_true(item_log_runs(log) > 4);
	feed = run_feed(log);
	assert_int_equal(feed->items, 8 * 20 + 1);
	assert_int_equal(feed->size, 8);
	assert_memory_equal(feed->payload, "abcdefgh", 8);
	free(feed);
	free(filler);
	item_log_destroy(log);
}

static void test_sink_can_stop(void **state)
{
	struct item_log *log = new_log(0);
	struct feed *feed = calloc(1, sizeof(*feed));

	(void)state;
	assert_non_null(feed);
	add_many(log, 5000);
	assert_true(item_log_runs(log) >= 1);
	feed->stop_after = 100;
	assert_int_equal(item_log_feed(log, note_item, feed), -ECANCELED);
	assert_int_equal(feed->items, 100);
	free(feed);
	item_log_destroy(log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_trees),
		cmocka_unit_test(test_payload_without_bytes),
		cmocka_unit_test(test_concatenation),
		cmocka_unit_test(test_duplicates_are_refused),
		cmocka_unit_test(test_amendments),
		cmocka_unit_test(test_second_inode_item),
		cmocka_unit_test(test_size_limits),
		cmocka_unit_test(test_spilling_changes_nothing),
		cmocka_unit_test(test_order_across_runs),
		cmocka_unit_test(test_sink_can_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
