/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From source entries to items of the file tree: inode numbers, names, links, attributes, and the
 * plan of what data to read. Drives the data pipeline. Belongs to one thread.
 */
#ifndef BO_MKFS_IMPORTER_H
#define BO_MKFS_IMPORTER_H

#include "mkfs/item-log.h"
#include "mkfs/pipeline.h"
#include "mkfs/shared-refs.h"
#include "mkfs/spool.h"
#include "mkfs/subvolumes.h"

/* Everything that the trees are made of later. */
struct import_result {
	struct mkfs_subvolumes subvolumes;	/* with the top level: every tree of files */
	struct item_log *fs_items;	/* of these trees */
	struct spool *extents;		/* struct placed_extent, ascending by bytenr */
	u64 nr_extents;
	struct shared_refs *refs;	/* NULL without deduplication */
	struct spool *shared_refs;	/* struct shared_ref by bytenr, then in the order of their making */
	u64 shared_bytes;
	u64 compressed_bytes;		/* of files */
	u64 compressed_to;		/* what became of them */
	u32 compression_types;		/* a bit (1 << type) for each kind that is there */
	struct spool *csums;		/* of all sectors of data space, in the order of addresses */
	struct spool *unsummed;		/* struct unsummed_range, ascending: data that gets no checksums */
	u64 nr_unsummed;
	u64 entries;
	u64 files;
	u64 directories;
	u64 hard_links;
	u64 split_links;	/* inodes made because another subvolume has a name of the same file */
	u64 changed_files;
	u64 verity_files;
};

/* A data extent: what its EXTENT_ITEM needs. */
struct placed_extent {
	u64 bytenr;
	u64 len;		/* on disk */
	u64 root;		/* id of the file's tree */
	u64 ino;
	u64 offset;		/* in the file */
};

/* Data of a nodatasum or nodatacow file. */
struct unsummed_range {
	u64 bytenr;
	u64 len;
};

struct importer;

struct importer_options {
	const struct mkfs_layout *layout;
	const struct mkfs_options *mkfs;
	struct pipeline_options pipeline;	/* all but ->ops */
	u64 metadata_memory;
};

/* Returns 0 or -ENOMEM. */
int importer_create(struct importer **importer, const struct importer_options *options);
/* NULL is fine; also ends the pipeline and frees the result. */
void importer_destroy(struct importer *importer);

/* The iterator over options->mkfs->rootdir; the importer takes it over. */
void importer_set_source(struct importer *importer, struct source *source);

/* The whole tree at options->mkfs->rootdir, or only a root directory when that is NULL. 0, or -errno printed. */
int importer_run(struct importer *importer);

const struct import_result *importer_result(const struct importer *importer);
u64 importer_bytes(const struct importer *importer);

#endif
