// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Open-addressed hash table of hard-linked inodes: see link-table.h.
 */
#include <stdlib.h>

#include "mkfs/link-table.h"

static size_t slot_of(const struct link_table *table, u64 dev, u64 ino)
{
	u64 hash = (ino ^ (dev << 32 | dev >> 32)) * 0x9e3779b97f4a7c15ULL;

	return (size_t)(hash >> 20) & (table->capacity - 1);
}

static struct link_entry *probe(const struct link_table *table, u64 dev, u64 ino)
{
	size_t i = slot_of(table, dev, ino);

	while (table->slots[i].nlink || table->slots[i].dev || table->slots[i].source_ino) {
		if (table->slots[i].dev == dev && table->slots[i].source_ino == ino)
			break;
		i = (i + 1) & (table->capacity - 1);
	}
	return &table->slots[i];
}

static bool grow(struct link_table *table)
{
	struct link_table bigger = { .capacity = table->capacity ? table->capacity * 2 : 1024 };
	size_t i;

	bigger.slots = calloc(bigger.capacity, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (i = 0; i < table->capacity; i++) {
		const struct link_entry *entry = &table->slots[i];

		if (entry->ino)
			*probe(&bigger, entry->dev, entry->source_ino) = *entry;
	}
	bigger.nr = table->nr;
	free(table->slots);
	*table = bigger;
	return true;
}

struct link_entry *link_table_find(struct link_table *table, u64 dev, u64 source_ino)
{
	struct link_entry *entry;

	if (table->nr * 4 >= table->capacity * 3 && !grow(table))
		return NULL;
	entry = probe(table, dev, source_ino);
	if (!entry->ino) {
		entry->dev = dev;
		entry->source_ino = source_ino;
		table->nr++;
	}
	return entry;
}

void link_table_release(struct link_table *table)
{
	free(table->slots);
	*table = (struct link_table){ 0 };
}
