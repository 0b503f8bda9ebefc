// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reader/block: copies, identity, piecewise reads.
 */
#include <errno.h>

#include "tests/unit/reader-fixture.h"

static struct btrfs_block_ref leaf_ref(unsigned nr)
{
	const struct btrfs_tree_root root = fixture_root(nr, 0);

	return btrfs_root_ref(&root);
}

static void test_every_copy_is_judged(void **state)
{
	struct fixture fx;
	struct btrfs_copy_result result;
	void *buf = btrfs_block_buffer(FIXTURE_NODESIZE);
	const struct btrfs_block_ref ref = leaf_ref(3);

	(void)state;
	fixture_init(&fx);
	fixture_leaf(&fx, 3, 10, 1, 5);
	assert_int_equal(btrfs_nr_copies(&fx.image, ref.bytenr, FIXTURE_NODESIZE), 2);
	assert_int_equal(btrfs_read_block_copy(&fx.image, &ref, 0, buf, &result), BTRFS_COPY_GOOD);
	assert_int_equal(result.place.physical, FIXTURE_PHYSICAL_1 + 3 * FIXTURE_NODESIZE);
	assert_int_equal(btrfs_read_block_copy(&fx.image, &ref, 1, buf, &result), BTRFS_COPY_GOOD);
	assert_int_equal(result.place.devid, 2);

	fixture_damage(&fx, 3, 0);
	assert_int_equal(btrfs_read_block_copy(&fx.image, &ref, 0, buf, &result), BTRFS_COPY_BAD);
	assert_int_equal(result.fault, BTRFS_BLOCK_BAD_CSUM);
	assert_int_equal(btrfs_read_block(&fx.image, &ref, buf, &result), 0);
	assert_int_equal(btrfs_header_nritems(buf), 5);
	fixture_damage(&fx, 3, 1);
	assert_int_equal(btrfs_read_block(&fx.image, &ref, buf, &result), -EUCLEAN);
	assert_int_equal(result.place.devid, 1);
	free(buf);
	fixture_release(&fx);
}

static void test_missing_and_unmapped(void **state)
{
	struct fixture fx;
	struct btrfs_copy_result result;
	void *buf = btrfs_block_buffer(FIXTURE_NODESIZE);
	struct btrfs_block_ref ref = leaf_ref(0);

	(void)state;
	fixture_init(&fx);
	fixture_leaf(&fx, 0, 1, 1, 1);
	fx.image.nr_devices = 1;
	assert_int_equal(btrfs_read_block_copy(&fx.image, &ref, 1, buf, &result), BTRFS_COPY_MISSING);
	assert_int_equal(result.place.devid, 2);
	assert_int_equal(btrfs_read_block(&fx.image, &ref, buf, NULL), 0);
	fx.io[0].size = FIXTURE_PHYSICAL_1 + 1000;
	assert_int_equal(btrfs_read_block_copy(&fx.image, &ref, 0, buf, &result), BTRFS_COPY_UNREADABLE);
	assert_int_equal(result.error, -ENODATA);
	ref.bytenr = FIXTURE_CHUNK + FIXTURE_CHUNK_SIZE - 2048;
	assert_int_equal(btrfs_nr_copies(&fx.image, ref.bytenr, FIXTURE_NODESIZE), -ENOENT);
	assert_int_equal(btrfs_read_block(&fx.image, &ref, buf, &result), -EUCLEAN);
	assert_int_equal(result.status, BTRFS_COPY_UNMAPPED);
	ref.bytenr = (u64)-4096;
	assert_int_equal(btrfs_read_block(&fx.image, &ref, buf, &result), -EUCLEAN);
	free(buf);
	fixture_release(&fx);
}

static void test_keys_stay_below_the_limit(void **state)
{
	struct fixture fx;
	struct btrfs_copy_result result;
	void *buf = btrfs_block_buffer(FIXTURE_NODESIZE);
	struct btrfs_block_ref ref = leaf_ref(1);

	(void)state;
	fixture_init(&fx);
	fixture_leaf(&fx, 1, 10, 1, 5);
	ref.has_limit = true;
	ref.limit = fixture_key(15);
	assert_int_equal(btrfs_read_block_copy(&fx.image, &ref, 0, buf, &result), BTRFS_COPY_GOOD);
	ref.limit = fixture_key(14);
	assert_int_equal(btrfs_read_block_copy(&fx.image, &ref, 0, buf, &result), BTRFS_COPY_BAD);
	assert_int_equal(result.fault, BTRFS_BLOCK_BAD_FIRST_KEY);
	free(buf);
	fixture_release(&fx);
}

