/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What travels through the data pipeline: up to 1 MiB of file data, of one big file or of many small
 * ones, that will be contiguous in logical space.
 *
 * Who holds a block owns it, so there is no lock in it:
 *	importer	fills in the segments
 *	a worker	READ, compression, and the checksums in mode offload
 *	main thread	PLACE, in the order of submission
 *	write stage	the memory, until every copy is written
 *	a worker	(mode overlap) the checksums, while the write stage only reads the memory
 *	main thread	RETIRE, in the order of submission
 */
#ifndef BO_MKFS_DATA_BLOCK_H
#define BO_MKFS_DATA_BLOCK_H

#include "compression/compression.h"
#include "io/worker-pool.h"
#include "mkfs/dedupe.h"
#include "mkfs/layout.h"
#include "mkfs/write-stage.h"
#include "source/source.h"

#define DATA_BLOCK_SIZE		((u32)SZ_1M)
#define DATA_BLOCK_SEGMENTS	256
#define DATA_BLOCK_EXTENTS	512
/* What cutting into pieces for compression adds to them at most. */
#define DATA_BLOCK_PIECES	(DATA_BLOCK_SIZE / COMPRESSION_MAX_INPUT)
/* A chunk is at least 1 MiB long, so a block touches two at most. */
#define DATA_BLOCK_PARTS	2

/* A regular file on its way. Touched by the main thread only, but for ->source. */
struct import_file {
	u32 tree;			/* number of the subvolume */
	u64 ino;
	u64 size;			/* of the entry */
	u64 flags;			/* BTRFS_INODE_* */
	struct compression compress;	/* how its data is to be kept where that saves something */
	struct source_file *source;
	u64 end;			/* of what was read: the size that it gets */
	u64 nbytes;			/* stored */
	u64 covered;			/* file offset up to which extents (or holes) are recorded */
	unsigned segments;		/* under way */
	bool planned;			/* all segments are submitted */
	bool changed;
	struct import_file *previous;	/* in the importer's list of files under way */
	struct import_file *next;
};

enum data_block_kind {
	DATA_BLOCK_REGULAR,
	DATA_BLOCK_INLINE,	/* whole small files that go into their EXTENT_DATA items */
};

/* A range of a file that is to be read. */
struct data_segment {
	struct import_file *file;
	u64 offset;		/* in the file */
	u32 len;
	bool whole;		/* the whole file: holes are looked for when it is opened */
	/* set by READ */
	u32 buffer_offset;	/* inline: of its first byte */
	u32 stored;		/* inline: bytes in the buffer */
	u8 compression;		/* inline: of these */
	u64 end;		/* file offset up to which there was something to read */
	enum source_file_state state;
	int error;
};

/* Data of one segment without a hole; lengths in whole sectors. */
struct data_extent {
	u32 segment;
	u32 read_offset;	/* in the buffer, as it was read: what the hashes are counted by */
	u32 buffer_offset;	/* where it is now */
	u64 offset;		/* in the file */
	u32 len;
	u32 disk_len;		/* less than ->len where it is compressed */
	u8 compression;		/* enum compression_type */
	/* set by PLACE where data is shared */
	struct source_file *source;	/* where the write stage may clone it from, or NULL; a reference */
	bool shared;		/* not in the buffer: it lies at ->place */
	struct dedupe_place place;
};

struct data_block {
	struct worker_job job;
	const struct mkfs_layout *layout;
	enum data_block_kind kind;
	bool csum_in_worker;	/* right behind READ */
	bool csum_done;		/* ->csums are those of the data in the buffer */
	bool csum_job;		/* a second job is under way */
	u8 *data;		/* DATA_BLOCK_SIZE */
	u32 planned;		/* bytes asked for, in whole sectors */
	u32 read;		/* bytes read, in whole sectors */
	u32 used;		/* bytes in the buffer: less than were read where data is shared or compressed */
	u32 nr_segments;
	u32 nr_extents;
	unsigned parts_written;
	unsigned nr_parts;
	struct write_buffer parts[DATA_BLOCK_PARTS];
	struct data_block *next;
	u8 *csums;
	struct compressor **compressors;	/* one for each worker, or NULL */
	enum mkfs_dedupe dedupe;
	u8 *hashes;		/* of each extent or sector that was read; NULL without deduplication */
	struct data_segment segments[DATA_BLOCK_SEGMENTS];
	struct data_extent extents[DATA_BLOCK_EXTENTS + DATA_BLOCK_PIECES];
};

/*
 * READ, and TRANSFORM where asked: runs in a worker. @compressor belongs to the thread; NULL where no file of the
 * pipeline is to be compressed.
 */
void data_block_read(struct data_block *block, struct compressor *compressor);
/* Parts of data_block_read(), in this order. */
/* Extents of files that are to be compressed become pieces of at most COMPRESSION_MAX_INPUT bytes. */
void data_block_cut(struct data_block *block);
/* Hashes to find equal data by. */
void data_block_hash(struct data_block *block);
/* What gets smaller is replaced, and the rest moves up behind it. Returns 0 or -ENOMEM. */
int data_block_compress(struct data_block *block, struct compressor *compressor);
/* Whatever is plain data of a file may be cloned from it: before the files are given up (stage-clone.c). */
void data_block_keep_sources(struct data_block *block);
void data_block_drop_sources(struct data_block *block);
extern const struct write_clones data_block_clones;
/* All checksums of the block. */
void data_block_csum(struct data_block *block);

#endif
