// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints UUIDs: see uuid-text.h.
 */
#include <stdio.h>

#include "reader/uuid-text.h"

struct btrfs_uuid_text btrfs_format_uuid(const u8 *uuid)
{
	struct btrfs_uuid_text out;
	size_t pos = 0;
	int i;

	for (i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			out.text[pos++] = '-';
		snprintf(out.text + pos, sizeof(out.text) - pos, "%02x", uuid[i]);
		pos += 2;
	}
	return out;
}
