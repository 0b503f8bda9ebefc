// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One anonymous map cut into equal buffers, and a stack of the free ones: see
 * buffer-pool.h. Last in, first out keeps a small run inside few, warm buffers.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "common/checked.h"
#include "io/buffer-pool.h"

#define BUFFER_ALIGNMENT 4096

struct buffer_pool {
	u8 *memory;
	size_t length;
	size_t buffer_size;
	size_t nr;
	size_t nr_free;
	void *free[];
};

int buffer_pool_create(struct buffer_pool **result, size_t total_bytes, size_t buffer_size)
{
	struct buffer_pool *pool;
	size_t nr, length, i;

	if (!buffer_size || !IS_ALIGNED(buffer_size, BUFFER_ALIGNMENT))
		return -EINVAL;
	nr = MAX(total_bytes / buffer_size, (size_t)2);
	if (check_mul_overflow(nr, buffer_size, &length))
		return -ENOMEM;
	pool = malloc(sizeof(*pool) + nr * sizeof(pool->free[0]));
	if (!pool)
		return -ENOMEM;
	pool->memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pool->memory == MAP_FAILED) {
		free(pool);
		return -ENOMEM;
	}
	/* Only a hint: fewer page faults and shorter vectors in the block layer. */
	madvise(pool->memory, length, MADV_HUGEPAGE);
	pool->length = length;
	pool->buffer_size = buffer_size;
	pool->nr = nr;
	pool->nr_free = nr;
	for (i = 0; i < nr; i++)
		pool->free[i] = pool->memory + (nr - 1 - i) * buffer_size;
	*result = pool;
	return 0;
}

void buffer_pool_destroy(struct buffer_pool *pool)
{
	if (!pool)
		return;
	munmap(pool->memory, pool->length);
	free(pool);
}

void *buffer_pool_get(struct buffer_pool *pool)
{
	return pool->nr_free ? pool->free[--pool->nr_free] : NULL;
}

void buffer_pool_put(struct buffer_pool *pool, void *buffer)
{
	size_t offset = (size_t)((u8 *)buffer - pool->memory);

	assert(offset < pool->length && offset % pool->buffer_size == 0);
	assert(pool->nr_free < pool->nr);
	pool->free[pool->nr_free++] = buffer;
}

size_t buffer_pool_nr(const struct buffer_pool *pool)
{
	return pool->nr;
}

size_t buffer_pool_free(const struct buffer_pool *pool)
{
	return pool->nr_free;
}
