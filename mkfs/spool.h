/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An append-only stream of bytes that may grow beyond memory: what does not fit the
 * given bound goes to an unlinked temporary file. Written once, then read front to back as often as
 * needed. Belongs to one thread.
 */
#ifndef BO_MKFS_SPOOL_H
#define BO_MKFS_SPOOL_H

#include "common/types.h"

struct spool;

/* @memory: bytes kept before the first spill. Returns 0 or -ENOMEM. */
int spool_create(struct spool **spool, size_t memory);
/* NULL is fine. */
void spool_destroy(struct spool *spool);

/* Returns 0 or -errno after a message that names the temporary folder. */
int spool_append(struct spool *spool, const void *data, size_t len);
u64 spool_size(const struct spool *spool);

/* A place in the stream of its own; several may read at once. Call after the last append. */
struct spool_reader {
	struct spool *spool;
	u64 position;
	u8 *buffer;		/* of what comes from the file */
	size_t buffer_size;
	u64 buffer_start;
	size_t buffer_len;
};

/* Start at @position; @buffer_size (0: 1 MiB) is what the reader needs when the spool has spilled. 0 or -ENOMEM. */
int spool_reader_init(struct spool_reader *reader, struct spool *spool, u64 position, size_t buffer_size);
void spool_reader_release(struct spool_reader *reader);
/* Exactly @len bytes. Returns 0, -ENODATA (the stream ends before), or -errno after a message. */
int spool_read(struct spool_reader *reader, void *data, size_t len);

#endif
