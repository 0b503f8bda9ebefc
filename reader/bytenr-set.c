// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hash set of block addresses: see bytenr-set.h.
 */
#include <errno.h>
#include <stdlib.h>

#include "common/checked.h"
#include "reader/bytenr-set.h"

enum { FIRST_CAPACITY = 64 };

/* Multiplication spreads addresses that differ in few middle bits. */
static size_t first_slot(const struct bytenr_set *set, u64 bytenr)
{
	u64 hash = bytenr * 0x9E3779B97F4A7C15ULL;

	return (size_t)(hash >> 20) & (set->capacity - 1);
}

/* The place of @bytenr, or the free one where it belongs. */
static size_t find_slot(const struct bytenr_set *set, u64 bytenr)
{
	size_t i = first_slot(set, bytenr);

	while (set->slots[i] && set->slots[i] != bytenr)
		i = (i + 1) & (set->capacity - 1);
	return i;
}

static int grow(struct bytenr_set *set)
{
	struct bytenr_set bigger = { .nr = set->nr, .has_zero = set->has_zero };
	size_t i;

	bigger.capacity = FIRST_CAPACITY;
	if (set->capacity && check_mul_overflow(set->capacity, (size_t)2, &bigger.capacity))
		return -ENOMEM;
	bigger.slots = calloc(bigger.capacity, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (i = 0; i < set->capacity; i++) {
		if (set->slots[i])
			bigger.slots[find_slot(&bigger, set->slots[i])] = set->slots[i];
	}
	free(set->slots);
	*set = bigger;
	return 0;
}

int bytenr_set_add(struct bytenr_set *set, u64 bytenr)
{
	size_t i;

	if (!bytenr) {
		if (set->has_zero)
			return 0;
		set->has_zero = true;
		return 1;
	}
	if (set->nr >= set->capacity / 2 && grow(set))
		return -ENOMEM;
	i = find_slot(set, bytenr);
	if (set->slots[i])
		return 0;
	set->slots[i] = bytenr;
	set->nr++;
	return 1;
}

bool bytenr_set_has(const struct bytenr_set *set, u64 bytenr)
{
	if (!bytenr)
		return set->has_zero;
	return set->capacity && set->slots[find_slot(set, bytenr)];
}

void bytenr_set_release(struct bytenr_set *set)
{
	free(set->slots);
	*set = (struct bytenr_set){ 0 };
}
