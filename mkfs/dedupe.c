// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Open addressing with linear probing: see dedupe.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "crypto/csum.h"
#include "mkfs/dedupe.h"

#define FIRST_CAPACITY	((size_t)1024)

struct dedupe_entry {
	u8 hash[DEDUPE_HASH_SIZE];
	u64 bytenr;		/* 0: free; no data lies there */
	u16 len;		/* 4 KiB units */
	u16 offset;
	u16 refs;		/* given away */
	u8 compression;
	u8 ram_len;		/* 4 KiB units; where it is compressed, else ->len is it */
};

_Static_assert(sizeof(struct dedupe_entry) == 40, "the table's memory is counted in these");
_Static_assert(DEDUPE_MAX_REFS <= UINT16_MAX, "references of an entry");

struct dedupe_table {
	struct dedupe_entry *entries;
	size_t capacity;	/* power of two */
	size_t nr;
	u64 memory;
	bool full;
};

int dedupe_table_create(struct dedupe_table **out, u64 memory)
{
	struct dedupe_table *table = calloc(1, sizeof(*table));

	if (!table)
		return -ENOMEM;
	table->memory = memory;
	table->capacity = FIRST_CAPACITY;
	table->entries = calloc(table->capacity, sizeof(*table->entries));
	if (!table->entries) {
		free(table);
		return -ENOMEM;
	}
	*out = table;
	return 0;
}

void dedupe_table_destroy(struct dedupe_table *table)
{
	if (table)
		free(table->entries);
	free(table);
}

/* The entry of @hash, or the free one where it belongs. The hash is random enough as it is. */
static struct dedupe_entry *find_entry(const struct dedupe_table *table, const u8 *hash)
{
	size_t index;

	memcpy(&index, hash, sizeof(index));
	index &= table->capacity - 1;
	while (table->entries[index].bytenr && memcmp(table->entries[index].hash, hash, DEDUPE_HASH_SIZE))
		index = (index + 1) & (table->capacity - 1);
	return &table->entries[index];
}

/* Old and new entries are there together for a moment. */
static int make_room(struct dedupe_table *table)
{
	struct dedupe_table larger = *table;
	size_t i;

	if (table->nr < table->capacity / 4 * 3)
		return 0;
	if (table->capacity * 3 * sizeof(*table->entries) > table->memory) {
		table->full = true;
		return 0;
	}
	larger.capacity *= 2;
	larger.entries = calloc(larger.capacity, sizeof(*larger.entries));
	if (!larger.entries)
		return -ENOMEM;
	for (i = 0; i < table->capacity; i++) {
		if (table->entries[i].bytenr)
			*find_entry(&larger, table->entries[i].hash) = table->entries[i];
	}
	free(table->entries);
	*table = larger;
	return 0;
}

bool dedupe_find(struct dedupe_table *table, const u8 *hash, struct dedupe_place *place)
{
	struct dedupe_entry *entry = find_entry(table, hash);

	if (!entry->bytenr || entry->refs == DEDUPE_MAX_REFS)
		return false;
	entry->refs++;
	*place = (struct dedupe_place){
		.bytenr = entry->bytenr,
		.len = (u32)(entry->len * SZ_4K),
		.ram_len = (u32)((entry->compression ? entry->ram_len : entry->len) * SZ_4K),
		.compression = entry->compression,
		.offset = (u32)(entry->offset * SZ_4K),
	};
	return true;
}

int dedupe_add(struct dedupe_table *table, const u8 *hash, const struct dedupe_place *place)
{
	struct dedupe_entry *entry;
	int ret = make_room(table);

	if (ret)
		return ret;
	entry = find_entry(table, hash);
	if (!entry->bytenr && table->full)
		return 0;
	if (!entry->bytenr)
		table->nr++;
	memcpy(entry->hash, hash, DEDUPE_HASH_SIZE);
	entry->bytenr = place->bytenr;
	entry->len = (u16)(place->len / SZ_4K);
	entry->offset = (u16)(place->offset / SZ_4K);
	entry->refs = 0;
	entry->compression = place->compression;
	entry->ram_len = place->compression ? (u8)(place->ram_len / SZ_4K) : 0;
	return 0;
}

bool dedupe_table_full(const struct dedupe_table *table)
{
	return table->full;
}

void dedupe_hash(const void *data, size_t len, u8 *hash)
{
	u8 digest[CSUM_MAX_SIZE];

	csum_by_name("sha256")->digest(data, len, digest);
	memcpy(hash, digest, DEDUPE_HASH_SIZE);
}
