// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names: DIR_ITEM and DIR_INDEX in the directory, INODE_REF or INODE_EXTREF at the inode.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "kernel-shared/dir-item.h"
#include "kernel-shared/inode-item.h"
#include "mkfs/importer-internal.h"

#define FIRST_DIR_INDEX	2	/* 0 and 1 stand for . and .. */

static int by_hash(const void *a, const void *b)
{
	const struct name_hash *x = a, *y = b;

	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

/* Names with one hash share one item, and that must fit a leaf. */
static int check_hashes(const struct importer *importer, struct current_dir *dir)
{
	const u32 limit = btrfs_max_dir_item_total(importer->layout->nodesize);
	u64 total = 0;
	size_t i;

	qsort(dir->hashes, dir->nr_hashes, sizeof(*dir->hashes), by_hash);
	for (i = 0; i < dir->nr_hashes; i++) {
		if (i && dir->hashes[i].hash != dir->hashes[i - 1].hash)
			total = 0;
		total += dir->hashes[i].size;
		if (total > limit) {
			error("%s: too many names with the same hash (0x%08x) in one directory: their entries "
			      "need more than %u bytes, the limit at node size %u; rename some of them or "
			      "choose a larger node size with -n",
			      dir->path, dir->hashes[i].hash, limit, importer->layout->nodesize);
			return -EOVERFLOW;
		}
	}
	return 0;
}

int import_finish_dir(struct importer *importer)
{
	struct current_dir *dir = &importer->dir;
	struct inode_amendment amendment = { .size = dir->size };
	int ret;

	if (!dir->ino)
		return 0;
	ret = check_hashes(importer, dir);
	if (!ret)
		ret = import_amend(importer, dir->tree, dir->ino, &amendment);
	dir->ino = 0;
	dir->size = 0;
	dir->nr_hashes = 0;
	free(dir->path);
	dir->path = NULL;
	return ret;
}

static int enter_dir(struct importer *importer, const struct source_entry *entry)
{
	struct current_dir *dir = &importer->dir;
	const struct source_cookie parent = source_dir_cookie(entry->parent);
	int ret;

	if (dir->ino == parent.ino && dir->tree == parent.tree)
		return 0;
	ret = import_finish_dir(importer);
	if (ret)
		return ret;
	dir->tree = parent.tree;
	dir->ino = parent.ino;
	dir->next_index = FIRST_DIR_INDEX;
	dir->path = source_dir_path(entry->parent);
	return dir->path ? 0 : -ENOMEM;
}

static int note_hash(struct current_dir *dir, u32 hash, u32 size)
{
	if (dir->nr_hashes == dir->max_hashes) {
		size_t want = dir->max_hashes ? dir->max_hashes * 2 : 256;
		struct name_hash *grown = realloc(dir->hashes, want * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		dir->hashes = grown;
		dir->max_hashes = want;
	}
	dir->hashes[dir->nr_hashes++] = (struct name_hash){ .hash = hash, .size = size };
	return 0;
}

/* *index is that of the name. @location: what it leads to. */
static int add_dir_items(struct importer *importer, const struct source_entry *entry,
			 const struct btrfs_key *location, u64 *index)
{
	struct current_dir *dir = &importer->dir;
	const u64 hash = btrfs_name_hash(entry->name, entry->name_len);
	struct btrfs_key key = { .objectid = dir->ino, .type = BTRFS_DIR_ITEM_KEY, .offset = hash };
	struct btrfs_dir_item item;
	int ret;

	*index = dir->next_index++;
	dir->size += 2 * entry->name_len;
	ret = note_hash(dir, (u32)hash, btrfs_dir_item_size(entry->name_len, 0));
	if (ret)
		return ret;
	btrfs_fill_dir_item(&item, location, MKFS_GENERATION, btrfs_mode_to_ftype(entry->mode), (u16)entry->name_len);
	ret = import_item(importer, &key, &item, sizeof(item), entry->name, entry->name_len);
	if (ret)
		return ret;
	key.type = BTRFS_DIR_INDEX_KEY;
	key.offset = *index;
	return import_item(importer, &key, &item, sizeof(item), entry->name, entry->name_len);
}

static int add_extref(struct importer *importer, const struct source_entry *entry, u64 ino, u64 index)
{
	const u64 parent = importer->dir.ino;
	const struct btrfs_key key = {
		.objectid = ino,
		.type = BTRFS_INODE_EXTREF_KEY,
		.offset = btrfs_extref_hash(parent, entry->name, entry->name_len),
	};
	const struct btrfs_inode_extref ref = {
		.parent_objectid = cpu_to_le64(parent),
		.index = cpu_to_le64(index),
		.name_len = cpu_to_le16((u16)entry->name_len),
	};

	if (!layout_has_extref(importer->layout)) {
		char *path = import_path(importer, entry);

		error("%s: too many hard links to one file in this directory without the feature extref", path);
		free(path);
		return -EMLINK;
	}
	return import_item(importer, &key, &ref, sizeof(ref), entry->name, entry->name_len);
}

/* True when the name still fits the INODE_REF item of this inode and directory. */
static bool ref_fits(const struct importer *importer, const struct source_entry *entry, struct link_entry *link)
{
	u32 size = btrfs_inode_ref_size(entry->name_len);

	if (!link)
		return true;
	if (link->parent != importer->dir.ino) {
		link->parent = importer->dir.ino;
		link->ref_bytes = 0;
	}
	if (link->ref_bytes + size > btrfs_max_dir_item_total(importer->layout->nodesize))
		return false;
	link->ref_bytes += size;
	return true;
}

static int add_ref(struct importer *importer, u64 ino, u64 parent, u64 index, const char *name, size_t len)
{
	const struct btrfs_key key = { .objectid = ino, .type = BTRFS_INODE_REF_KEY, .offset = parent };
	const struct btrfs_inode_ref ref = {
		.index = cpu_to_le64(index),
		.name_len = cpu_to_le16((u16)len),
	};

	return import_item(importer, &key, &ref, sizeof(ref), name, len);
}

int import_name(struct importer *importer, const struct source_entry *entry, u64 ino, struct link_entry *link)
{
	const struct btrfs_key location = { .objectid = ino, .type = BTRFS_INODE_ITEM_KEY };
	struct current_dir *dir = &importer->dir;
	u64 index;
	int ret = enter_dir(importer, entry);

	if (!ret)
		ret = add_dir_items(importer, entry, &location, &index);
	if (ret)
		return ret;
	if (!ref_fits(importer, entry, link))
		return add_extref(importer, entry, ino, index);
	return add_ref(importer, ino, dir->ino, index, entry->name, entry->name_len);
}

int import_subvolume_name(struct importer *importer, const struct source_entry *entry, u64 id, u64 *index)
{
	const struct btrfs_key location = { .objectid = id, .type = BTRFS_ROOT_ITEM_KEY };
	int ret = enter_dir(importer, entry);

	return ret ? ret : add_dir_items(importer, entry, &location, index);
}

int import_root_ref(struct importer *importer)
{
	return add_ref(importer, BTRFS_FIRST_FREE_OBJECTID, BTRFS_FIRST_FREE_OBJECTID, 0, "..", 2);
}
