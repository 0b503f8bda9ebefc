// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * scrub/data-piece: runs are merged into one read, and a bad read or a bad sector is narrowed.
 */
#include <errno.h>

#include "scrub/data-piece.h"
#include "tests/unit/reader-fixture.h"

#define SECTOR	4096u
#define NR	8u

/* Sectors 0 .. NR - 1 of the chunk with different content on both devices, their sums in @sums. */
static void write_sectors(struct fixture *fx, u8 *sums)
{
	unsigned i;

	for (i = 0; i < NR; i++) {
		memset(fx->block, (int)i + 1, SECTOR);
		assert_int_equal(pwrite(fx->io[0].fd, fx->block, SECTOR, FIXTURE_PHYSICAL_1 + i * SECTOR), SECTOR);
		assert_int_equal(pwrite(fx->io[1].fd, fx->block, SECTOR, FIXTURE_PHYSICAL_2 + i * SECTOR), SECTOR);
		fx->image.csum->digest(fx->block, SECTOR, sums + i * 4);
	}
}

static struct data_piece *new_piece(struct fixture *fx, const u8 *sums)
{
	struct data_piece *piece = data_piece_create(&fx->image, &fx->devices[0], FIXTURE_PHYSICAL_1, 0);

	assert_non_null(piece);
	assert_int_equal(data_piece_add(piece, FIXTURE_PHYSICAL_1, FIXTURE_CHUNK, NR, sums), NR);
	piece->item.buffers[0] = btrfs_block_buffer(PIECE_BYTES);
	assert_non_null(piece->item.buffers[0]);
	assert_int_equal(pread(fx->io[0].fd, piece->item.buffers[0], piece->length, FIXTURE_PHYSICAL_1), piece->length);
	return piece;
}

static void free_piece(struct data_piece *piece)
{
	free(piece->item.buffers[0]);
	data_piece_destroy(piece);
}

static void test_merge(void **state)
{
	static u8 sums[512 * 4];
	struct data_piece *piece;
	struct fixture fx;

	(void)state;
	fixture_init(&fx);
	piece = data_piece_create(&fx.image, &fx.devices[0], SZ_1M, 0);
	assert_non_null(piece);
	assert_int_equal(data_piece_add(piece, SZ_1M, SZ_1G, 16, sums), 16);
	/* goes on in both spaces: the same segment */
	assert_int_equal(data_piece_add(piece, SZ_1M + 16 * SECTOR, SZ_1G + 16 * SECTOR, 16, sums), 16);
	assert_int_equal(piece->nr_segments, 1);
	/* goes on on the device only, as with stripes */
	assert_int_equal(data_piece_add(piece, SZ_1M + 32 * SECTOR, SZ_1G + SZ_1M, 16, sums), 16);
	assert_int_equal(piece->nr_segments, 2);
	/* backwards, and too far away */
	assert_int_equal(data_piece_add(piece, SZ_1M, SZ_1G, 1, sums), 0);
	assert_int_equal(data_piece_add(piece, SZ_1M + 48 * SECTOR + PIECE_MAX_GAP + SECTOR, SZ_1G, 1, sums), 0);
	/* over a small gap */
	assert_int_equal(data_piece_add(piece, SZ_1M + 50 * SECTOR, 2 * SZ_1G, 4, sums), 4);
	assert_int_equal(piece->length, 54 * SECTOR);
	assert_int_equal(piece->nr_sums, 52);
	assert_int_equal(piece->segments[2].first_sum, 48);
	/* no longer than a buffer */
	assert_int_equal(data_piece_add(piece, SZ_1M + 54 * SECTOR, 3 * SZ_1G, 512, sums), 256 - 54);
	assert_int_equal(piece->length, PIECE_BYTES);
	assert_int_equal(data_piece_add(piece, SZ_1M + 256 * SECTOR, 4 * SZ_1G, 1, sums), 0);
	data_piece_destroy(piece);
	fixture_release(&fx);
}

