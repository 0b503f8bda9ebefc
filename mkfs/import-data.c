// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * File data: which ranges to read (the extent plan), and what PLACE says of them turned into
 * EXTENT_DATA items and extent records.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "kernel-shared/file-item.h"
#include "mkfs/importer-internal.h"

/* Up to this size a file is read as a whole by one worker, which also looks for its holes. */
#define WHOLE_FILE_MAX	((u64)SZ_64K)

/* ---- planning: segments into blocks ---- */

static int submit_block(struct importer *importer, struct data_block **block)
{
	struct data_block *full = *block;

	*block = NULL;
	if (importer->options.pipeline.tick)
		importer->options.pipeline.tick(importer->options.pipeline.tick_arg);
	return full ? pipeline_submit(importer->pipeline, full) : 0;
}

/* A block with at least @room bytes and a free segment in *slot. */
static int need_block(struct importer *importer, struct data_block **slot, enum data_block_kind kind, u32 room)
{
	struct data_block *block = *slot;
	int ret = 0;

	if (block && (block->nr_segments == DATA_BLOCK_SEGMENTS || DATA_BLOCK_SIZE - block->planned < room))
		ret = submit_block(importer, slot);
	if (!ret && !*slot)
		*slot = pipeline_get(importer->pipeline, kind, &ret);
	return ret;
}

static void add_segment(struct data_block *block, struct import_file *file, u64 offset, u32 len, bool whole)
{
	struct data_segment *segment = &block->segments[block->nr_segments++];

	*segment = (struct data_segment){ .file = file, .offset = offset, .len = len, .whole = whole };
	file->segments++;
}

static int plan_inline(struct importer *importer, struct import_file *file)
{
	int ret = need_block(importer, &importer->inline_files, DATA_BLOCK_INLINE, (u32)file->size);

	if (ret)
		return ret;
	add_segment(importer->inline_files, file, 0, (u32)file->size, true);
	importer->inline_files->planned += (u32)file->size;
	return 0;
}

static int plan_whole(struct importer *importer, struct import_file *file)
{
	const u32 len = ALIGN_UP((u32)file->size, importer->layout->sectorsize);
	int ret = need_block(importer, &importer->regular, DATA_BLOCK_REGULAR, len);

	if (ret)
		return ret;
	add_segment(importer->regular, file, 0, (u32)file->size, true);
	importer->regular->planned += len;
	return 0;
}

/* Files are cut where this divides the distance from their start: wherever a block ends, or at fixed places. */
static u32 cutting_unit(const struct importer *importer, const struct import_file *file)
{
	if (importer->options.pipeline.dedupe)
		return DATA_BLOCK_SIZE;		/* equal files are cut alike */
	return file->compress.type ? COMPRESSION_MAX_INPUT : importer->layout->sectorsize;
}

/* [start, end) of a big file, at most one unit more than needed of each block left empty. */
static int plan_range(struct importer *importer, struct import_file *file, u64 start, u64 end)
{
	const u32 sectorsize = importer->layout->sectorsize;
	const u32 unit = cutting_unit(importer, file);

	while (start < end) {
		const u64 first = MIN(end - start, unit - start % unit);
		int ret = need_block(importer, &importer->regular, DATA_BLOCK_REGULAR,
				     ALIGN_UP((u32)first, sectorsize));
		u32 room, len;

		if (ret)
			return ret;
		room = DATA_BLOCK_SIZE - importer->regular->planned;
		if (unit == DATA_BLOCK_SIZE)
			len = (u32)first;
		else if (end - start <= room)
			len = (u32)(end - start);
		else
			len = room - (u32)((start + room) % unit);
		add_segment(importer->regular, file, start, len, false);
		importer->regular->planned += ALIGN_UP(len, sectorsize);
		start += len;
	}
	return 0;
}

static int plan_ranges(struct importer *importer, struct import_file *file)
{
	const u32 sectorsize = importer->layout->sectorsize;
	u64 offset = 0, start, end;
	int ret;

	while (offset < file->size) {
		ret = source_file_next_data(file->source, offset, &start, &end);
		if (ret < 0) {
			char *path = source_file_path(file->source);

			error("looking for holes in %s: %s", path ? path : "a file", strerror(-ret));
			free(path);
			return ret;
		}
		if (!ret)
			break;
		start = MAX(ALIGN_DOWN(start, sectorsize), offset);
		end = MIN(ALIGN_UP(end, sectorsize), file->size);
		ret = plan_range(importer, file, start, end);
		if (ret)
			return ret;
		offset = end;
	}
	return 0;
}

static struct import_file *new_file(struct importer *importer, const struct source_entry *entry, u64 ino)
{
	struct import_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->tree = importer->tree;
	file->ino = ino;
	file->size = file->end = entry->size;
	file->flags = import_inode_flags(entry);
	file->compress = import_compression(importer, entry);
	file->source = entry->file;
	file->next = importer->files;
	if (file->next)
		file->next->previous = file;
	importer->files = file;
	return file;
}

