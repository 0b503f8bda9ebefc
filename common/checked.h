/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arithmetic on numbers that come from an image or an archive.
 *
 * Every helper returns true when the result does not fit, and then leaves
 * *res undefined.
 */
#ifndef BO_COMMON_CHECKED_H
#define BO_COMMON_CHECKED_H

#include "common/types.h"

#define check_add_overflow(a, b, res) __builtin_add_overflow((a), (b), (res))
#define check_mul_overflow(a, b, res) __builtin_mul_overflow((a), (b), (res))

/* Does [start, start + len) wrap, or reach beyond @limit? */
static inline bool range_exceeds(u64 start, u64 len, u64 limit)
{
	u64 end;

	return check_add_overflow(start, len, &end) || end > limit;
}

#endif
