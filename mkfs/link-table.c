// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Open-addressed hash table of hard-linked inodes: see link-table.h.
 */
#include <stdlib.h>

#include "mkfs/link-table.h"

/*
 * The first entry of an inode is found without its tree, those that other trees split off with it: an
 * inode with names in thousands of subvolumes is not one long chain.
 */
static size_t slot_of(const struct link_table *table, const struct link_entry *key)
{
	u64 hash = key->source_ino ^ (key->dev << 32 | key->dev >> 32);

	if (key->split)
		hash = (hash ^ key->tree) * 0xff51afd7ed558ccdULL;
	hash *= 0x9e3779b97f4a7c15ULL;
	return (size_t)(hash >> 20) & (table->capacity - 1);
}

static bool same(const struct link_entry *entry, const struct link_entry *key)
{
	return entry->dev == key->dev && entry->source_ino == key->source_ino && entry->split == key->split &&
	       (!key->split || entry->tree == key->tree);
}

static struct link_entry *probe(const struct link_table *table, const struct link_entry *key)
{
	size_t i = slot_of(table, key);

	while (table->slots[i].nlink || table->slots[i].dev || table->slots[i].source_ino) {
		if (same(&table->slots[i], key))
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
			*probe(&bigger, entry) = *entry;
	}
	bigger.nr = table->nr;
	free(table->slots);
	*table = bigger;
	return true;
}

struct link_entry *link_table_find(struct link_table *table, u64 dev, u64 source_ino, u32 tree)
{
	struct link_entry key = { .dev = dev, .source_ino = source_ino, .tree = tree };
	struct link_entry *entry;

	if (table->nr * 4 >= table->capacity * 3 && !grow(table))
		return NULL;
	entry = probe(table, &key);
	if (entry->ino && entry->tree != tree) {
		key.split = true;
		entry = probe(table, &key);
	}
	if (!entry->ino) {
		*entry = key;
		table->nr++;
	}
	return entry;
}

void link_table_release(struct link_table *table)
{
	free(table->slots);
	*table = (struct link_table){ 0 };
}
