// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Open addressing, at most half full: see link-set.h.
 */
#include <errno.h>
#include <stdlib.h>

#include "source/link-set.h"

#define FIRST_SLOTS	256

static bool same(const struct link_slot *a, const struct link_slot *b)
{
	return a->ino == b->ino && a->dev == b->dev && a->subvolume == b->subvolume;
}

/* The slot with this key, or the free one where it belongs. */
static struct link_slot *find_slot(const struct link_set *set, const struct link_slot *key)
{
	/* Inode numbers are often close together: spread them over the upper bits. */
	u64 hash = (key->ino ^ (key->dev << 32) ^ ((u64)key->subvolume << 24)) * 0x9e3779b97f4a7c15ULL;
	size_t mask = set->nr_slots - 1;
	size_t index = (size_t)(hash >> 32) & mask;

	while (set->slots[index].used && !same(&set->slots[index], key))
		index = (index + 1) & mask;
	return &set->slots[index];
}

static int grow(struct link_set *set)
{
	struct link_set larger = { .nr_slots = set->nr_slots ? set->nr_slots * 2 : FIRST_SLOTS };

	larger.slots = calloc(larger.nr_slots, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < set->nr_slots; i++) {
		const struct link_slot *slot = &set->slots[i];

		if (slot->used)
			*find_slot(&larger, slot) = *slot;
	}
	larger.nr = set->nr;
	free(set->slots);
	*set = larger;
	return 0;
}

int link_set_add(struct link_set *set, u64 dev, u64 ino, u32 subvolume)
{
	const struct link_slot key = { .dev = dev, .ino = ino, .subvolume = subvolume, .used = true };
	struct link_slot *slot;

	if (set->nr * 2 >= set->nr_slots) {
		int ret = grow(set);

		if (ret < 0)
			return ret;
	}
	slot = find_slot(set, &key);
	if (slot->used)
		return 0;
	*slot = key;
	set->nr++;
	return 1;
}

void link_set_release(struct link_set *set)
{
	free(set->slots);
	*set = (struct link_set){ 0 };
}
