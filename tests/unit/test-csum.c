// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checksums: known answers. Sources: RFC 3720 (CRC-32C), the xxHash project, FIPS 180 and
 * RFC 7693 implementations of other origin; the hash of "default" is what every
 * filesystem has as a key in its root tree.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "crypto/csum.h"
#include "kernel-shared/dir-item.h"

struct vector {
	u16 type;
	const char *data;
	size_t len;
	const char *hex;	/* bytes as they stand on disk */
};

static const char zeros[32];

static const struct vector vectors[] = {
	{ 0, "123456789", 9, "839206e3" },
	{ 0, zeros, 32, "aa36918a" },
	{ 0, "", 0, "00000000" },
	{ 1, "", 0, "99e9d85137db46ef" },
	{ 1, "123456789", 9, "83aee640db41b88c" },
	{ 2, "123456789", 9, "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225" },
	{ 3, "123456789", 9, "16e0bf1f85594a11e75030981c0b670370b3ad83a43f49ae58a2fd6f6513cde9" },
};

static void test_known_answers(void **state)
{
	char hex[2 * CSUM_MAX_SIZE + 1];
	u8 digest[CSUM_MAX_SIZE + 1];
	size_t i;
	u16 j;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(vectors); i++) {
		const struct csum_algorithm *algo = csum_by_type(vectors[i].type);

		memset(digest, 0xa5, sizeof(digest));
		algo->digest(vectors[i].data, vectors[i].len, digest);
		for (j = 0; j < algo->size; j++)
			snprintf(hex + 2 * j, 3, "%02x", digest[j]);
		assert_string_equal(hex, vectors[i].hex);
		assert_int_equal(digest[algo->size], 0xa5);	/* not one byte more */
	}
}

static void test_table(void **state)
{
	static const struct {
		const char *name;
		u16 type;
		u16 size;
	} expected[] = {
		{ "crc32c", 0, 4 }, { "xxhash", 1, 8 }, { "xxhash64", 1, 8 }, { "sha256", 2, 32 },
		{ "blake2", 3, 32 }, { "blake2b", 3, 32 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		const struct csum_algorithm *algo = csum_by_name(expected[i].name);

		assert_non_null(algo);
		assert_int_equal(algo->type, expected[i].type);
		assert_int_equal(algo->size, expected[i].size);
		assert_ptr_equal(csum_by_type(expected[i].type), algo);
	}
	assert_null(csum_by_name("md5"));
	assert_null(csum_by_name(""));
	assert_null(csum_by_type(4));
	assert_null(csum_by_type(UINT16_MAX));
	assert_null(csum_at(4));
}

static void test_blocks_are_independent(void **state)
{
	static u8 data[4 * 4096];
	u8 all[4 * CSUM_MAX_SIZE];
	u8 one[CSUM_MAX_SIZE];
	size_t i;
	u16 type;

	(void)state;
	for (i = 0; i < sizeof(data); i++)
		data[i] = (u8)(i * 7 + i / 4096);
	for (type = 0; type < 4; type++) {
		const struct csum_algorithm *algo = csum_by_type(type);

		csum_blocks(algo, data, 4096, 4, all);
		for (i = 0; i < 4; i++) {
			algo->digest(data + i * 4096, 4096, one);
			assert_memory_equal(all + i * algo->size, one, algo->size);
		}
		assert_memory_not_equal(all, all + algo->size, algo->size);
	}
}

static void test_raw_crc_chains(void **state)
{
	const char text[] = "123456789";
	u32 crc = ~0u;
	size_t i;

	(void)state;
	for (i = 0; i < 9; i++)
		crc = crc32c_raw(crc, text + i, 1);
	assert_int_equal(~crc, 0xe3069283);
	assert_int_equal(crc32c_raw(0x12345678, text, 0), 0x12345678);
}

static void test_name_hash(void **state)
{
	(void)state;
	assert_int_equal(btrfs_name_hash("default", 7), 2378154706);
	assert_int_equal(btrfs_name_hash("default", 7), crc32c_raw((u32)~1, "default", 7));
	assert_int_equal(btrfs_name_hash("security.selinux", 16), 3817753667);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_answers),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_blocks_are_independent),
		cmocka_unit_test(test_raw_crc_chains),
		cmocka_unit_test(test_name_hash),
	};

	if (csum_init())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
