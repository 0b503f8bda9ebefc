// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stream with a bounded part in memory and the rest in a temporary file: see spool.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/message.h"
#include "mkfs/spool.h"

#define CHUNK_SIZE	((size_t)1 << 20)	/* unit of memory and of file I/O */

struct spool {
	size_t memory;		/* bytes that stay in memory at most */
	u8 **chunks;		/* the first bytes of the stream, CHUNK_SIZE each */
	size_t nr_chunks;
	size_t max_chunks;
	u64 size;
	int fd;			/* -1: nothing spilled */
	u8 *tail;		/* not yet written end of the spilled part */
	size_t tail_len;
};

static const char *temporary_folder(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/var/tmp";
}

static int spill_error(int error_number, const char *doing)
{
	error("%s a temporary file in %s: %s; set TMPDIR to a folder with room, or raise --metadata-memory",
	      doing, temporary_folder(), strerror(error_number));
	return -error_number;
}

static int open_temporary(void)
{
	const char *dir = temporary_folder();
	char *path = NULL;
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);

	if (fd >= 0)
		return fd;
	if (asprintf(&path, "%s/btrfs-offline.XXXXXX", dir) < 0)
		return -ENOMEM;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	else
		fd = -errno;
	free(path);
	return fd;
}

int spool_create(struct spool **out, size_t memory)
{
	struct spool *spool = calloc(1, sizeof(*spool));

	if (!spool)
		return -ENOMEM;
	spool->fd = -1;
	spool->max_chunks = MAX(memory / CHUNK_SIZE, (size_t)1);
	spool->memory = spool->max_chunks * CHUNK_SIZE;
	spool->chunks = calloc(spool->max_chunks, sizeof(*spool->chunks));
	if (!spool->chunks) {
		free(spool);
		return -ENOMEM;
	}
	*out = spool;
	return 0;
}

void spool_destroy(struct spool *spool)
{
	size_t i;

	if (!spool)
		return;
	for (i = 0; i < spool->nr_chunks; i++)
		free(spool->chunks[i]);
	free(spool->chunks);
	free(spool->tail);
	if (spool->fd >= 0)
		close(spool->fd);
	free(spool);
}

u64 spool_size(const struct spool *spool)
{
	return spool->size;
}

static int write_all(int fd, const u8 *data, size_t len, u64 offset)
{
	while (len) {
		ssize_t n = pwrite(fd, data, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		data += n;
		len -= (size_t)n;
		offset += (u64)n;
	}
	return 0;
}

static int flush_tail(struct spool *spool)
{
	u64 offset = spool->size - spool->memory - spool->tail_len;
	int ret = write_all(spool->fd, spool->tail, spool->tail_len, offset);

	if (ret)
		return spill_error(-ret, "writing");
	spool->tail_len = 0;
	return 0;
}

static int start_spilling(struct spool *spool)
{
	int fd;

	if (!spool->tail)	/* there already when making the file failed before */
		spool->tail = malloc(CHUNK_SIZE);
	if (!spool->tail)
		return -ENOMEM;
	fd = open_temporary();
	if (fd < 0)
		return spill_error(-fd, "making");
	spool->fd = fd;
	return 0;
}

/* As much of @data as one step takes, or -errno. */
static ssize_t append_some(struct spool *spool, const u8 *data, size_t len)
{
	size_t take;
	int ret;

	if (spool->size < spool->memory) {
		size_t at = spool->size % CHUNK_SIZE;

		if (!at) {
			u8 *chunk = malloc(CHUNK_SIZE);

			if (!chunk)
				return -ENOMEM;
			spool->chunks[spool->nr_chunks++] = chunk;
		}
		take = MIN(len, CHUNK_SIZE - at);
		memcpy(spool->chunks[spool->size / CHUNK_SIZE] + at, data, take);
		spool->size += take;
		return (ssize_t)take;
	}
	if (spool->fd < 0 && (ret = start_spilling(spool)))
		return ret;
	take = MIN(len, CHUNK_SIZE - spool->tail_len);
	memcpy(spool->tail + spool->tail_len, data, take);
	spool->tail_len += take;
	spool->size += take;
	if (spool->tail_len == CHUNK_SIZE && (ret = flush_tail(spool)))
		return ret;
	return (ssize_t)take;
}

int spool_append(struct spool *spool, const void *data, size_t len)
{
	const u8 *bytes = data;

	while (len) {
		ssize_t n = append_some(spool, bytes, len);

		if (n < 0)
			return (int)n;
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

int spool_reader_init(struct spool_reader *reader, struct spool *spool, u64 position, size_t buffer_size)
{
	*reader = (struct spool_reader){
		.spool = spool, .position = position, .buffer_size = buffer_size ? buffer_size : CHUNK_SIZE,
	};
	if (spool->fd < 0)
		return 0;
	reader->buffer = malloc(reader->buffer_size);
	return reader->buffer ? 0 : -ENOMEM;
}

void spool_reader_release(struct spool_reader *reader)
{
	free(reader->buffer);
	reader->buffer = NULL;
}

/* Fills the buffer with the part of the file that holds @position. */
static int fill_buffer(struct spool_reader *reader)
{
	const struct spool *spool = reader->spool;
	u64 offset = reader->position - spool->memory;
	u64 in_file = spool->size - spool->memory - spool->tail_len;
	ssize_t n;

	if (offset >= in_file) {	/* the end never went to the file */
		size_t at = (size_t)(offset - in_file);

		reader->buffer_len = MIN(reader->buffer_size, spool->tail_len - at);
		memcpy(reader->buffer, spool->tail + at, reader->buffer_len);
		reader->buffer_start = reader->position;
		return 0;
	}
	do {
		n = pread(spool->fd, reader->buffer, MIN(reader->buffer_size, in_file - offset), (off_t)offset);
	} while (n < 0 && errno == EINTR);
	if (n <= 0)
		return spill_error(n ? errno : EIO, "reading");
	reader->buffer_start = reader->position;
	reader->buffer_len = (size_t)n;
	return 0;
}

int spool_read(struct spool_reader *reader, void *data, size_t len)
{
	const struct spool *spool = reader->spool;
	u8 *out = data;

	if (len > spool->size - reader->position)
		return -ENODATA;
	while (len) {
		const u8 *from;
		size_t have;

		if (reader->position < spool->memory) {
			size_t at = reader->position % CHUNK_SIZE;

			from = spool->chunks[reader->position / CHUNK_SIZE] + at;
			have = CHUNK_SIZE - at;
		} else {
			u64 at = reader->position - reader->buffer_start;

			if (reader->position < reader->buffer_start || at >= reader->buffer_len) {
				int ret = fill_buffer(reader);

				if (ret)
					return ret;
				at = reader->position - reader->buffer_start;
			}
			from = reader->buffer + at;
			have = reader->buffer_len - at;
		}
		have = MIN(have, len);
		memcpy(out, from, have);
		out += have;
		len -= have;
		reader->position += have;
	}
	return 0;
}
