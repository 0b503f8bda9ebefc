// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading half of the item log: merges the spilled runs and what is in memory, and
 * combines records of one key. See item-log.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "kernel-shared/inode-item.h"
#include "mkfs/item-log-internal.h"

#define MIN_READ_BUFFER	((size_t)16 << 10)

/* One sorted sequence: a run, or the records in memory (the last stream, so the newest). */
struct stream {
	bool from_memory;
	size_t next;		/* memory: index of the next record */
	u64 left;		/* records that are still to come */
	struct spool_reader reader;
	u32 tree;		/* of the current record */
	struct btrfs_key key;
	u32 size;
	u8 *payload;		/* run: own buffer; memory: into the arena */
	u32 order;		/* among equal keys the older stream goes first */
};

struct merge {
	struct item_log *log;
	struct stream *streams;
	size_t nr_streams;
	struct stream **heap;	/* streams with a current record, smallest key on top */
	size_t nr_heap;

	/* the item that is being put together */
	u32 tree;
	struct btrfs_key key;
	u8 *payload;
	u32 size;
	bool pending;
};

static int stream_compare(const struct stream *a, const struct stream *b)
{
	int order;

	if (a->tree != b->tree)
		return a->tree < b->tree ? -1 : 1;
	order = btrfs_comp_cpu_keys(&a->key, &b->key);
	return order ? order : (a->order < b->order ? -1 : 1);
}

static void sift_down(struct merge *merge, size_t at)
{
	for (;;) {
		size_t child = 2 * at + 1;
		struct stream *moved = merge->heap[at];

		if (child >= merge->nr_heap)
			return;
		if (child + 1 < merge->nr_heap &&
		    stream_compare(merge->heap[child + 1], merge->heap[child]) < 0)
			child++;
		if (stream_compare(moved, merge->heap[child]) <= 0)
			return;
		merge->heap[at] = merge->heap[child];
		merge->heap[child] = moved;
		at = child;
	}
}

static int stream_from_run(struct stream *stream)
{
	struct run_record head;
	int ret = spool_read(&stream->reader, &head, sizeof(head));

	if (ret)
		return ret;
	stream->tree = head.tree;
	stream->key = (struct btrfs_key){ .objectid = head.objectid, .type = (u8)head.type, .offset = head.offset };
	stream->size = head.size;
	return spool_read(&stream->reader, stream->payload, head.size);
}

/* Moves to the next record. Returns 1, 0 at the end, or -errno. */
static int stream_advance(struct merge *merge, struct stream *stream)
{
	int ret = 0;

	if (!stream->left)
		return 0;
	stream->left--;
	if (stream->from_memory) {
		const struct log_record *record = &merge->log->index[stream->next++];

		stream->tree = record->tree;
		stream->key = (struct btrfs_key){
			.objectid = record->objectid, .type = record->type, .offset = record->offset,
		};
		stream->size = record->size;
		stream->payload = merge->log->arena + record->position;
	} else {
		ret = stream_from_run(stream);
	}
	return ret ? ret : 1;
}

/* All runs together read through a quarter of the log's memory. */
static size_t read_buffer_size(const struct item_log *log)
{
	size_t share = ALIGN_DOWN(log->memory / 4 / log->nr_runs, SZ_4K);

	return MIN(MAX(share, MIN_READ_BUFFER), (size_t)SZ_1M);
}

static int open_stream(struct merge *merge, size_t nr)
{
	struct stream *stream = &merge->streams[nr];
	struct item_log *log = merge->log;
	int ret;

	stream->order = (u32)nr;
	if (nr == log->nr_runs) {
		stream->from_memory = true;
		stream->left = log->nr;
	} else {
		stream->left = log->runs[nr].records;
		stream->payload = malloc(log->runs[nr].largest ? log->runs[nr].largest : 1);
		if (!stream->payload)
			return -ENOMEM;
		ret = spool_reader_init(&stream->reader, log->spilled, log->runs[nr].start, read_buffer_size(log));
		if (ret)
			return ret;
	}
	ret = stream_advance(merge, stream);
	if (ret > 0)
		merge->heap[merge->nr_heap++] = stream;
	return ret < 0 ? ret : 0;
}