static void test_many_segments(void **state)
{
	static const u8 sums[4];
	struct data_piece *piece;
	struct fixture fx;
	u32 i;

	(void)state;
	fixture_init(&fx);
	piece = data_piece_create(&fx.image, &fx.devices[0], 0, 0);
	assert_non_null(piece);
	for (i = 0; i < PIECE_MAX_SEGMENTS; i++)
		assert_int_equal(data_piece_add(piece, (u64)i * SECTOR, (u64)i * SZ_1M, 1, sums), 1);
	assert_int_equal(data_piece_add(piece, (u64)i * SECTOR, (u64)i * SZ_1M, 1, sums), 0);
	data_piece_destroy(piece);
	fixture_release(&fx);
}

static void test_good(void **state)
{
	struct data_piece *piece;
	struct fixture fx;
	u8 sums[NR * 4];

	(void)state;
	fixture_init(&fx);
	write_sectors(&fx, sums);
	piece = new_piece(&fx, sums);
	data_piece_verify(&piece->item.job, 0);
	assert_int_equal(piece->nr_bad, 0);
	assert_int_equal(piece->sectors_bad + piece->sectors_unreadable, 0);
	free_piece(piece);
	fixture_release(&fx);
}

/* Sectors 2, 3 are bad here and good there; 5 is bad in both. */
static void test_bad_sectors(void **state)
{
	struct data_piece *piece;
	struct fixture fx;
	u8 sums[NR * 4];

	(void)state;
	fixture_init(&fx);
	write_sectors(&fx, sums);
	fixture_damage(&fx, 2, 0);
	fixture_damage(&fx, 3, 0);
	fixture_damage(&fx, 5, 0);
	fixture_damage(&fx, 5, 1);
	piece = new_piece(&fx, sums);
	data_piece_verify(&piece->item.job, 0);
	assert_int_equal(piece->sectors_bad, 3);
	assert_int_equal(piece->nr_bad, 2);
	assert_int_equal(piece->bad[0].logical, FIXTURE_CHUNK + 2 * SECTOR);
	assert_int_equal(piece->bad[0].physical, FIXTURE_PHYSICAL_1 + 2 * SECTOR);
	assert_int_equal(piece->bad[0].nr_sectors, 2);
	assert_true(piece->bad[0].correctable);
	assert_memory_equal(piece->bad[0].want, sums + 2 * 4, 4);
	assert_int_equal(piece->bad[1].nr_sectors, 1);
	assert_int_equal(piece->bad[1].logical, FIXTURE_CHUNK + 5 * SECTOR);
	assert_false(piece->bad[1].correctable);
	free_piece(piece);
	fixture_release(&fx);
}

/* The read of all failed, each sector can be read. */
static void test_read_again(void **state)
{
	struct data_piece *piece;
	struct fixture fx;
	u8 sums[NR * 4];

	(void)state;
	fixture_init(&fx);
	write_sectors(&fx, sums);
	fixture_damage(&fx, 1, 0);
	piece = new_piece(&fx, sums);
	piece->request.result = -EIO;
	data_piece_verify(&piece->item.job, 0);
	assert_true(piece->read_again);
	assert_int_equal(piece->sectors_unreadable, 0);
	assert_int_equal(piece->sectors_bad, 1);
	free_piece(piece);
	fixture_release(&fx);
}

/* The device ends within the piece: what is before the end is verified all the same. */
static void test_device_end(void **state)
{
	struct data_piece *piece;
	struct fixture fx;
	u8 sums[NR * 4];

	(void)state;
	fixture_init(&fx);
	write_sectors(&fx, sums);
	piece = new_piece(&fx, sums);
	fx.io[0].size = FIXTURE_PHYSICAL_1 + 6 * SECTOR;
	piece->no_read = true;
	data_piece_verify(&piece->item.job, 0);
	assert_int_equal(piece->sectors_unreadable, 2);
	assert_int_equal(piece->sectors_bad, 0);
	assert_false(piece->read_again);
	assert_int_equal(piece->nr_bad, 1);
	assert_int_equal(piece->bad[0].error, -ENODATA);
	assert_int_equal(piece->bad[0].nr_sectors, 2);
	assert_true(piece->bad[0].correctable);
	free_piece(piece);
	fixture_release(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_many_segments),
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad_sectors),
		cmocka_unit_test(test_read_again),
		cmocka_unit_test(test_device_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
