/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The three algorithms behind compressor_run(). Each function compresses into at most @max bytes at @out and
 * returns as compressor_run() does.
 */
#ifndef BO_COMPRESSION_INTERNAL_H
#define BO_COMPRESSION_INTERNAL_H

#include "compression/compression.h"

#define ZLIB_MAX_LEVEL	9
#define ZSTD_MAX_LEVEL	15

/* Allocated at first use; owned by the compressor. */
struct zlib_work {
	struct libdeflate_compressor *levels[ZLIB_MAX_LEVEL + 1];
};

struct lzo_work {
	void *memory;
	u8 *sector;		/* a compressed sector of the worst kind */
	u32 sectorsize;		/* that ->sector is for */
};

struct zstd_work {
	struct ZSTD_CCtx_s *context;
};

ssize_t zlib_run(struct zlib_work *work, int level, const void *data, u32 len, u8 *out, u32 max);
void zlib_release(struct zlib_work *work);
ssize_t lzo_run(struct lzo_work *work, u32 sectorsize, const void *data, u32 len, u8 *out, u32 max);
void lzo_release(struct lzo_work *work);
ssize_t zstd_run(struct zstd_work *work, int level, const void *data, u32 len, u8 *out, u32 max);
void zstd_release(struct zstd_work *work);

#endif
