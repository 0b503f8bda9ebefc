// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bulk load: what is on the image afterwards is a whole tree that passes every check, with the
 * shape that was planned.
 */
#include "tests/unit/image-files.h"

#include "kernel-shared/tree-checker.h"
#include "mkfs/tree-load.h"

#define NR_SLOTS_OF_POOL 12

struct load_test {
	struct image_files images;
	struct mkfs_layout layout;
	struct buffer_pool *buffers;
	struct write_stage *write;
	struct tree_output output;
	struct tree_plan plan;
	u32 (*size)(u64 nr);		/* of the payload of item @nr */
	u64 nr_items;
	u64 items_seen;
	u64 next_leaf;			/* address; leaves lie one after the other */
	struct btrfs_key previous;
};

static u32 no_bytes(u64 nr)
{
	(void)nr;
	return 0;
}

static u32 mixed_bytes(u64 nr)
{
	return (u32)(nr * 2654435761U >> 7) % 3000;
}

static u32 large_bytes(u64 nr)
{
	(void)nr;
	return 3900;
}

static u8 payload_byte(u64 nr, u32 at)
{
	return (u8)(nr * 5 + at * 3 + (at >> 8));
}

/* A type that no filesystem has: any payload is fine. */
static struct btrfs_key item_key(u64 nr)
{
	return (struct btrfs_key){ .objectid = 1000 + nr / 7, .type = 99, .offset = nr % 7 };
}

static void setup(struct load_test *test, u32 nodesize, unsigned nr_devices, u64 profile, enum io_ring_kind ring)
{
	struct write_stage_options options = { .set = &test->images.set, .ring = { .kind = ring } };

	memset(test, 0, sizeof(*test));
	assert_int_equal(csum_init(), 0);
	image_files_init(&test->images, nr_devices, 512 * SZ_1M);
	test->layout = (struct mkfs_layout){
		.nodesize = nodesize, .sectorsize = 4096, .csum = csum_by_name("crc32c"),
		.metadata_type = BTRFS_BLOCK_GROUP_METADATA | profile,
	};
	memset(test->layout.fsid, 0x71, BTRFS_FSID_SIZE);
	memset(test->layout.chunk_tree_uuid, 0x72, BTRFS_UUID_SIZE);
	options.chunks = &test->images.alloc.chunks;
	assert_int_equal(write_stage_create(&test->write, &options), 0);
	assert_int_equal(buffer_pool_create(&test->buffers, NR_SLOTS_OF_POOL * SZ_1M, SZ_1M), 0);
	test->output = (struct tree_output){
		.layout = &test->layout, .chunks = options.chunks, .buffers = test->buffers, .write = test->write,
	};
	test->plan.owner = BTRFS_FS_TREE_OBJECTID;
}

static void teardown(struct load_test *test)
{
	write_stage_destroy(test->write);
	buffer_pool_destroy(test->buffers);
	image_files_release(&test->images);
}

/* Chunks of @chunk bytes; the tree begins @skip blocks behind the start of the first. */
static void plan_tree(struct load_test *test, u64 nr_items, u32 (*size)(u64), u64 chunk, u64 skip)
{
	struct btrfs_chunk_map *map;
	u64 i, room = 0, need;

	test->nr_items = nr_items;
	test->size = size;
	geometry_init(&test->plan.geometry, test->layout.nodesize);
	for (i = 0; i < nr_items; i++)
		geometry_add(&test->plan.geometry, size(i));
	assert_int_equal(geometry_finish(&test->plan.geometry), 0);
	need = (skip + geometry_total(&test->plan.geometry)) * test->layout.nodesize;
	test->plan.base = CHUNK_FIRST_LOGICAL + skip * test->layout.nodesize;
	while (room < need) {
		assert_int_equal(chunk_allocate(&test->images.alloc, test->layout.metadata_type, chunk, &map), 0);
		room += map->length;
	}
}

static int add_item(struct tree_loader *loader, const struct load_test *test, u64 nr)
{
	const struct btrfs_key key = item_key(nr);
	const u32 size = test->size(nr);
	u8 payload[65536];
	u32 i;

	for (i = 0; i < size; i++)
		payload[i] = payload_byte(nr, i);
	return tree_loader_add(loader, &key, size ? payload : NULL, size);
}

static int load(struct load_test *test)
{
	struct tree_loader *loader;
	u64 i;
	int ret = 0;

	assert_int_equal(tree_loader_create(&loader, &test->output, &test->plan), 0);
	for (i = 0; !ret && i < test->nr_items; i++)
		ret = add_item(loader, test, i);
	if (!ret)
		ret = tree_loader_finish(loader);
	tree_loader_destroy(loader);
	assert_int_equal(write_stage_flush(test->write), 0);
	while (buffer_pool_free(test->buffers) < buffer_pool_nr(test->buffers))
		tree_output_reap(&test->output, true);
	return ret;
}

/* ---- reading back ---- */

