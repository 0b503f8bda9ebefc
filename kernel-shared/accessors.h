/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Little-endian loads and stores at any alignment. Item structs are packed, so
 * their fields may be read through these as well.
 */
#ifndef BO_KERNEL_SHARED_ACCESSORS_H
#define BO_KERNEL_SHARED_ACCESSORS_H

#include <endian.h>
#include <string.h>

#include "common/types.h"

#define cpu_to_le16(x) htole16(x)
#define cpu_to_le32(x) htole32(x)
#define cpu_to_le64(x) htole64(x)
#define le16_to_cpu(x) le16toh(x)
#define le32_to_cpu(x) le32toh(x)
#define le64_to_cpu(x) le64toh(x)

static inline u16 get_unaligned_le16(const void *p)
{
	u16 v;

	memcpy(&v, p, sizeof(v));
	return le16toh(v);
}

static inline u32 get_unaligned_le32(const void *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static inline u64 get_unaligned_le64(const void *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

#endif
