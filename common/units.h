/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sizes and counts as people write and read them.
 */
#ifndef BO_COMMON_UNITS_H
#define BO_COMMON_UNITS_H

#include "common/types.h"

/*
 * Parse a size in bytes: decimal digits and one optional suffix k m g t p e
 * (upper case too, powers of 1024, an optional trailing "B" or "iB").
 * Returns 0, -EINVAL (not a size) or -ERANGE (does not fit 64 bits); *bytes changes only with 0.
 */
int parse_size(const char *text, u64 *bytes);

/* Parse a plain decimal number. Returns 0, -EINVAL or -ERANGE; *value changes only with 0. */
int parse_u64(const char *text, u64 *value);

struct size_text {
	char text[32];
};

/* "1.50GiB"; exact bytes below 1 KiB. By value, so that it can stand in an argument list. */
struct size_text format_size(u64 bytes);

#endif
