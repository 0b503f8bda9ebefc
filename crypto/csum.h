/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The four checksums of btrfs behind one table. Libraries do the work: ISA-L
 * (crc32c), libxxhash, libgcrypt (sha256, blake2b-256).
 *
 * Any thread may call anything here once csum_init() has returned.
 * Source of sizes and type numbers: btrfs(5), CHECKSUM ALGORITHMS, and the
 * superblock's csum_type in the on-disk format documentation.
 */
#ifndef BO_CRYPTO_CSUM_H
#define BO_CRYPTO_CSUM_H

#include "common/types.h"

#define CSUM_MAX_SIZE 32

struct csum_algorithm {
	const char *name;	/* as `mkfs.btrfs --csum` spells it */
	const char *alias;	/* a second accepted spelling, or NULL */
	u16 type;		/* on-disk csum_type */
	u16 size;		/* bytes of one checksum on disk */
	/* Writes exactly ->size bytes to @out. Never fails. */
	void (*digest)(const void *data, size_t len, u8 *out);
};

/* Once, before any thread is started. Returns 0 or -EIO (a library refused to start). */
int csum_init(void);

/* NULL when there is no such algorithm. */
const struct csum_algorithm *csum_by_type(u16 type);
/* In either case. */
const struct csum_algorithm *csum_by_name(const char *name);

/* The table in order of type; ends with NULL. */
const struct csum_algorithm *csum_at(size_t index);

/* Checksums of @nr blocks of @blocksize bytes at @data, one after the other, to @out. */
void csum_blocks(const struct csum_algorithm *algo, const void *data, u32 blocksize, size_t nr, u8 *out);

/*
 * The bare CRC-32C register update: no inversion before or after. Names in
 * directories are hashed with it (kernel-shared/dir-item.h).
 */
u32 crc32c_raw(u32 seed, const void *data, size_t len);

#endif