static void report(void *arg, int slot, const struct btrfs_key *key, const char *text)
{
	(void)arg;
	(void)key;
	fail_msg("slot %d: %s", slot, text);
}

static void check_leaf(struct load_test *test, const struct btrfs_check_context *ctx, const u8 *leaf)
{
	u32 slot, i;
	u64 unknown = 0;

	assert_int_equal(btrfs_check_leaf(ctx, leaf, report, NULL, &unknown), 0);
	for (slot = 0; slot < btrfs_header_nritems(leaf); slot++) {
		const struct btrfs_key key = btrfs_item_key(leaf, slot), want = item_key(test->items_seen);
		const u8 *payload = btrfs_item_ptr(leaf, slot);

		assert_int_equal(btrfs_comp_cpu_keys(&key, &want), 0);
		assert_int_equal(btrfs_item_size(leaf, slot), test->size(test->items_seen));
		for (i = 0; i < test->size(test->items_seen); i++)
			assert_int_equal(payload[i], payload_byte(test->items_seen, i));
		test->items_seen++;
	}
}

static void check_identity(const struct load_test *test, const u8 *block, u64 bytenr, int level,
			   const struct btrfs_key *first)
{
	const struct btrfs_block_expect expect = {
		.bytenr = bytenr, .fsids = &test->layout.fsid, .nr_fsids = 1,
		.chunk_tree_uuid = test->layout.chunk_tree_uuid, .level = level, .generation = MKFS_GENERATION,
		.owner = test->plan.owner, .first_key = first,
	};
	struct btrfs_reason reason = { "" };

	if (btrfs_check_tree_block(test->layout.csum, block, test->layout.nodesize, &expect, &reason))
		fail_msg("%s", reason.text);
}

/* Block number @index of @level and all below it; every copy is the same. */
static void check_subtree(struct load_test *test, int level, u64 bytenr, const struct btrfs_key *first,
			  u64 *blocks)
{
	const struct btrfs_check_context ctx = {
		.nodesize = test->layout.nodesize, .sectorsize = 4096, .csum_size = 4, .generation = MKFS_GENERATION,
	};
	const int copies = btrfs_chunk_copies(btrfs_find_chunk(&test->images.alloc.chunks, bytenr));
	u8 *block = malloc(2 * test->layout.nodesize);
	u32 slot;

	assert_non_null(block);
	image_files_read(&test->images, bytenr, test->layout.nodesize, 0, block);
	if (copies > 1) {
		image_files_read(&test->images, bytenr, test->layout.nodesize, 1, block + test->layout.nodesize);
		assert_memory_equal(block, block + test->layout.nodesize, test->layout.nodesize);
	}
	check_identity(test, block, bytenr, level, first);
	assert_int_equal(bytenr, tree_plan_block(&test->plan, level, blocks[level]));
	blocks[level]++;
	if (!level) {
		check_leaf(test, &ctx, block);
	} else {
		assert_int_equal(btrfs_check_node(&ctx, block, report, NULL), 0);
		for (slot = 0; slot < btrfs_header_nritems(block); slot++) {
			const struct btrfs_key key = btrfs_node_key(block, slot);

			check_subtree(test, level - 1, le64_to_cpu(btrfs_node_ptr(block, slot)->blockptr), &key,
				      blocks);
		}
	}
	free(block);
}

static void check_tree(struct load_test *test)
{
	u64 blocks[BTRFS_MAX_LEVEL] = { 0 };
	int i;

	test->items_seen = 0;
	check_subtree(test, tree_plan_level(&test->plan), tree_plan_root(&test->plan), NULL, blocks);
	assert_int_equal(test->items_seen, test->nr_items);
	for (i = 0; i < BTRFS_MAX_LEVEL; i++)
		assert_int_equal(blocks[i], test->plan.geometry.blocks[i]);
}

static void test_empty_tree(void **state)
{
	struct load_test test;

	(void)state;
	setup(&test, 16384, 1, 0, IO_RING_SYNC);
	test.plan.owner = BTRFS_CSUM_TREE_OBJECTID;	/* may be empty */
	plan_tree(&test, 0, no_bytes, SZ_1M, 0);
	assert_int_equal(load(&test), 0);
	check_tree(&test);
	teardown(&test);
}

static void load_and_check(u32 nodesize, u64 nr_items, u32 (*size)(u64), int height)
{
	struct load_test test;

	setup(&test, nodesize, 1, BTRFS_BLOCK_GROUP_DUP, IO_RING_AUTO);
	plan_tree(&test, nr_items, size, 64 * SZ_1M, 1);
	assert_int_equal(test.plan.geometry.height, height);
	assert_int_equal(load(&test), 0);
	check_tree(&test);
	teardown(&test);
}

static void test_node_sizes(void **state)
{
	(void)state;
	load_and_check(4096, 1, large_bytes, 1);
	load_and_check(4096, 5000, mixed_bytes, 3);
	load_and_check(8192, 5000, mixed_bytes, 3);
	load_and_check(16384, 5000, mixed_bytes, 3);
	load_and_check(32768, 5000, mixed_bytes, 2);
	load_and_check(65536, 5000, mixed_bytes, 2);
}

