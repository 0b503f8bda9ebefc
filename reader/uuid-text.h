/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * UUIDs as people write them.
 */
#ifndef BO_READER_UUID_TEXT_H
#define BO_READER_UUID_TEXT_H

#include "common/types.h"

struct btrfs_uuid_text {
	char text[40];
};

/* 16 bytes as "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx". By value, so that it can stand in an argument list. */
struct btrfs_uuid_text btrfs_format_uuid(const u8 *uuid);

#endif
