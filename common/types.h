/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fixed-width integer names and the few macros that every layer uses.
 */
#ifndef BO_COMMON_TYPES_H
#define BO_COMMON_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int64_t s64;

#define SZ_1K	((u64)1 << 10)
#define SZ_4K	((u64)4 << 10)
#define SZ_16K	((u64)16 << 10)
#define SZ_64K	((u64)64 << 10)
#define SZ_128K	((u64)128 << 10)
#define SZ_1M	((u64)1 << 20)
#define SZ_1G	((u64)1 << 30)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* @align is a power of two; the caller rules out wrap-around (see checked.h). */
#define ALIGN_UP(x, align)	(((x) + ((align) - 1)) & ~((__typeof__(x))(align) - 1))
#define ALIGN_DOWN(x, align)	((x) & ~((__typeof__(x))(align) - 1))
#define IS_ALIGNED(x, align)	(((x) & ((__typeof__(x))(align) - 1)) == 0)

#define is_power_of_2(x)	((x) != 0 && ((x) & ((x) - 1)) == 0)

#endif
