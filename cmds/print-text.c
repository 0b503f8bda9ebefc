// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Printers for names, flags, times: see print-text.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cmds/print-text.h"
#include "common/escape.h"
#include "kernel-shared/volumes.h"
#include "reader/uuid-text.h"

void print_bytes(const void *bytes, size_t len, size_t max)
{
	char *text = escape_bytes(bytes, MIN(len, max), NULL);

	fputs(text ? text : "(no memory)", stdout);
	if (len > max)
		printf("... (%zu bytes)", len);
	free(text);
}

void print_hex(const u8 *bytes, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		printf("%02x", bytes[i]);
}

void print_uuid(const u8 *uuid)
{
	fputs(btrfs_format_uuid(uuid).text, stdout);
}

void print_timespec(const struct btrfs_timespec *time)
{
	const time_t seconds = (time_t)le64_to_cpu(time->sec);
	char text[64] = "";
	struct tm tm;

	printf("%lld.%09u", (long long)seconds, le32_to_cpu(time->nsec));
	if (gmtime_r(&seconds, &tm) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		printf(" (%s UTC)", text);
}

void print_flags(u64 flags, const struct flag_name *names)
{
	u64 left = flags;
	bool any = false;

	printf("0x%llx(", (unsigned long long)flags);
	for (; names->bit; names++) {
		if (!(flags & names->bit))
			continue;
		printf("%s%s", any ? "|" : "", names->name);
		left &= ~names->bit;
		any = true;
	}
	if (left)
		printf("%s0x%llx", any ? "|" : "", (unsigned long long)left);
	else if (!any)
		fputs("none", stdout);
	putchar(')');
}

void print_bg_flags(u64 flags)
{
	static const struct flag_name names[] = {
		{ BTRFS_BLOCK_GROUP_DATA, "DATA" },
		{ BTRFS_BLOCK_GROUP_SYSTEM, "SYSTEM" },
		{ BTRFS_BLOCK_GROUP_METADATA, "METADATA" },
		{ BTRFS_BLOCK_GROUP_RAID0, "RAID0" },
		{ BTRFS_BLOCK_GROUP_RAID1, "RAID1" },
		{ BTRFS_BLOCK_GROUP_DUP, "DUP" },
		{ BTRFS_BLOCK_GROUP_RAID10, "RAID10" },
		{ BTRFS_BLOCK_GROUP_RAID5, "RAID5" },
		{ BTRFS_BLOCK_GROUP_RAID6, "RAID6" },
		{ BTRFS_BLOCK_GROUP_RAID1C3, "RAID1C3" },
		{ BTRFS_BLOCK_GROUP_RAID1C4, "RAID1C4" },
		{ 0, NULL },
	};

	print_flags(flags, names);
}
