// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The run over the source: one entry after the other. See importer.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "kernel-shared/file-item.h"
#include "mkfs/importer-internal.h"

static void result_release(struct import_result *result)
{
	mkfs_subvolumes_release(&result->subvolumes);
	item_log_destroy(result->fs_items);
	spool_destroy(result->extents);
	spool_destroy(result->csums);
	shared_refs_destroy(result->refs);
	spool_destroy(result->unsummed);
}

static int result_init(struct import_result *result, const struct mkfs_layout *layout, u64 memory)
{
	int ret = mkfs_subvolumes_init(&result->subvolumes, layout->subvolume_uuid);

	if (!ret)
		ret = item_log_create(&result->fs_items, memory / 8 * 5);
	if (!ret)
		ret = spool_create(&result->extents, memory / 8);
	if (!ret)
		ret = spool_create(&result->csums, memory / 16);
	if (!ret)
		ret = spool_create(&result->unsummed, memory / 16);
	return ret;
}

int importer_create(struct importer **out, const struct importer_options *options)
{
	struct importer *importer = calloc(1, sizeof(*importer));
	struct pipeline_options pipeline = options->pipeline;
	int ret;

	if (!importer)
		return -ENOMEM;
	importer->options = *options;
	importer->layout = options->layout;
	importer->max_inline = btrfs_max_inline(options->layout->nodesize, options->layout->sectorsize);
	pipeline.ops = (struct place_ops){
		.extent = place_extent,
		.compressed = place_compressed,
		.shared = place_shared,
		.inline_data = place_inline,
		.segment = place_segment,
		.csums = place_csums,
		.arg = importer,
	};
	ret = result_init(&importer->result, options->layout, options->metadata_memory);
	if (!ret && pipeline.dedupe)
		ret = shared_refs_create(&importer->result.refs, options->metadata_memory / 8);
	if (!ret)
		ret = pipeline_create(&importer->pipeline, &pipeline);
	if (ret) {
		importer_destroy(importer);
		return ret;
	}
	*out = importer;
	return 0;
}

void importer_destroy(struct importer *importer)
{
	if (!importer)
		return;
	import_abandon_data(importer);
	pipeline_destroy(importer->pipeline);
	import_free_files(importer);
	source_destroy(importer->source);
	result_release(&importer->result);
	link_table_release(&importer->links);
	free(importer->dir.path);
	free(importer->dir.hashes);
	free(importer);
}

const struct import_result *importer_result(const struct importer *importer)
{
	return &importer->result;
}

u64 importer_bytes(const struct importer *importer)
{
	return pipeline_bytes(importer->pipeline);
}

char *import_path(const struct importer *importer, const struct source_entry *entry)
{
	char *relative = source_entry_path(entry), *path = NULL;

	if (relative && asprintf(&path, "%s/%s", importer->options.mkfs->rootdir, relative) < 0)
		path = NULL;
	free(relative);
	return path ? path : strdup("(out of memory)");
}

/* ---- entries ---- */

int import_item(struct importer *importer, const struct btrfs_key *key, const void *head, size_t head_len,
		const void *tail, size_t tail_len)
{
	const struct log_key log_key = { .tree = importer->tree, .key = *key };

	return item_log_add(importer->result.fs_items, &log_key, head, head_len, tail, tail_len);
}

static void count_entry(struct import_result *result, const struct source_entry *entry)
{
	if (S_ISDIR(entry->mode))
		result->directories++;
	else if (S_ISREG(entry->mode))
		result->files++;
}

static int new_inode(struct importer *importer, const struct source_entry *entry, struct link_entry *link)
{
	struct import_result *result = &importer->result;
	u64 ino = result->subvolumes.list[importer->tree].next_ino++;
	int ret;

	if (link) {
		link->ino = ino;
		link->nlink = 1;
		result->split_links += link->split;
	}
	count_entry(result, entry);
	if (entry->dir)
		source_dir_set_cookie(entry->dir, (struct source_cookie){ .ino = ino, .tree = importer->tree });
	if (entry->parent && !entry->subvolume)
		ret = import_name(importer, entry, ino, link);
	else
		ret = import_root_ref(importer);
	if (!ret)
		ret = import_inode(importer, entry, ino);
	if (!ret && entry->verity)
		ret = import_verity(importer, entry, ino);
	if (!ret && entry->file && entry->size)
		return import_data(importer, entry, ino);
	source_file_put(entry->file);
	return ret;
}

