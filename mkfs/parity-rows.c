// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows that are being filled: see parity-rows.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mkfs/parity-rows.h"

#define PART			((u32)SZ_4K)
#define PARTS_OF_ELEMENT	((u32)(BTRFS_STRIPE_LEN / SZ_4K))

_Static_assert(PARTS_OF_ELEMENT == 16, "one u16 holds the parts of an element");

void parity_rows_release(struct parity_rows *rows)
{
	while (rows->newest) {
		struct parity_row *row = rows->newest;

		rows->newest = row->older;
		free(row->buffers[0].data);
		free(row->written);
		free(row);
	}
	*rows = (struct parity_rows){ 0 };
}

static struct parity_row *row_create(struct parity_rows *rows)
{
	struct parity_row *row = calloc(1, sizeof(*row));
	unsigned i;

	if (!row)
		return NULL;
	row->buffers[0].data = aligned_alloc(SZ_4K, PARITY_MAX * BTRFS_STRIPE_LEN);
	if (!row->buffers[0].data) {
		free(row);
		return NULL;
	}
	for (i = 0; i < PARITY_MAX; i++) {
		row->buffers[i].data = row->buffers[0].data + i * BTRFS_STRIPE_LEN;
		row->buffers[i].len = (u32)BTRFS_STRIPE_LEN;
		row->buffers[i].parity = row;
	}
	row->older = rows->newest;
	rows->newest = row;
	return row;
}

static int row_start(struct parity_row *row, const struct btrfs_chunk_map *map, u64 number)
{
	const u16 columns = btrfs_raid56_data(map);
	const unsigned parity = btrfs_raid_attr(map->type)->nparity;

	if (row->max_columns < columns) {
		u16 *written = realloc(row->written, columns * sizeof(*written));

		if (!written)
			return -ENOMEM;
		row->written = written;
		row->max_columns = columns;
	}
	memset(row->written, 0, columns * sizeof(*row->written));
	memset(row->buffers[0].data, 0, parity * BTRFS_STRIPE_LEN);
	row->map = map;
	row->number = number;
	row->missing = columns * PARTS_OF_ELEMENT;
	row->nr_unwritten = parity;
	return 0;
}

/* An open row becomes the first one; a new one is opened where there is none. */
static struct parity_row *find_row(struct parity_rows *rows, const struct btrfs_chunk_map *map, u64 number)
{
	struct parity_row **link = &rows->open, *row;

	while (*link && ((*link)->map != map || (*link)->number != number))
		link = &(*link)->next;
	row = *link;
	if (row) {
		*link = row->next;
	} else {
		row = rows->free ? rows->free : row_create(rows);
		if (!row)
			return NULL;
		rows->free = row->next;
		rows->nr_used++;
		if (row_start(row, map, number)) {
			parity_rows_drop(rows, row);
			return NULL;
		}
	}
	row->next = rows->open;
	rows->open = row;
	return row;
}

int parity_rows_add(struct parity_rows *rows, const struct btrfs_chunk_map *map, u64 logical,
		    struct iovec data, struct parity_row **complete)
{
	const u64 offset = logical - map->start;
	const u64 element = offset / BTRFS_STRIPE_LEN;
	const u16 columns = btrfs_raid56_data(map);
	const u16 column = (u16)(element % columns);
	const u32 within = (u32)(offset % BTRFS_STRIPE_LEN), nr = (u32)data.iov_len / PART;
	struct parity_row *row = find_row(rows, map, element / columns);
	u8 *parity[PARITY_MAX];
	unsigned i;

	*complete = NULL;
	if (!row)
		return -ENOMEM;
	for (i = 0; i < PARITY_MAX; i++)
		parity[i] = row->buffers[i].data + within;
	btrfs_raid56_add(parity, btrfs_raid_attr(map->type)->nparity, column, data.iov_base, data.iov_len);
	row->written[column] |= (u16)(((1u << nr) - 1) << within / PART);
	row->missing -= nr;
	if (!row->missing)
		*complete = parity_rows_take(rows);
	return 0;
}

struct parity_row *parity_rows_take(struct parity_rows *rows)
{
	struct parity_row *row = rows->open;

	if (row)
		rows->open = row->next;
	return row;
}

bool parity_row_gap(const struct parity_row *row, u64 *logical, u32 *len)
{
	const u64 bytes = btrfs_raid56_row_bytes(row->map), start = row->map->start + row->number * bytes;
	u32 part = *logical > start ? (u32)((*logical - start) / PART) : 0;
	const u32 parts = (u32)(bytes / PART);
	u32 end;

	while (part < parts && row->written[part / PARTS_OF_ELEMENT] >> part % PARTS_OF_ELEMENT & 1)
		part++;
	/* not beyond its stripe element */
	for (end = part; end < parts && end / PARTS_OF_ELEMENT == part / PARTS_OF_ELEMENT; end++) {
		if (row->written[end / PARTS_OF_ELEMENT] >> end % PARTS_OF_ELEMENT & 1)
			break;
	}
	*logical = start + (u64)part * PART;
	*len = (end - part) * PART;
	return part < parts;
}

struct btrfs_io_stripe parity_row_place(const struct parity_row *row, u16 parity)
{
	const struct btrfs_chunk_map *map = row->map;
	const u16 index = btrfs_raid56_stripe(map, row->number, (u16)(btrfs_raid56_data(map) + parity));

	return (struct btrfs_io_stripe){
		.devid = map->stripes[index].devid,
		.physical = map->stripes[index].physical + row->number * BTRFS_STRIPE_LEN,
		.index = index,
	};
}

void parity_rows_written(struct parity_rows *rows, struct parity_row *row)
{
	if (!--row->nr_unwritten)
		parity_rows_drop(rows, row);
}

void parity_rows_drop(struct parity_rows *rows, struct parity_row *row)
{
	row->next = rows->free;
	rows->free = row;
	rows->nr_used--;
}
