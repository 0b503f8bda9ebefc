/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * WRITE: from logical addresses to vectored writes on the devices.
 *
 * Buffers come in logical order. They are gathered into windows of 1 MiB for each stripe, so that
 * a RAID0 device sees one write of 1 MiB and not sixteen of 64 KiB between those of the others. Every copy is
 * written, and parity where a row is complete. Belongs to one thread; a buffer belongs to the stage from add to
 * reap.
 */
#ifndef BO_MKFS_WRITE_STAGE_H
#define BO_MKFS_WRITE_STAGE_H

#include "io/device-set.h"
#include "io/ring.h"
#include "kernel-shared/volumes.h"

struct write_stage;
struct parity_row;
struct write_buffer;

/* What of a buffer is in files already, which share their blocks with image files on the same file system. */
struct write_clones {
	/* The first range of it in [*offset, end) of the buffer, or false: none. In multiples of 4096. */
	bool (*next)(const struct write_buffer *buffer, u32 *offset, u32 *len, u32 end);
	/* That range appears at byte @dest of @fd. 0 or -errno: then it is to be written. */
	int (*clone)(const struct write_buffer *buffer, u32 offset, u32 len, int fd, u64 dest);
};

/* A piece of memory and its place. Embedded in what owns the memory. */
struct write_buffer {
	/* set by the owner; data aligned to 4096, len a multiple of the sector size */
	u8 *data;
	u64 logical;
	u32 len;
	const struct write_clones *clones;	/* NULL: all is written */
	void *owner;				/* theirs */
	/* set by the stage */
	int error;
	u32 pending;		/* parts that are not on the devices yet */
	struct parity_row *parity;	/* whose parity it is; NULL: of an owner outside */
	struct write_buffer *next;
};

struct write_stage_options {
	const struct io_device_set *set;
	const struct btrfs_chunk_table *chunks;	/* may grow meanwhile */
	struct io_ring_options ring;
	bool may_clone;		/* buffers have ->clones */
	bool must_clone;	/* what cannot be cloned is an error, but for files that changed */
};

/* Returns 0 or -errno after a message. */
int write_stage_create(struct write_stage **stage, const struct write_stage_options *options);
/* Waits for what is under way. NULL is fine. */
void write_stage_destroy(struct write_stage *stage);

/*
 * Takes @buffer; its range lies inside one chunk. Returns 0 or -ENOMEM. Device errors come
 * with the buffer, and stay in write_stage_error().
 */
int write_stage_add(struct write_stage *stage, struct write_buffer *buffer);
/* Issues the window that is not full. */
int write_stage_flush(struct write_stage *stage);
/*
 * Nothing comes any more: completes the rows of raid5 and raid6 that are not full. What is unused of them is
 * written as zeros, since it takes part in parity.
 */
int write_stage_finish(struct write_stage *stage);
/* No data comes at or behind @logical in the newest data chunk: call before the chunk is cut to that. */
void write_stage_finish_data(struct write_stage *stage, u64 logical);
/* A buffer that is on all its devices (or failed), or NULL. @wait: for one, as long as any is under way. */
struct write_buffer *write_stage_reap(struct write_stage *stage, bool wait);
/* First device error, printed already; 0: none. */
int write_stage_error(const struct write_stage *stage);
/* Bytes of @device that were cloned, not written; and the first error of cloning (0: none). */
u64 write_stage_cloned(const struct write_stage *stage, unsigned device);
int write_stage_clone_error(const struct write_stage *stage);
/* Bytes that reached device number @device. */
u64 write_stage_bytes(const struct write_stage *stage, unsigned device);
const char *write_stage_ring_name(const struct write_stage *stage);

#endif