static int another_name(struct importer *importer, const struct source_entry *entry, struct link_entry *link)
{
	const struct inode_amendment amendment = { .nlink = 1 };
	int ret;

	source_file_put(entry->file);
	if (link->nlink == BTRFS_LINK_MAX) {
		char *path = import_path(importer, entry);

		error("%s: the file has more than %u names in this tree, a btrfs inode can have no more", path,
		      BTRFS_LINK_MAX);
		free(path);
		return -EMLINK;
	}
	link->nlink++;
	importer->result.hard_links++;
	ret = import_name(importer, entry, link->ino, link);
	return ret ? ret : import_amend(importer, importer->tree, link->ino, &amendment);
}

static int import_entry(struct importer *importer, const struct source_entry *entry)
{
	struct link_entry *link = NULL;

	importer->result.entries++;
	importer->tree = entry->parent ? source_dir_cookie(entry->parent).tree : SUBVOLUME_TOP;
	if (importer->options.pipeline.tick && !(importer->result.entries & 63))
		importer->options.pipeline.tick(importer->options.pipeline.tick_arg);
	if (entry->subvolume) {
		int ret = import_subvolume(importer, entry);

		if (ret)
			return ret;
	}
	if (entry->nlink > 1 && !S_ISDIR(entry->mode)) {
		link = link_table_find(&importer->links, entry->link_dev, entry->link_ino, importer->tree);
		if (!link) {
			source_file_put(entry->file);
			return -ENOMEM;
		}
		if (link->ino)
			return another_name(importer, entry, link);
	}
	return new_inode(importer, entry, link);
}

/* Without a source: a root directory as mkfs.btrfs makes it. */
static int import_empty_root(struct importer *importer)
{
	const struct timespec now = importer->layout->now;
	const struct source_entry root = {
		.name = "", .mode = S_IFDIR | 0755, .nlink = 1,
		.atime = now, .mtime = now, .ctime = now, .btime = now,
	};

	importer->result.entries++;
	return new_inode(importer, &root, NULL);
}

static bool stopped(const struct importer *importer)
{
	return importer->options.mkfs->stop && *importer->options.mkfs->stop;
}

static int import_tree(struct importer *importer)
{
	const struct source_entry *entry;
	int ret;

	while ((ret = source_next(importer->source, &entry)) > 0) {
		ret = import_entry(importer, entry);
		if (ret)
			return ret;
		if (stopped(importer))
			return -EINTR;
	}
	return ret;
}

/* Changes of the source during the run are an error unless they may stay; each was named already. */
static int judge_changes(const struct importer *importer)
{
	const struct mkfs_options *mkfs = importer->options.mkfs;
	u64 changes = importer->result.changed_files;

	if (importer->source)
		changes += source_changes(importer->source);
	if (!changes || (mkfs->on_change == SOURCE_CHANGE_KEEP && !mkfs->strict))
		return 0;
	error("%s changed while it was read (%llu files, named above); read it again when it is quiet, "
	      "or take it as it is with --on-change keep",
	      mkfs->rootdir, (unsigned long long)changes);
	return -EBUSY;
}

int importer_run(struct importer *importer)
{
	const struct mkfs_options *mkfs = importer->options.mkfs;
	int ret;

	ret = mkfs->rootdir ? import_tree(importer) : import_empty_root(importer);
	if (!ret)
		ret = import_finish_dir(importer);
	if (!ret)
		ret = import_finish_data(importer);
	return ret ? ret : judge_changes(importer);
}

void importer_set_source(struct importer *importer, struct source *source)
{
	importer->source = source;
}
