// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Table of checksum algorithms: see csum.h.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <endian.h>

#include <gcrypt.h>
#include <isa-l.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "crypto/csum.h"

u32 crc32c_raw(u32 seed, const void *data, size_t len)
{
	u8 *bytes = (u8 *)(uintptr_t)data;	/* ISA-L only reads, but does not say const */

	/* ISA-L takes the length as an int. */
	while (len > (1u << 30)) {
		seed = crc32_iscsi(bytes, 1 << 30, seed);
		bytes += 1u << 30;
		len -= 1u << 30;
	}
	return crc32_iscsi(bytes, (int)len, seed);
}

static void digest_crc32c(const void *data, size_t len, u8 *out)
{
	u32 crc = htole32(~crc32c_raw(~0u, data, len));

	memcpy(out, &crc, sizeof(crc));
}

static void digest_xxhash64(const void *data, size_t len, u8 *out)
{
	u64 hash = htole64(XXH64(data, len, 0));

	memcpy(out, &hash, sizeof(hash));
}

static void digest_sha256(const void *data, size_t len, u8 *out)
{
	gcry_md_hash_buffer(GCRY_MD_SHA256, out, data, len);
}

static void digest_blake2b(const void *data, size_t len, u8 *out)
{
	gcry_md_hash_buffer(GCRY_MD_BLAKE2B_256, out, data, len);
}

static const struct csum_algorithm algorithms[] = {
	{ "crc32c", NULL, 0, 4, digest_crc32c },
	{ "xxhash", "xxhash64", 1, 8, digest_xxhash64 },
	{ "sha256", NULL, 2, 32, digest_sha256 },
	{ "blake2", "blake2b", 3, 32, digest_blake2b },
};

int csum_init(void)
{
	if (!gcry_check_version("1.9.0"))
		return -EIO;
	gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
	return 0;
}

const struct csum_algorithm *csum_at(size_t index)
{
	return index < ARRAY_SIZE(algorithms) ? &algorithms[index] : NULL;
}

const struct csum_algorithm *csum_by_type(u16 type)
{
	return csum_at(type);
}

const struct csum_algorithm *csum_by_name(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(algorithms); i++) {
		if (!strcasecmp(name, algorithms[i].name))
			return &algorithms[i];
		if (algorithms[i].alias && !strcasecmp(name, algorithms[i].alias))
			return &algorithms[i];
	}
	return NULL;
}

void csum_blocks(const struct csum_algorithm *algo, const void *data, u32 blocksize, size_t nr, u8 *out)
{
	const u8 *block = data;

	while (nr--) {
		algo->digest(block, blocksize, out);
		block += blocksize;
		out += algo->size;
	}
}
