// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel-shared/raid56: the rotation of parity, and its arithmetic against one written bit by bit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "kernel-shared/raid56.h"

#define LEN	4096u

/* ---- places ---- */

static struct btrfs_chunk_map *new_map(u64 profile, u16 num_stripes)
{
	struct btrfs_chunk_map *map = calloc(1, sizeof(*map) + num_stripes * sizeof(map->stripes[0]));
	u16 i;

	assert_non_null(map);
	map->start = SZ_1G;
	map->type = BTRFS_BLOCK_GROUP_DATA | profile;
	map->num_stripes = num_stripes;
	map->stripe_size = 16 * SZ_1M;
	map->length = map->stripe_size * btrfs_chunk_data_stripes(map->type, num_stripes);
	for (i = 0; i < num_stripes; i++) {
		map->stripes[i].devid = i + 1u;
		map->stripes[i].physical = (i + 1u) * SZ_1G;
	}
	return map;
}

/* What the kernel's documentation draws for four devices: row by row, who holds which column. */
static void test_rotation(void **state)
{
	static const char *const raid5[] = { "012P", "P012", "2P01", "12P0", "012P" };
	static const char *const raid6[] = { "01PQ", "Q01P", "PQ01", "1PQ0", "01PQ" };
	struct btrfs_chunk_map *five = new_map(BTRFS_BLOCK_GROUP_RAID5, 4);
	struct btrfs_chunk_map *six = new_map(BTRFS_BLOCK_GROUP_RAID6, 4);
	u64 row;
	u16 stripe;

	(void)state;
	assert_int_equal(btrfs_raid56_data(five), 3);
	assert_int_equal(btrfs_raid56_data(six), 2);
	for (row = 0; row < ARRAY_SIZE(raid5); row++) {
		for (stripe = 0; stripe < 4; stripe++) {
			assert_int_equal("012P"[btrfs_raid56_column(five, row, stripe)], raid5[row][stripe]);
			assert_int_equal("01PQ"[btrfs_raid56_column(six, row, stripe)], raid6[row][stripe]);
		}
	}
	free(five);
	free(six);
}

/* The two functions undo each other, and data lies where btrfs_map_logical() says. */
static void test_places_agree(void **state)
{
	static const u64 profiles[] = { BTRFS_BLOCK_GROUP_RAID5, BTRFS_BLOCK_GROUP_RAID6 };
	size_t p;
	u16 nr;

	(void)state;
	for (p = 0; p < ARRAY_SIZE(profiles); p++) {
		for (nr = (u16)(p + 2); nr < 20; nr++) {
			struct btrfs_chunk_map *map = new_map(profiles[p], nr);
			u64 row, contiguous;
			u16 column;

			assert_int_equal(btrfs_raid56_row_bytes(map), (nr - 1 - p) * SZ_64K);
			for (row = 0; row < 64; row++) {
				for (column = 0; column < nr; column++)
					assert_int_equal(btrfs_raid56_column(map, row,
									     btrfs_raid56_stripe(map, row, column)), column);
				for (column = 0; column < btrfs_raid56_data(map); column++) {
					u64 logical = map->start + row * btrfs_raid56_row_bytes(map) + column * SZ_64K;
					struct btrfs_io_stripe place = btrfs_map_logical(map, logical, 0, &contiguous);

					assert_int_equal(place.index, btrfs_raid56_stripe(map, row, column));
					assert_int_equal(place.physical, (place.index + 1u) * SZ_1G + row * SZ_64K);
				}
			}
			free(map);
		}
	}
}

/* ---- arithmetic ---- */

static u8 slow_mul(u8 a, u8 b)
{
	u8 product = 0;

	for (; b; b >>= 1) {
		if (b & 1)
			product ^= a;
		a = (u8)(a << 1 ^ (a & 0x80 ? 0x1d : 0));
	}
	return product;
}

struct columns {
	struct btrfs_raid56_row row;
	u8 *memory;
};

static void columns_init(struct columns *columns, u16 nr_data, u16 nr_parity)
{
	const unsigned nr = nr_data + nr_parity;
	size_t i;

	columns->row = (struct btrfs_raid56_row){ .nr_data = nr_data, .nr_parity = nr_parity, .len = LEN };
	columns->memory = aligned_alloc(4096, (size_t)nr * LEN);
	assert_non_null(columns->memory);
	for (i = 0; i < (size_t)nr * LEN; i++)
		columns->memory[i] = (u8)(i * 2654435761u >> 13);
	for (i = 0; i < nr; i++)
		columns->row.columns[i] = columns->memory + i * LEN;
}

