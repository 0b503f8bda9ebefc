// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names and levels; the framing, taken apart by the libraries' own decompressors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <libdeflate.h>
#include <lzo/lzo1x.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "compression/compression.h"

static void test_names(void **state)
{
	static const struct {
		const char *text;
		u8 type;
		int level;
	} good[] = {
		{ "no", COMPRESSION_NONE, 0 }, { "none", COMPRESSION_NONE, 0 }, { "lzo", COMPRESSION_LZO, 0 },
		{ "zlib", COMPRESSION_ZLIB, 3 }, { "zlib:1", COMPRESSION_ZLIB, 1 }, { "zlib:9", COMPRESSION_ZLIB, 9 },
		{ "zlib:0", COMPRESSION_ZLIB, 3 }, { "zstd", COMPRESSION_ZSTD, 3 }, { "zstd:15", COMPRESSION_ZSTD, 15 },
		{ "zstd:-15", COMPRESSION_ZSTD, -15 }, { "zstd:0", COMPRESSION_ZSTD, 3 },
	};
	static const char *const bad[] = {
		"", "n", "nox", "zst", "zstd ", "ZSTD", "zlib:", "zlib:10", "zlib:-1", "zlib:1x", "zlib:1:2", "lzo:1", "none:1",
		"zstd:16", "zstd:-16", "zstd:100", "zstd:-", "zstd:+1", "zstd:1 ", ":3",
	};
	struct compression got;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		assert_null(compression_parse(good[i].text, strlen(good[i].text), &got));
		assert_int_equal(got.type, good[i].type);
		assert_int_equal(got.level, good[i].level);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_non_null(compression_parse(bad[i], strlen(bad[i]), &got));
	/* the text need not end where the word does */
	assert_null(compression_parse("zlib:12", 6, &got));
	assert_int_equal(got.level, 1);
	assert_string_equal(compression_name(COMPRESSION_LZO), "lzo");
	assert_string_equal(compression_name(77), "unknown");
}

/* ---- framing ---- */

static u32 le32_at(const u8 *at)
{
	return at[0] | (u32)at[1] << 8 | (u32)at[2] << 16 | (u32)at[3] << 24;
}

/* The rules of compression.h, one by one. */
static void unpack_lzo(const u8 *in, size_t len, u32 sectorsize, u8 *out, size_t want)
{
	u32 at = 4;
	size_t done = 0;

	assert_int_equal(le32_at(in), len);
	while (done < want) {
		const u32 room = sectorsize - at % sectorsize;
		lzo_uint got = sectorsize;
		u32 size;

		if (room < 4) {
			for (size = 0; size < room; size++)
				assert_int_equal(in[at + size], 0);
			at += room;
		}
		assert_true(at + 4 <= len);
		size = le32_at(in + at);
		at += 4;
		assert_true(size && size <= len - at);
		assert_int_equal(lzo1x_decompress_safe(in + at, size, out + done, &got, NULL), LZO_E_OK);
		assert_int_equal(got, MIN((size_t)sectorsize, want - done));
		at += size;
		done += got;
	}
	assert_int_equal(at, len);
}

static void unpack_zlib(const u8 *in, size_t len, u8 *out, size_t want)
{
	struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
	size_t used, got;

	assert_int_equal(libdeflate_zlib_decompress_ex(decompressor, in, len, out, want, &used, &got), LIBDEFLATE_SUCCESS);
	assert_int_equal(used, len);
	assert_int_equal(got, want);
	libdeflate_free_decompressor(decompressor);
}

/* With the kernel's window and not a byte more. */
static void unpack_zstd(const u8 *in, size_t len, u8 *out, size_t want)
{
	ZSTD_DCtx *context = ZSTD_createDCtx();
	ZSTD_inBuffer input = { .src = in, .size = len };
	ZSTD_outBuffer output = { .dst = out, .size = want };

	assert_false(ZSTD_isError(ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, 17)));
	assert_int_equal(ZSTD_decompressStream(context, &output, &input), 0);
	assert_int_equal(input.pos, len);
	assert_int_equal(output.pos, want);
	ZSTD_freeDCtx(context);
}

/* Text, runs, noise between them: bytes that compress to about a third. */
static void fill(u8 *data, u32 len, u32 seed)
{
	u32 i, value = seed * 2654435761U + 1;

	for (i = 0; i < len; i++) {
		value = value * 1664525 + 1013904223;
		data[i] = i / 97 % 3 ? (u8)"the same words again and again "[i % 31] : (u8)(value >> 24);
	}
}

