/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What data was placed already: strong hash -> where it lies. Data is found by the first 192 bits of its
 * SHA-256 and nothing else. Bounded: when the table is full, later data is not entered. Belongs to one thread.
 */
#ifndef BO_MKFS_DEDUPE_H
#define BO_MKFS_DEDUPE_H

#include "common/types.h"

#define DEDUPE_HASH_SIZE	24

/*
 * References that one entry gives away before data is stored anew: back references of an extent are kept
 * in memory while its items are made, and the kernel is slow where there are very many.
 */
#define DEDUPE_MAX_REFS		4096

/* A part of an extent. Lengths and distances are in units of 4 KiB, at most 1 MiB. */
struct dedupe_place {
	u64 bytenr;	/* logical start of the extent */
	u32 len;	/* of the whole extent, on disk */
	u32 ram_len;	/* of its data */
	u32 offset;	/* of the part in its data; 0 where it is compressed */
	u8 compression;
};

struct dedupe_table;

/* @memory: bytes at most. Returns 0 or -ENOMEM. */
int dedupe_table_create(struct dedupe_table **table, u64 memory);
/* NULL is fine. */
void dedupe_table_destroy(struct dedupe_table *table);

/* True with *place when @hash is known and may be referred to once more: that is counted. */
bool dedupe_find(struct dedupe_table *table, const u8 *hash, struct dedupe_place *place);
/* Enters @hash, or moves it here where it was known. Returns 0 (also when the table is full) or -ENOMEM. */
int dedupe_add(struct dedupe_table *table, const u8 *hash, const struct dedupe_place *place);
bool dedupe_table_full(const struct dedupe_table *table);

/* The hash of @len bytes. Any thread. */
void dedupe_hash(const void *data, size_t len, u8 *hash);

#endif