static void slow_parity(const struct btrfs_raid56_row *row, size_t byte, u8 *p, u8 *q)
{
	u8 power = 1;
	u16 i;

	*p = *q = 0;
	for (i = 0; i < row->nr_data; i++) {
		*p ^= row->columns[i][byte];
		*q ^= slow_mul(power, row->columns[i][byte]);
		power = slow_mul(power, 2);
	}
}

static const u16 widths[] = { 1, 2, 3, 4, 5, 8, 15, 64, 253 };

static void test_generate(void **state)
{
	size_t w, byte;
	u16 nr_parity;

	(void)state;
	for (w = 0; w < ARRAY_SIZE(widths); w++) {
		for (nr_parity = 1; nr_parity <= 2; nr_parity++) {
			struct columns c;

			columns_init(&c, widths[w], nr_parity);
			btrfs_raid56_generate(&c.row);
			for (byte = 0; byte < LEN; byte++) {
				u8 p, q;

				slow_parity(&c.row, byte, &p, &q);
				assert_int_equal(c.row.columns[widths[w]][byte], p);
				if (nr_parity > 1)
					assert_int_equal(c.row.columns[widths[w] + 1][byte], q);
			}
			free(c.memory);
		}
	}
}

/* Summing up in any order, in parts, gives the same. */
static void test_add(void **state)
{
	size_t w;
	u16 nr_parity, i;

	(void)state;
	for (w = 0; w < ARRAY_SIZE(widths); w++) {
		for (nr_parity = 1; nr_parity <= 2; nr_parity++) {
			struct columns c;
			u8 *parity[2];

			columns_init(&c, widths[w], nr_parity);
			btrfs_raid56_generate(&c.row);
			for (i = 0; i < nr_parity; i++) {
				parity[i] = aligned_alloc(4096, LEN);
				assert_non_null(parity[i]);
				memset(parity[i], 0, LEN);
			}
			for (i = widths[w]; i-- > 0;) {
				u8 *second[2] = { parity[0] + 1024, nr_parity > 1 ? parity[1] + 1024 : NULL };

				btrfs_raid56_add(second, nr_parity, i, c.row.columns[i] + 1024, LEN - 1024);
				btrfs_raid56_add(parity, nr_parity, i, c.row.columns[i], 1024);
			}
			for (i = 0; i < nr_parity; i++) {
				assert_memory_equal(parity[i], c.row.columns[widths[w] + i], LEN);
				free(parity[i]);
			}
			free(c.memory);
		}
	}
}

/* Data columns of @lost come back, everything else stays as it is. */
static void lose(struct columns *c, const u16 *lost, unsigned nr_lost)
{
	const unsigned nr = c->row.nr_data + c->row.nr_parity;
	u8 *before = malloc((size_t)nr * LEN);
	unsigned i;

	assert_non_null(before);
	memcpy(before, c->memory, (size_t)nr * LEN);
	for (i = 0; i < nr_lost; i++)
		memset(c->row.columns[lost[i]], 0xee, LEN);
	btrfs_raid56_rebuild(&c->row, lost, nr_lost);
	for (i = 0; i < nr_lost; i++) {
		if (lost[i] >= c->row.nr_data)
			memcpy(c->row.columns[lost[i]], before + (size_t)lost[i] * LEN, LEN);
	}
	assert_memory_equal(c->memory, before, (size_t)nr * LEN);
	free(before);
}

static void test_rebuild(void **state)
{
	size_t w;
	u16 nr_parity;

	(void)state;
	for (w = 0; w < ARRAY_SIZE(widths); w++) {
		for (nr_parity = 1; nr_parity <= 2; nr_parity++) {
			const u16 nr = (u16)(widths[w] + nr_parity), step = (u16)(nr > 40 ? 23 : 1);
			struct columns c;
			u16 lost[2];

			columns_init(&c, widths[w], nr_parity);
			btrfs_raid56_generate(&c.row);
			for (lost[0] = 0; lost[0] < nr; lost[0] = (u16)(lost[0] + step)) {
				lose(&c, lost, 1);
				for (lost[1] = 0; nr_parity > 1 && lost[1] < nr; lost[1]++) {
					if (lost[1] != lost[0])
						lose(&c, lost, 2);
				}
			}
			free(c.memory);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rotation),
		cmocka_unit_test(test_places_agree),
		cmocka_unit_test(test_generate),
		cmocka_unit_test(test_add),
		cmocka_unit_test(test_rebuild),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
