/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * zlib, lzo and zstd as btrfs keeps them in its extents.
 *
 * Source of the framing: "Compression" and "On-disk format" of the btrfs documentation, and what the kernel
 * writes and reads. zlib: one stream with its header (RFC 1950). zstd: one frame, window of at most 128 KiB.
 * lzo: a 32-bit little-endian length of all, then for each sector of the data its compressed length in 32 bits
 * and LZO1X bytes; no length crosses a sector border of the compressed data, zeros fill what is left before one.
 */
#ifndef BO_COMPRESSION_COMPRESSION_H
#define BO_COMPRESSION_COMPRESSION_H

#include <sys/types.h>

#include "common/types.h"

/* Data of one compressed extent, before and after. */
#define COMPRESSION_MAX_INPUT	((u32)SZ_128K)

/* Numbers as on disk. */
enum compression_type {
	COMPRESSION_NONE,
	COMPRESSION_ZLIB,
	COMPRESSION_LZO,
	COMPRESSION_ZSTD,
};

/* The extended attribute with the name of what a file's data is to be compressed with. */
#define COMPRESSION_PROPERTY	"btrfs.compression"

struct compression {
	u8 type;		/* enum compression_type */
	s8 level;		/* as asked for, or the default; lzo: 0 */
};

/*
 * "zstd", "zlib:9", "lzo", "none" or "no". Returns NULL with *compression, or what is wrong, for people:
 * "takes ...". Constant text.
 */
const char *compression_parse(const char *text, size_t len, struct compression *compression);
/* "zlib", "lzo", "zstd", "none": also the value of the property btrfs.compression. */
const char *compression_name(u8 type);

/* Work space of one thread. */
struct compressor;

/* Returns 0 or -ENOMEM. What a level needs is allocated when it comes up first. */
int compressor_create(struct compressor **compressor, u32 sectorsize);
/* NULL is fine. */
void compressor_destroy(struct compressor *compressor);

/*
 * @len bytes (1 .. COMPRESSION_MAX_INPUT) into at most @max bytes at *out, which is the compressor's own memory,
 * valid until the next call. Returns their number, 0 when they would be more, or -ENOMEM. The result depends on
 * the input and the versions of the libraries alone.
 */
ssize_t compressor_run(struct compressor *compressor, struct compression how, const void *data, u32 len, u32 max,
		       const u8 **out);

#endif
