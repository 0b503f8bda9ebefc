/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The importer's parts: importer.c (the run), import-names.c (directory entries and back
 * references), import-subvolume.c (directories that become subvolumes), import-inode.c (inode items and
 * attributes), import-data.c (segments and extents).
 */
#ifndef BO_MKFS_IMPORTER_INTERNAL_H
#define BO_MKFS_IMPORTER_INTERNAL_H

#include "mkfs/importer.h"
#include "mkfs/link-table.h"

/* A name of the current directory, for the check of equal hashes. */
struct name_hash {
	u32 hash;
	u32 size;		/* of its entry in the DIR_ITEM */
};

/* The directory whose entries are coming in: they come one after the other. */
struct current_dir {
	u32 tree;
	u64 ino;		/* 0: none */
	u64 next_index;
	u64 size;		/* i_size: twice the length of each name */
	char *path;		/* printable, for errors */
	struct name_hash *hashes;
	size_t nr_hashes;
	size_t max_hashes;
};

/* Data that may still grow into one EXTENT_DATA item. */
struct open_extent {
	u32 tree;
	u64 ino;		/* 0: none */
	u64 offset;
	u64 logical;
	u64 len;
	u64 disk_len;		/* the same, unless it is compressed: then it is complete */
	u8 compression;
};

struct importer {
	struct importer_options options;
	const struct mkfs_layout *layout;
	struct pipeline *pipeline;
	struct source *source;
	struct import_result result;
	struct link_table links;
	u32 tree;				/* that the entry at hand is in */
	struct current_dir dir;
	struct open_extent extent;
	struct data_block *regular;	/* being filled, or NULL */
	struct data_block *inline_files;
	struct import_file *files;		/* under way */
	u32 max_inline;
};

/* Full printable path of an entry; for messages. The caller frees it. */
char *import_path(const struct importer *importer, const struct source_entry *entry);

/* One item of the tree at hand, as item_log_add() takes it. */
int import_item(struct importer *importer, const struct btrfs_key *key, const void *head, size_t head_len,
		const void *tail, size_t tail_len);

/* import-names.c */
int import_name(struct importer *importer, const struct source_entry *entry, u64 ino, struct link_entry *link);
/* The name of a subvolume: its location is a tree, and nothing refers back from there. *index is its DIR_INDEX. */
int import_subvolume_name(struct importer *importer, const struct source_entry *entry, u64 id, u64 *index);
int import_finish_dir(struct importer *importer);
int import_root_ref(struct importer *importer);

/* import-subvolume.c: the name, and the new tree, which is at hand from then on. */
int import_subvolume(struct importer *importer, const struct source_entry *entry);

/* import-inode.c */
int import_inode(struct importer *importer, const struct source_entry *entry, u64 ino);
/* BTRFS_INODE_* */
u64 import_inode_flags(const struct source_entry *entry);
/* What is to be tried with the file's data. */
struct compression import_compression(const struct importer *importer, const struct source_entry *entry);
int import_amend(struct importer *importer, u32 tree, u64 ino, const struct inode_amendment *amendment);

/* import-verity.c */
int import_verity(struct importer *importer, const struct source_entry *entry, u64 ino);

/* import-data.c */
int import_data(struct importer *importer, const struct source_entry *entry, u64 ino);
int import_finish_data(struct importer *importer);
/* After a failure: blocks that were not submitted, before the pipeline ends; files, after it. */
void import_abandon_data(struct importer *importer);
void import_free_files(struct importer *importer);
int place_extent(void *arg, struct import_file *file, u64 offset, u64 logical, u64 len);
int place_shared(void *arg, struct import_file *file, u64 offset, const struct dedupe_place *place, u64 len);
int place_compressed(void *arg, struct import_file *file, const struct data_extent *extent);
int place_inline(void *arg, struct import_file *file, const void *data, const struct data_segment *segment);
int place_segment(void *arg, struct import_file *file, const struct data_segment *segment);
int place_csums(void *arg, const u8 *csums, u32 nr);

#endif
