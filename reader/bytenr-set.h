/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A set of block addresses: open addressing, 8 bytes per place, at most half full.
 * Belongs to one thread.
 */
#ifndef BO_READER_BYTENR_SET_H
#define BO_READER_BYTENR_SET_H

#include "common/types.h"

/* Zero-initialised is empty. */
struct bytenr_set {
	u64 *slots;		/* 0: free; address 0 is kept in has_zero */
	size_t nr;
	size_t capacity;	/* power of two */
	bool has_zero;
};

/* Returns 1: added; 0: it was there; -ENOMEM. */
int bytenr_set_add(struct bytenr_set *set, u64 bytenr);
bool bytenr_set_has(const struct bytenr_set *set, u64 bytenr);
void bytenr_set_release(struct bytenr_set *set);

#endif