static void free_file(struct importer *importer, struct import_file *file)
{
	if (file->next)
		file->next->previous = file->previous;
	if (file->previous)
		file->previous->next = file->next;
	else
		importer->files = file->next;
	source_file_put(file->source);
	free(file);
}

static int finish_file(struct importer *importer, struct import_file *file);

int import_data(struct importer *importer, const struct source_entry *entry, u64 ino)
{
	struct import_file *file = new_file(importer, entry, ino);
	int ret;

	if (!file) {
		source_file_put(entry->file);
		return -ENOMEM;
	}
	if (file->size <= importer->max_inline)
		ret = plan_inline(importer, file);
	else if (file->size <= WHOLE_FILE_MAX)
		ret = plan_whole(importer, file);
	else
		ret = plan_ranges(importer, file);
	file->planned = true;
	if (!ret && !file->segments)
		ret = finish_file(importer, file);
	return ret;
}

static int flush_extent(struct importer *importer);

int import_finish_data(struct importer *importer)
{
	int ret = submit_block(importer, &importer->regular);

	if (!ret)
		ret = submit_block(importer, &importer->inline_files);
	if (!ret)
		ret = pipeline_drain(importer->pipeline);
	if (!ret)
		ret = flush_extent(importer);
	if (!ret && importer->result.refs)
		ret = shared_refs_sort(importer->result.refs, &importer->result.shared_refs);
	return ret;
}

void import_abandon_data(struct importer *importer)
{
	if (importer->regular)
		pipeline_put_back(importer->pipeline, importer->regular);
	if (importer->inline_files)
		pipeline_put_back(importer->pipeline, importer->inline_files);
	importer->regular = importer->inline_files = NULL;
}

void import_free_files(struct importer *importer)
{
	while (importer->files)
		free_file(importer, importer->files);
}

/* ---- what PLACE reports ---- */

/* Files come out of the pipeline later than their entries went in: the tree at hand is another one by then. */
static struct log_key extent_key(u32 tree, u64 ino, u64 offset)
{
	return (struct log_key){
		.tree = tree,
		.key = { .objectid = ino, .type = BTRFS_EXTENT_DATA_KEY, .offset = offset },
	};
}

static int add_file_extent(struct importer *importer, struct log_key key, const struct btrfs_file_extent_item *item)
{
	return item_log_add(importer->result.fs_items, &key, item, sizeof(*item), NULL, 0);
}

static int add_hole(struct importer *importer, const struct import_file *file, u64 start, u64 end)
{
	struct btrfs_file_extent_item item;

	if (layout_has_no_holes(importer->layout) || start >= end)
		return 0;
	btrfs_fill_hole_extent(&item, MKFS_GENERATION, end - start);
	return add_file_extent(importer, extent_key(file->tree, file->ino, start), &item);
}

static int flush_extent(struct importer *importer)
{
	struct open_extent *open = &importer->extent;
	const struct placed_extent record = {
		.bytenr = open->logical, .len = open->disk_len, .root = mkfs_subvolume_id(open->tree),
		.ino = open->ino, .offset = open->offset,
	};
	struct btrfs_file_extent_item item;
	int ret;

	if (!open->ino)
		return 0;
	open->ino = 0;
	btrfs_fill_compressed_extent(&item, MKFS_GENERATION, record.bytenr, record.len, open->len, open->compression);
	ret = add_file_extent(importer, extent_key(open->tree, record.ino, record.offset), &item);
	if (ret)
		return ret;
	importer->result.nr_extents++;
	return spool_append(importer->result.extents, &record, sizeof(record));
}

/*
 * The pieces of a big file grow together, but never across a chunk's border, nor where others may refer to
 * them already.
 */
static bool continues(const struct importer *importer, const struct import_file *file, u64 offset, u64 logical)
{
	const struct open_extent *open = &importer->extent;

	return open->ino == file->ino && open->tree == file->tree &&
	       open->offset + open->len == offset && open->logical + open->len == logical &&
	       logical != importer->options.pipeline.space->chunk->start && !importer->options.pipeline.dedupe;
}

/* The pipeline computes checksums of all data; these will be passed over when the tree is made. */
static int note_unsummed(struct importer *importer, const struct import_file *file, u64 logical, u64 len)
{
	const struct unsummed_range range = { .bytenr = logical, .len = len };

	if (!(file->flags & BTRFS_INODE_NODATASUM))
		return 0;
	importer->result.nr_unsummed++;
	return spool_append(importer->result.unsummed, &range, sizeof(range));
}

