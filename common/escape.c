// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Printable form of raw names: see escape.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/escape.h"

unsigned utf8_sequence(const u8 *s, size_t left)
{
	unsigned len, i;
	u32 code;

	if (!left)
		return 0;
	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf) {
		len = 2;
		code = s[0] & 0x1f;
	} else if ((s[0] & 0xf0) == 0xe0) {
		len = 3;
		code = s[0] & 0x0f;
	} else if (s[0] >= 0xf0 && s[0] <= 0xf4) {
		len = 4;
		code = s[0] & 0x07;
	} else {
		return 0;
	}
	if (left < len)
		return 0;
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	/* overlong forms, surrogates, and C1 controls (terminals obey those) */
	if ((len == 3 && code < 0x800) || (len == 4 && (code < 0x10000 || code > 0x10ffff)) ||
	    (code >= 0xd800 && code <= 0xdfff) || (code >= 0x80 && code < 0xa0))
		return 0;
	return len;
}

static size_t escape_one(char *out, u8 c)
{
	switch (c) {
	case '\n':
		return (size_t)sprintf(out, "\\n");
	case '\t':
		return (size_t)sprintf(out, "\\t");
	case '\\':
		return (size_t)sprintf(out, "\\\\");
	default:
		return (size_t)sprintf(out, "\\x%02x", c);
	}
}

char *escape_bytes(const void *bytes, size_t len, bool *changed)
{
	const u8 *s = bytes;
	char *out = len > (SIZE_MAX - 1) / 4 ? NULL : malloc(len * 4 + 1);
	size_t pos = 0, i = 0;
	bool any = false;

	if (!out)
		return NULL;
	while (i < len) {
		unsigned seq = utf8_sequence(s + i, len - i);

		if (!seq || s[i] < 0x20 || s[i] == 0x7f || s[i] == '\\') {
			pos += escape_one(out + pos, s[i]);
			any = true;
			i++;
			continue;
		}
		memcpy(out + pos, s + i, seq);
		pos += seq;
		i += seq;
	}
	out[pos] = 0;
	if (changed)
		*changed = any;
	return out;
}