/* One block, and one more than fits a node, on two levels. */
static void test_exact_edges(void **state)
{
	const u32 items = btrfs_max_nr_items(4096), ptrs = btrfs_max_nr_ptrs(4096);

	(void)state;
	load_and_check(4096, items, no_bytes, 1);
	load_and_check(4096, items + 1, no_bytes, 2);
	load_and_check(4096, ptrs, large_bytes, 2);
	load_and_check(4096, ptrs + 1, large_bytes, 3);
	load_and_check(4096, (u64)ptrs * ptrs, large_bytes, 3);
	load_and_check(4096, (u64)ptrs * ptrs + 1, large_bytes, 4);
}

/* Slabs end with their chunk, wherever that is: leaves and nodes alike. */
static void cross_chunks(u32 nodesize, unsigned nr_devices, u64 profile, u64 chunk)
{
	struct load_test test;
	u64 skip;

	for (skip = 0; skip < 40; skip += 13) {
		setup(&test, nodesize, nr_devices, profile, IO_RING_AUTO);
		plan_tree(&test, 6000, large_bytes, chunk, skip);
		assert_true(test.images.alloc.chunks.nr > 3);
		assert_int_equal(load(&test), 0);
		check_tree(&test);
		teardown(&test);
	}
}

static void test_chunk_borders(void **state)
{
	(void)state;
	cross_chunks(4096, 1, 0, SZ_1M);
	cross_chunks(4096, 1, BTRFS_BLOCK_GROUP_DUP, 3 * SZ_1M + 65536);
	cross_chunks(16384, 3, BTRFS_BLOCK_GROUP_RAID0, 5 * SZ_1M);
	cross_chunks(65536, 4, BTRFS_BLOCK_GROUP_RAID10, 2 * SZ_1M + 131072);
}

/* ---- failures ---- */

static void test_more_than_planned(void **state)
{
	struct load_test test;

	(void)state;
	setup(&test, 4096, 1, 0, IO_RING_SYNC);
	plan_tree(&test, 500, large_bytes, 16 * SZ_1M, 0);
	test.nr_items++;
	assert_int_equal(load(&test), -EUCLEAN);
	teardown(&test);
}

static void test_less_than_planned(void **state)
{
	struct load_test test;

	(void)state;
	setup(&test, 4096, 1, 0, IO_RING_SYNC);
	plan_tree(&test, 500, large_bytes, 16 * SZ_1M, 0);
	test.nr_items--;
	assert_int_equal(load(&test), -EUCLEAN);
	teardown(&test);
}

static u32 too_large(u64 nr)
{
	return nr == 3 ? btrfs_max_item_size(4096) + 1 : 10;
}

static void test_item_too_large(void **state)
{
	struct load_test test;

	(void)state;
	setup(&test, 4096, 1, 0, IO_RING_SYNC);
	plan_tree(&test, 6, too_large, SZ_1M, 0);
	assert_int_equal(load(&test), -EOVERFLOW);
	teardown(&test);
}

static void test_no_chunk_there(void **state)
{
	struct load_test test;

	(void)state;
	setup(&test, 4096, 1, 0, IO_RING_SYNC);
	plan_tree(&test, 2000, large_bytes, SZ_1M, 0);
	test.plan.base += SZ_1M;	/* the end of the run is behind the last chunk */
	assert_int_equal(load(&test), -EFAULT);
	teardown(&test);
}

static void test_write_error(void **state)
{
	struct load_test test;
	int fd;

	(void)state;
	setup(&test, 4096, 1, 0, IO_RING_AUTO);
	plan_tree(&test, 3000, large_bytes, 64 * SZ_1M, 0);
	fd = test.images.devices[0].fd;
	test.images.devices[0].fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	load(&test);	/* the last writes may still be under way when it ends */
	assert_int_equal(write_stage_error(test.write), -EBADF);
	close(fd);
	teardown(&test);
}

static void test_stop(void **state)
{
	const volatile sig_atomic_t stop = SIGTERM;
	struct load_test test;

	(void)state;
	setup(&test, 4096, 1, 0, IO_RING_SYNC);
	test.output.stop = &stop;
	plan_tree(&test, 3000, large_bytes, 64 * SZ_1M, 0);
	assert_int_equal(load(&test), -EINTR);
	teardown(&test);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty_tree),
		cmocka_unit_test(test_node_sizes),
		cmocka_unit_test(test_exact_edges),
		cmocka_unit_test(test_chunk_borders),
		cmocka_unit_test(test_more_than_planned),
		cmocka_unit_test(test_less_than_planned),
		cmocka_unit_test(test_item_too_large),
		cmocka_unit_test(test_no_chunk_there),
		cmocka_unit_test(test_write_error),
		cmocka_unit_test(test_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
