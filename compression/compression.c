// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names, levels, and the way to the algorithm: see compression.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compression/compression-internal.h"

#define DEFAULT_LEVEL	3	/* of zlib and zstd, as in the kernel */

struct compressor {
	struct zlib_work zlib;
	struct lzo_work lzo;
	struct zstd_work zstd;
	u32 sectorsize;
	u8 out[COMPRESSION_MAX_INPUT];
};

struct compression_kind {
	const char *name;
	s8 min;			/* both 0: there are no levels */
	s8 max;
	const char *levels;
};

static const struct compression_kind types[] = {
	[COMPRESSION_NONE] = { "none", 0, 0, "takes no level with none" },
	[COMPRESSION_ZLIB] = { "zlib", 1, ZLIB_MAX_LEVEL, "takes levels 1 to 9 of zlib" },
	[COMPRESSION_LZO] = { "lzo", 0, 0, "takes no level with lzo" },
	[COMPRESSION_ZSTD] = { "zstd", -ZSTD_MAX_LEVEL, ZSTD_MAX_LEVEL, "takes levels -15 to 15 of zstd" },
};

const char *compression_name(u8 type)
{
	return type < ARRAY_SIZE(types) ? types[type].name : "unknown";
}

static int find_type(const char *word, size_t len)
{
	size_t i;

	if (len == 2 && !strncmp(word, "no", 2))
		return COMPRESSION_NONE;
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		if (strlen(types[i].name) == len && !strncmp(word, types[i].name, len))
			return (int)i;
	}
	return -1;
}

/* One or two digits with an optional minus. */
static bool parse_level(const char *text, size_t len, int *level)
{
	const bool negative = len && *text == '-';
	size_t i;

	*level = 0;
	if (len - negative < 1 || len - negative > 2)
		return false;
	for (i = negative; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		*level = *level * 10 + text[i] - '0';
	}
	if (negative)
		*level = -*level;
	return true;
}

const char *compression_parse(const char *text, size_t len, struct compression *compression)
{
	const char *colon = memchr(text, ':', len);
	const int type = find_type(text, colon ? (size_t)(colon - text) : len);
	int level = DEFAULT_LEVEL;

	if (type < 0)
		return "takes zstd, zlib (both with :LEVEL if you like), lzo or no";
	if (colon && (types[type].min == types[type].max ||
		      !parse_level(colon + 1, len - (size_t)(colon + 1 - text), &level)))
		return types[type].levels;
	/* 0 asks for the default */
	if (!level)
		level = DEFAULT_LEVEL;
	if (types[type].min == types[type].max)
		level = 0;
	if (level < types[type].min || level > types[type].max)
		return types[type].levels;
	*compression = (struct compression){ .type = (u8)type, .level = (s8)level };
	return NULL;
}

int compressor_create(struct compressor **compressor, u32 sectorsize)
{
	*compressor = calloc(1, sizeof(**compressor));
	if (!*compressor)
		return -ENOMEM;
	(*compressor)->sectorsize = sectorsize;
	return 0;
}

void compressor_destroy(struct compressor *compressor)
{
	if (!compressor)
		return;
	zlib_release(&compressor->zlib);
	lzo_release(&compressor->lzo);
	zstd_release(&compressor->zstd);
	free(compressor);
}

ssize_t compressor_run(struct compressor *compressor, struct compression how, const void *data, u32 len, u32 max,
		       const u8 **out)
{
	u8 *to = compressor->out;

	max = MIN(max, COMPRESSION_MAX_INPUT);
	*out = to;
	switch (how.type) {
	case COMPRESSION_ZLIB:
		return zlib_run(&compressor->zlib, how.level, data, len, to, max);
	case COMPRESSION_LZO:
		return lzo_run(&compressor->lzo, compressor->sectorsize, data, len, to, max);
	case COMPRESSION_ZSTD:
		return zstd_run(&compressor->zstd, how.level, data, len, to, max);
	default:
		return 0;
	}
}
