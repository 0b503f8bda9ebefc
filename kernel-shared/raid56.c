// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parity of RAID5 and RAID6: see raid56.h. ISA-L does the arithmetic.
 */
#include <string.h>

#include <isa-l.h>

#include "kernel-shared/raid56.h"

#define TABLE_BYTES	32	/* what ISA-L expands one coefficient to */

static u8 power_of_2(unsigned exponent)
{
	u8 power = 1;

	while (exponent--)
		power = gf_mul(power, 2);
	return power;
}

/* XOR of @nr columns to @to; ISA-L wants two of them at least. @vectors has room for one more. */
static void xor_columns(void **vectors, unsigned nr, u8 *to, size_t len)
{
	if (nr == 1) {
		memcpy(to, vectors[0], len);
		return;
	}
	vectors[nr] = to;
	xor_gen((int)nr + 1, (int)len, vectors);
}

void btrfs_raid56_generate(const struct btrfs_raid56_row *row)
{
	void *vectors[BTRFS_RAID56_MAX_STRIPES + 1];
	u8 *p = row->columns[row->nr_data];
	unsigned i;

	for (i = 0; i < row->nr_data; i++)
		vectors[i] = row->columns[i];
	if (row->nr_parity == 1 || row->nr_data == 1) {
		xor_columns(vectors, row->nr_data, p, row->len);
		if (row->nr_parity > 1)
			memcpy(row->columns[row->nr_data + 1], p, row->len);
		return;
	}
	vectors[row->nr_data] = p;
	vectors[row->nr_data + 1] = row->columns[row->nr_data + 1];
	pq_gen(row->nr_data + 2, (int)row->len, vectors);
}

void btrfs_raid56_add(u8 *const *parity, u16 nr_parity, u16 column, const void *data, size_t len)
{
	u8 coefficients[2] = { 1, power_of_2(column) };
	u8 tables[2 * TABLE_BYTES];
	u8 *to[2] = { parity[0], nr_parity > 1 ? parity[1] : NULL };

	ec_init_tables(1, nr_parity, coefficients, tables);
	/* ISA-L only reads the data, but does not say const */
	ec_encode_data_update((int)len, 1, nr_parity, 0, tables, (u8 *)(uintptr_t)data, to);
}

/* A sum of columns times coefficients. */
struct sum {
	unsigned nr;
	u8 *sources[BTRFS_RAID56_MAX_STRIPES];
	u8 coefficients[BTRFS_RAID56_MAX_STRIPES];
};

static void sum_add(struct sum *sum, u8 *source, u8 coefficient)
{
	sum->sources[sum->nr] = source;
	sum->coefficients[sum->nr++] = coefficient;
}

static void sum_compute(struct sum *sum, u8 *to, size_t len)
{
	u8 tables[BTRFS_RAID56_MAX_STRIPES * TABLE_BYTES];

	ec_init_tables((int)sum->nr, 1, sum->coefficients, tables);
	ec_encode_data((int)len, (int)sum->nr, 1, tables, sum->sources, &to);
}

/* P is the sum of all data, so that each column is the sum of P and the others. */
static void rebuild_by_p(const struct btrfs_raid56_row *row, u16 lost)
{
	void *vectors[BTRFS_RAID56_MAX_STRIPES + 1];
	unsigned i, nr = 0;

	for (i = 0; i <= row->nr_data; i++) {
		if (i != lost)
			vectors[nr++] = row->columns[i];
	}
	xor_columns(vectors, nr, row->columns[lost], row->len);
}

/* Q = sum of g^i * D_i, solved for D_lost. */
static void rebuild_by_q(const struct btrfs_raid56_row *row, u16 lost)
{
	const u8 divide = gf_inv(power_of_2(lost));
	struct sum sum = { 0 };
	u16 i;

	for (i = 0; i < row->nr_data; i++) {
		if (i != lost)
			sum_add(&sum, row->columns[i], gf_mul(power_of_2(i), divide));
	}
	sum_add(&sum, row->columns[row->nr_data + 1], divide);
	sum_compute(&sum, row->columns[lost], row->len);
}

/*
 * Two equations: D_x + D_y = P' and g^x * D_x + g^y * D_y = Q', where P' and Q' are what the other data
 * leaves of P and Q. So D_x = (g^y * P' + Q') / (g^x + g^y).
 */
static void rebuild_by_both(const struct btrfs_raid56_row *row, u16 x, u16 y)
{
	const u8 divide = gf_inv(power_of_2(x) ^ power_of_2(y));
	const u8 times_p = gf_mul(power_of_2(y), divide);
	struct sum sum = { 0 };
	u16 i;

	for (i = 0; i < row->nr_data; i++) {
		if (i != x && i != y)
			sum_add(&sum, row->columns[i], times_p ^ gf_mul(power_of_2(i), divide));
	}
	sum_add(&sum, row->columns[row->nr_data], times_p);
	sum_add(&sum, row->columns[row->nr_data + 1], divide);
	sum_compute(&sum, row->columns[x], row->len);
	rebuild_by_p(row, y);
}

void btrfs_raid56_rebuild(const struct btrfs_raid56_row *row, const u16 *lost, unsigned nr_lost)
{
	u16 data[2] = { 0 };
	bool lost_p = false;
	unsigned i, nr = 0;

	for (i = 0; i < nr_lost; i++) {
		if (lost[i] < row->nr_data)
			data[nr++] = lost[i];
		lost_p = lost_p || lost[i] == row->nr_data;
	}
	if (nr == 2)
		rebuild_by_both(row, data[0], data[1]);
	else if (nr && lost_p)
		rebuild_by_q(row, data[0]);
	else if (nr)
		rebuild_by_p(row, data[0]);
}

unsigned btrfs_raid56_way(u16 nr_data, u16 nr_parity, u16 column, unsigned way, u16 lost[2])
{
	u16 other;

	lost[0] = column;
	if (nr_parity < 2)
		return 1;
	if (way < 2) {
		lost[1] = (u16)(nr_data + 1 - way);
		return 2;
	}
	other = (u16)(way - 2);
	lost[1] = (u16)(other < column ? other : other + 1);
	return 2;
}