static void round_trip(struct compressor *compressor, struct compression how, u32 sectorsize, u32 len)
{
	u8 *data = malloc(len), *got = malloc(len);
	const u8 *out;
	ssize_t size;

	assert_true(data && got);
	fill(data, len, len);
	size = compressor_run(compressor, how, data, len, COMPRESSION_MAX_INPUT, &out);
	/* the smallest ones may become larger */
	assert_true(size > 0);
	if (len >= sectorsize)
		assert_true((u32)size < len);
	memset(got, 0xee, len);
	if (how.type == COMPRESSION_LZO)
		unpack_lzo(out, (size_t)size, sectorsize, got, len);
	else if (how.type == COMPRESSION_ZLIB)
		unpack_zlib(out, (size_t)size, got, len);
	else
		unpack_zstd(out, (size_t)size, got, len);
	assert_memory_equal(got, data, len);
	/* exactly as much room as it takes is enough, one byte less is not */
	if (how.type != COMPRESSION_ZSTD && how.type != COMPRESSION_LZO)
		assert_int_equal(compressor_run(compressor, how, data, len, (u32)size - 1, &out), 0);
	free(data);
	free(got);
}

static void test_round_trips(void **state)
{
	static const struct compression how[] = {
		{ COMPRESSION_ZLIB, 1 }, { COMPRESSION_ZLIB, 9 }, { COMPRESSION_LZO, 0 },
		{ COMPRESSION_ZSTD, -15 }, { COMPRESSION_ZSTD, 3 }, { COMPRESSION_ZSTD, 15 },
	};
	static const u32 sectorsizes[] = { SZ_4K, SZ_16K, SZ_64K };
	struct compressor *compressor;
	size_t h, s;
	u32 len;

	(void)state;
	for (s = 0; s < ARRAY_SIZE(sectorsizes); s++) {
		assert_int_equal(compressor_create(&compressor, sectorsizes[s]), 0);
		for (h = 0; h < ARRAY_SIZE(how); h++) {
			for (len = 1; len <= COMPRESSION_MAX_INPUT; len += len < 5000 ? 499 : 7919)
				round_trip(compressor, how[h], sectorsizes[s], len);
			round_trip(compressor, how[h], sectorsizes[s], COMPRESSION_MAX_INPUT);
		}
		compressor_destroy(compressor);
	}
	compressor_destroy(NULL);
}

/* Noise of each length mod a sector moves the length words over every place before a border. */
static void test_lzo_borders(void **state)
{
	struct compressor *compressor;
	u8 *data = malloc(SZ_64K), *got = malloc(SZ_64K);
	const struct compression lzo = { COMPRESSION_LZO, 0 };
	unsigned padded = 0;
	const u8 *out;
	ssize_t size;
	u32 zeros, i;

	(void)state;
	assert_true(data && got);
	assert_int_equal(compressor_create(&compressor, SZ_4K), 0);
	for (zeros = 0; zeros < SZ_4K; zeros += 3) {
		u32 value = zeros;

		for (i = 0; i < SZ_64K; i++) {
			value = value * 1664525 + 1013904223;
			data[i] = i % SZ_4K < zeros ? 0 : (u8)(value >> 24);
		}
		size = compressor_run(compressor, lzo, data, SZ_64K, COMPRESSION_MAX_INPUT, &out);
		assert_true(size > 0);
		for (i = SZ_4K; i < (u32)size; i += SZ_4K)
			padded += !out[i - 1];
		unpack_lzo(out, (size_t)size, SZ_4K, got, SZ_64K);
		assert_memory_equal(got, data, SZ_64K);
	}
	assert_true(padded > 0);
	compressor_destroy(compressor);
	free(data);
	free(got);
}

static void test_noise_and_limits(void **state)
{
	static const u8 types[] = { COMPRESSION_ZLIB, COMPRESSION_LZO, COMPRESSION_ZSTD };
	u8 *data = malloc(COMPRESSION_MAX_INPUT);
	struct compressor *compressor;
	const u8 *out;
	size_t t;
	u32 i, max, value = 7;

	(void)state;
	assert_non_null(data);
	for (i = 0; i < COMPRESSION_MAX_INPUT; i++) {
		value = value * 1664525 + 1013904223;
		data[i] = (u8)(value >> 24);
	}
	assert_int_equal(compressor_create(&compressor, SZ_4K), 0);
	for (t = 0; t < ARRAY_SIZE(types); t++) {
		const struct compression how = { types[t], types[t] == COMPRESSION_LZO ? 0 : 3 };

		for (max = 0; max < COMPRESSION_MAX_INPUT; max = max * 3 + 1)
			assert_int_equal(compressor_run(compressor, how, data, COMPRESSION_MAX_INPUT, max, &out), 0);
	}
	assert_int_equal(compressor_run(compressor, (struct compression){ 0, 0 }, data, SZ_4K, SZ_4K, &out), 0);
	compressor_destroy(compressor);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_lzo_borders),
		cmocka_unit_test(test_noise_and_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