static void test_chunk_tree_uuid_counts_once_known(void **state)
{
	struct fixture fx;
	struct btrfs_copy_result result;
	void *buf = btrfs_block_buffer(FIXTURE_NODESIZE);
	const struct btrfs_block_ref ref = leaf_ref(1);

	(void)state;
	fixture_init(&fx);
	fixture_leaf(&fx, 1, 10, 1, 5);
	fx.image.chunk_tree_uuid[3] = 9;
	assert_int_equal(btrfs_read_block_copy(&fx.image, &ref, 0, buf, &result), BTRFS_COPY_BAD);
	assert_int_equal(result.fault, BTRFS_BLOCK_BAD_CHUNK_TREE_UUID);
	free(buf);
	fixture_release(&fx);
}

static void fill(int fd, u64 offset, u8 byte, size_t len)
{
	u8 *bytes = malloc(len);

	assert_non_null(bytes);
	memset(bytes, byte, len);
	assert_int_equal(pwrite(fd, bytes, len, (off_t)offset), (ssize_t)len);
	free(bytes);
}

/* RAID0: elements alternate between the devices; a read that begins inside one is cut at its end. */
static void test_read_crosses_stripe_elements(void **state)
{
	const size_t len = 2 * SZ_64K;
	struct fixture fx;
	struct btrfs_place place;
	u8 *buf = btrfs_block_buffer(len);

	(void)state;
	fixture_init_type(&fx, BTRFS_BLOCK_GROUP_DATA | BTRFS_BLOCK_GROUP_RAID0);
	fill(fx.io[0].fd, FIXTURE_PHYSICAL_1, 1, SZ_64K);
	fill(fx.io[1].fd, FIXTURE_PHYSICAL_2, 2, SZ_64K);
	fill(fx.io[0].fd, FIXTURE_PHYSICAL_1 + SZ_64K, 3, SZ_64K);
	assert_int_equal(btrfs_read_copy(&fx.image, FIXTURE_CHUNK + SZ_4K, len, 0, buf, &place), 0);
	assert_int_equal(place.physical, FIXTURE_PHYSICAL_1 + SZ_4K);
	assert_int_equal(buf[SZ_64K - SZ_4K - 1], 1);
	assert_int_equal(buf[SZ_64K - SZ_4K], 2);
	assert_int_equal(buf[2 * SZ_64K - SZ_4K - 1], 2);
	assert_int_equal(buf[2 * SZ_64K - SZ_4K], 3);
	assert_int_equal(btrfs_read_copy(&fx.image, FIXTURE_CHUNK, len, 1, buf, &place), -EINVAL);
	/* the piece that fails is the one that is named */
	fx.io[1].size = FIXTURE_PHYSICAL_2;
	assert_int_equal(btrfs_read_copy(&fx.image, FIXTURE_CHUNK, len, 0, buf, &place), -ENODATA);
	assert_int_equal(place.devid, 2);
	free(buf);
	fixture_release(&fx);
}

/* A stripe that does not lie on a multiple of 4096 is read all the same, also near the device's end. */
static void test_unaligned_place(void **state)
{
	struct fixture fx;
	u8 *buf = btrfs_block_buffer(SZ_4K);

	(void)state;
	fixture_init(&fx);
	fx.image.chunks.maps[0]->stripes[0].physical += 512;
	fill(fx.io[0].fd, FIXTURE_PHYSICAL_1 + 512, 7, SZ_4K);
	fx.io[0].size = FIXTURE_PHYSICAL_1 + 512 + SZ_4K;
	assert_int_equal(ftruncate(fx.io[0].fd, (off_t)fx.io[0].size), 0);
	assert_int_equal(btrfs_read_copy(&fx.image, FIXTURE_CHUNK, SZ_4K, 0, buf, NULL), 0);
	assert_int_equal(buf[0], 7);
	assert_int_equal(buf[SZ_4K - 1], 7);
	free(buf);
	fixture_release(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_copy_is_judged),
		cmocka_unit_test(test_missing_and_unmapped),
		cmocka_unit_test(test_keys_stay_below_the_limit),
		cmocka_unit_test(test_chunk_tree_uuid_counts_once_known),
		cmocka_unit_test(test_read_crosses_stripe_elements),
		cmocka_unit_test(test_unaligned_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