static int merge_open(struct merge *merge, struct item_log *log)
{
	size_t i;
	int ret = 0;

	*merge = (struct merge){ .log = log, .nr_streams = log->nr_runs + 1 };
	item_log_sort(log);
	merge->streams = calloc(merge->nr_streams, sizeof(*merge->streams));
	merge->heap = calloc(merge->nr_streams, sizeof(struct stream *));
	merge->payload = malloc(ITEM_LOG_MAX_PAYLOAD);
	if (!merge->streams || !merge->heap || !merge->payload)
		return -ENOMEM;
	for (i = 0; !ret && i < merge->nr_streams; i++)
		ret = open_stream(merge, i);
	for (i = merge->nr_heap; i-- > 0;)
		sift_down(merge, i);
	return ret;
}

static void merge_release(struct merge *merge)
{
	size_t i;

	for (i = 0; merge->streams && i < merge->nr_streams; i++) {
		if (merge->streams[i].from_memory)
			continue;
		free(merge->streams[i].payload);
		spool_reader_release(&merge->streams[i].reader);
	}
	free(merge->streams);
	free(merge->heap);
	free(merge->payload);
}

static bool concatenates(u8 type)
{
	return type == BTRFS_INODE_REF_KEY || type == BTRFS_INODE_EXTREF_KEY || type == BTRFS_DIR_ITEM_KEY ||
	       type == BTRFS_XATTR_ITEM_KEY;
}

static int amend_inode(struct merge *merge, const void *payload, u32 size)
{
	struct btrfs_inode_item *item = (struct btrfs_inode_item *)merge->payload;
	struct inode_amendment amendment;

	if (size != sizeof(amendment) || merge->size != sizeof(*item))
		return -EEXIST;
	memcpy(&amendment, payload, sizeof(amendment));
	item->size = cpu_to_le64(le64_to_cpu(item->size) + amendment.size);
	item->nbytes = cpu_to_le64(le64_to_cpu(item->nbytes) + amendment.nbytes);
	item->nlink = cpu_to_le32(le32_to_cpu(item->nlink) + amendment.nlink);
	return 0;
}

static int combine(struct merge *merge, const void *payload, u32 size)
{
	if (merge->key.type == BTRFS_INODE_ITEM_KEY)
		return amend_inode(merge, payload, size);
	if (!concatenates(merge->key.type))
		return -EEXIST;
	if (size > ITEM_LOG_MAX_PAYLOAD - merge->size)
		return -EMSGSIZE;
	memcpy(merge->payload + merge->size, payload, size);
	merge->size += size;
	return 0;
}

static int take_record(struct merge *merge, const struct stream *stream, tree_item_sink each, void *arg)
{
	int ret;

	if (merge->pending && merge->tree == stream->tree && !btrfs_comp_cpu_keys(&merge->key, &stream->key)) {
		ret = combine(merge, stream->payload, stream->size);
		if (ret)
			error("internal error: item %s of tree number %u cannot take another record",
			      btrfs_format_key(&merge->key).text, merge->tree);
		return ret;
	}
	if (merge->pending) {
		ret = each(arg, merge->tree, &merge->key, merge->payload, merge->size);
		if (ret)
			return ret;
	}
	merge->tree = stream->tree;
	merge->key = stream->key;
	merge->size = stream->size;
	if (stream->size)	/* no arena when no record has bytes */
		memcpy(merge->payload, stream->payload, stream->size);
	merge->pending = true;
	return 0;
}

static int merge_run(struct merge *merge, tree_item_sink each, void *arg)
{
	while (merge->nr_heap) {
		struct stream *top = merge->heap[0];
		int ret = take_record(merge, top, each, arg);

		if (ret)
			return ret;
		ret = stream_advance(merge, top);
		if (ret < 0)
			return ret;
		if (!ret)
			merge->heap[0] = merge->heap[--merge->nr_heap];
		if (merge->nr_heap)
			sift_down(merge, 0);
	}
	return merge->pending ? each(arg, merge->tree, &merge->key, merge->payload, merge->size) : 0;
}

int item_log_feed(struct item_log *log, tree_item_sink each, void *arg)
{
	struct merge merge;
	int ret = merge_open(&merge, log);

	if (!ret)
		ret = merge_run(&merge, each, arg);
	merge_release(&merge);
	return ret;
}