int place_extent(void *arg, struct import_file *file, u64 offset, u64 logical, u64 len)
{
	struct importer *importer = arg;
	struct open_extent *open = &importer->extent;
	int ret = add_hole(importer, file, file->covered, offset);

	if (ret)
		return ret;
	file->covered = offset + len;
	file->nbytes += len;
	ret = note_unsummed(importer, file, logical, len);
	if (ret)
		return ret;
	if (continues(importer, file, offset, logical) && open->len + len <= BTRFS_MAX_EXTENT_SIZE) {
		open->len += len;
		open->disk_len += len;
		return 0;
	}
	ret = flush_extent(importer);
	*open = (struct open_extent){
		.tree = file->tree, .ino = file->ino, .offset = offset, .logical = logical, .len = len,
		.disk_len = len,
	};
	return ret;
}

static void count_compressed(struct import_result *result, u8 compression, u64 from, u64 to)
{
	result->compressed_bytes += from;
	result->compressed_to += to;
	result->compression_types |= 1U << compression;
}

int place_compressed(void *arg, struct import_file *file, const struct data_extent *extent)
{
	struct importer *importer = arg;
	struct open_extent *open = &importer->extent;
	int ret = add_hole(importer, file, file->covered, extent->offset);

	if (!ret)
		ret = flush_extent(importer);
	if (ret)
		return ret;
	file->covered = extent->offset + extent->len;
	file->nbytes += extent->len;
	count_compressed(&importer->result, extent->compression, extent->len, extent->disk_len);
	*open = (struct open_extent){
		.tree = file->tree, .ino = file->ino, .offset = extent->offset, .logical = extent->place.bytenr,
		.len = extent->len, .disk_len = extent->disk_len, .compression = extent->compression,
	};
	return flush_extent(importer);
}

int place_shared(void *arg, struct import_file *file, u64 offset, const struct dedupe_place *place, u64 len)
{
	struct importer *importer = arg;
	const struct shared_ref ref = {
		.bytenr = place->bytenr,
		.root = mkfs_subvolume_id(file->tree),
		.ino = file->ino,
		.offset = offset - place->offset,
	};
	struct btrfs_file_extent_item item;
	int ret = add_hole(importer, file, file->covered, offset);

	if (ret)
		return ret;
	file->covered = offset + len;
	file->nbytes += len;
	importer->result.shared_bytes += len;
	btrfs_fill_compressed_extent(&item, MKFS_GENERATION, place->bytenr, place->len, place->ram_len,
				     place->compression);
	item.offset = cpu_to_le64(place->offset);
	item.num_bytes = cpu_to_le64(len);
	ret = add_file_extent(importer, extent_key(file->tree, file->ino, offset), &item);
	return ret ? ret : shared_refs_add(importer->result.refs, &ref);
}

int place_inline(void *arg, struct import_file *file, const void *data, const struct data_segment *segment)
{
	struct importer *importer = arg;
	const u64 len = segment->end;
	const struct log_key key = extent_key(file->tree, file->ino, 0);
	struct btrfs_file_extent_item item;

	file->nbytes += len;
	file->covered = ALIGN_UP(len, importer->layout->sectorsize);
	if (segment->compression)
		count_compressed(&importer->result, segment->compression, len, segment->stored);
	btrfs_fill_inline_extent(&item, MKFS_GENERATION, len, segment->compression);
	return item_log_add(importer->result.fs_items, &key, &item, BTRFS_FILE_EXTENT_INLINE_DATA_START, data,
			    segment->stored);
}

static void name_change(struct importer *importer, const struct import_file *file)
{
	char *path = source_file_path(file->source);

	importer->result.changed_files++;
	if (importer->options.mkfs->on_change == SOURCE_CHANGE_KEEP)
		warning("%s/%s changed while it was read; %llu bytes of %llu were kept",
			importer->options.mkfs->rootdir, path ? path : "a file", (unsigned long long)file->end,
			(unsigned long long)file->size);
	else
		error("%s/%s changed while it was read", importer->options.mkfs->rootdir, path ? path : "a file");
	free(path);
}

/* Nothing more comes for this file: amend its inode. */
static int finish_file(struct importer *importer, struct import_file *file)
{
	const struct inode_amendment amendment = {
		.size = file->end - file->size,		/* wraps around when the file shrank */
		.nbytes = file->nbytes,
	};
	int ret = add_hole(importer, file, file->covered, ALIGN_UP(file->end, importer->layout->sectorsize));

	if (!ret && (amendment.size || amendment.nbytes))
		ret = import_amend(importer, file->tree, file->ino, &amendment);
	if (file->changed)
		name_change(importer, file);
	free_file(importer, file);
	return ret;
}

int place_segment(void *arg, struct import_file *file, const struct data_segment *segment)
{
	struct importer *importer = arg;

	if (segment->state == SOURCE_FILE_CHANGED) {
		file->changed = true;
		file->end = MIN(file->end, segment->end);
	}
	file->segments--;
	if (file->planned && !file->segments)
		return finish_file(importer, file);
	return 0;
}

int place_csums(void *arg, const u8 *csums, u32 nr)
{
	struct importer *importer = arg;

	return spool_append(importer->result.csums, csums, (size_t)nr * importer->layout->csum->size);
}
