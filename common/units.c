// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parser and printer of sizes: see units.h.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/checked.h"
#include "common/units.h"

static int parse_digits(const char *text, char **end, u64 *value)
{
	unsigned long long v;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	v = strtoull(text, end, 10);
	if (errno == ERANGE)
		return -ERANGE;
	*value = v;
	return 0;
}

int parse_u64(const char *text, u64 *value)
{
	char *end;
	u64 v;
	int ret = parse_digits(text, &end, &v);

	if (ret)
		return ret;
	if (*end)
		return -EINVAL;
	*value = v;
	return 0;
}

int parse_size(const char *text, u64 *bytes)
{
	static const char suffixes[] = "kmgtpe";
	const char *suffix;
	char *end;
	u64 value;
	int ret;

	ret = parse_digits(text, &end, &value);
	if (ret)
		return ret;
	if (*end && (suffix = strchr(suffixes, tolower((unsigned char)*end)))) {
		u64 unit = (u64)1 << (10 * (suffix - suffixes + 1));

		if (check_mul_overflow(value, unit, &value))
			return -ERANGE;
		end++;
		if (tolower((unsigned char)*end) == 'i' && end[1])
			end++;
	}
	if (!strcasecmp(end, "b"))
		end++;
	if (*end)
		return -EINVAL;
	*bytes = value;
	return 0;
}

struct size_text format_size(u64 bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	struct size_text out;
	double value = (double)bytes;
	int unit = -1;

	/* From 1023.995 on two digits would round to 1024.00 of the smaller unit. */
	while (value >= (unit < 0 ? 1024 : 1023.995) && unit + 1 < (int)ARRAY_SIZE(units)) {
		value /= 1024;
		unit++;
	}
	if (unit < 0)
		snprintf(out.text, sizeof(out.text), "%lluB", (unsigned long long)bytes);
	else
		snprintf(out.text, sizeof(out.text), "%.2f%s", value, units[unit]);
	return out;
}
