/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fixed set of equal buffers, aligned for direct I/O, counted in bytes.
 * Running out is the back-pressure of the pipeline.
 *
 * Belongs to one thread; the memory of a buffer to whoever holds it.
 */
#ifndef BO_IO_BUFFER_POOL_H
#define BO_IO_BUFFER_POOL_H

#include "common/types.h"

struct buffer_pool;

/* @buffer_size is a multiple of 4096; the pool holds MAX(total / buffer_size, 2).
 * 0, -ENOMEM, or -EINVAL for a size that is no such multiple. */
int buffer_pool_create(struct buffer_pool **pool, size_t total_bytes, size_t buffer_size);
void buffer_pool_destroy(struct buffer_pool *pool);

/* NULL when all are out. Content is undefined: whatever was there before. */
void *buffer_pool_get(struct buffer_pool *pool);
void buffer_pool_put(struct buffer_pool *pool, void *buffer);
/* How many there are, and how many are free: counts, not bytes. */
size_t buffer_pool_nr(const struct buffer_pool *pool);
size_t buffer_pool_free(const struct buffer_pool *pool);

#endif
