// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Open addressing, at most half full: see link-set.h.
 */
#include <errno.h>
#include <stdlib.h>

#include "source/link-set.h"

#define FIRST_SLOTS	256

/* The slot of the pair, or the free one where it belongs. */
static struct link_slot *find_slot(const struct link_set *set, u64 dev, u64 ino)
{
	/* Inode numbers are often close together: spread them over the upper bits. */
	u64 hash = (ino ^ (dev << 32)) * 0x9e3779b97f4a7c15ULL;
	size_t mask = set->nr_slots - 1;
	size_t index = (size_t)(hash >> 32) & mask;

	while (set->slots[index].used && (set->slots[index].ino != ino || set->slots[index].dev != dev))
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
			*find_slot(&larger, slot->dev, slot->ino) = *slot;
	}
	larger.nr = set->nr;
	free(set->slots);
	*set = larger;
	return 0;
}

int link_set_add(struct link_set *set, u64 dev, u64 ino)
{
	struct link_slot *slot;

	if (set->nr * 2 >= set->nr_slots) {
		int ret = grow(set);

		if (ret < 0)
			return ret;
	}
	slot = find_slot(set, dev, ino);
	if (slot->used)
		return 0;
	*slot = (struct link_slot){ .dev = dev, .ino = ino, .used = true };
	set->nr++;
	return 1;
}

void link_set_release(struct link_set *set)
{
	free(set->slots);
	*set = (struct link_set){ 0 };
}
