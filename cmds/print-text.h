/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small printers that the subcommands of `inspect` share. All write to standard output.
 */
#ifndef BO_CMDS_PRINT_TEXT_H
#define BO_CMDS_PRINT_TEXT_H

#include "kernel-shared/ctree.h"

/* A name or value of an image, escaped; beyond @max bytes it is cut and its length told. */
void print_bytes(const void *bytes, size_t len, size_t max);
void print_hex(const u8 *bytes, size_t len);
void print_uuid(const u8 *uuid);
/* "1700000000.000000001 (2023-11-14 22:13:20 UTC)" */
void print_timespec(const struct btrfs_timespec *time);

struct flag_name {
	u64 bit;
	const char *name;
};

/* "0x5(READONLY|FOO)", unknown bits as one number; "0x0(none)". The table ends with a zero bit. */
void print_flags(u64 flags, const struct flag_name *names);
/* "Data|RAID1" of a chunk or block group. */
void print_bg_flags(u64 flags);

#endif
