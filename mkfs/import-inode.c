// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * INODE_ITEM, XATTR_ITEM and symlink targets of one entry.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/escape.h"
#include "common/message.h"
#include "kernel-shared/dir-item.h"
#include "kernel-shared/file-item.h"
#include "kernel-shared/inode-item.h"
#include "mkfs/importer-internal.h"

/*
 * Reading the source moves its access times, and nobody can give a copy of a tree the change and
 * birth times of the first: an image that must be a function of the tree has none of them.
 */
static struct timespec stamp(const struct importer *importer, const struct source_entry *entry, struct timespec time)
{
	const struct mkfs_options *mkfs = importer->options.mkfs;

	return mkfs_clamp_time(importer->layout, mkfs->seed || mkfs->has_epoch ? entry->mtime : time);
}

static int add_inode_item(struct importer *importer, const struct source_entry *entry, u64 ino)
{
	const struct btrfs_key key = { .objectid = ino, .type = BTRFS_INODE_ITEM_KEY };
	const struct btrfs_inode_meta meta = {
		.generation = MKFS_GENERATION,
		/* a directory's size comes with its names, nbytes of a file with its data */
		.size = S_ISREG(entry->mode) || S_ISLNK(entry->mode) ? entry->size : 0,
		.nbytes = S_ISLNK(entry->mode) ? entry->symlink_len : 0,
		.nlink = 1,
		.uid = entry->uid,
		.gid = entry->gid,
		.mode = entry->mode,
		.rdev = S_ISCHR(entry->mode) || S_ISBLK(entry->mode) ?
			btrfs_make_rdev(entry->rdev_major, entry->rdev_minor) : 0,
		.atime = stamp(importer, entry, entry->atime),
		.ctime = stamp(importer, entry, entry->ctime),
		.mtime = stamp(importer, entry, entry->mtime),
		.otime = stamp(importer, entry, entry->btime),
	};
	struct btrfs_inode_item item;

	btrfs_fill_inode_item(&item, &meta);
	return import_item(importer, &key, &item, sizeof(item), NULL, 0);
}

static int xattr_too_large(const struct importer *importer, const struct source_entry *entry,
			   const struct source_xattr *xattr)
{
	char *path = import_path(importer, entry);
	char *name = escape_bytes(xattr->name, strlen(xattr->name), NULL);

	error("%s: extended attribute %s has %zu bytes; name and value together may have %u at node size %u",
	      path, name ? name : "?", xattr->size, btrfs_max_xattr_size(importer->layout->nodesize),
	      importer->layout->nodesize);
	free(name);
	free(path);
	return -E2BIG;
}

static int add_xattr(struct importer *importer, const struct source_entry *entry, u64 ino,
		     const struct source_xattr *xattr)
{
	const size_t name_len = strlen(xattr->name);
	const struct btrfs_key key = {
		.objectid = ino, .type = BTRFS_XATTR_ITEM_KEY, .offset = btrfs_name_hash(xattr->name, name_len),
	};
	u8 *payload;
	int ret;

	if (name_len > BTRFS_NAME_LEN || xattr->size > btrfs_max_xattr_size(importer->layout->nodesize) ||
	    name_len + xattr->size > btrfs_max_xattr_size(importer->layout->nodesize))
		return xattr_too_large(importer, entry, xattr);
	payload = malloc(sizeof(struct btrfs_dir_item) + name_len);
	if (!payload)
		return -ENOMEM;
	btrfs_fill_xattr_item((struct btrfs_dir_item *)payload, MKFS_GENERATION, (u16)name_len, (u16)xattr->size);
	memcpy(payload + sizeof(struct btrfs_dir_item), xattr->name, name_len);
	ret = import_item(importer, &key, payload, sizeof(struct btrfs_dir_item) + name_len, xattr->value,
			  xattr->size);
	free(payload);
	return ret;
}

static int add_symlink_target(struct importer *importer, const struct source_entry *entry, u64 ino)
{
	const struct btrfs_key key = { .objectid = ino, .type = BTRFS_EXTENT_DATA_KEY };
	const u32 limit = btrfs_max_symlink(importer->layout->nodesize);
	struct btrfs_file_extent_item item;

	if (entry->symlink_len > limit) {
		char *path = import_path(importer, entry);

		error("%s: the symlink's target has %zu bytes; at node size %u the limit is %u", path,
		      entry->symlink_len, importer->layout->nodesize, limit);
		free(path);
		return -ENAMETOOLONG;
	}
	btrfs_fill_inline_extent(&item, MKFS_GENERATION, entry->symlink_len);
	return import_item(importer, &key, &item, BTRFS_FILE_EXTENT_INLINE_DATA_START, entry->symlink,
			   entry->symlink_len);
}

int import_inode(struct importer *importer, const struct source_entry *entry, u64 ino)
{
	size_t i;
	int ret = add_inode_item(importer, entry, ino);

	for (i = 0; !ret && i < entry->nr_xattrs; i++)
		ret = add_xattr(importer, entry, ino, &entry->xattrs[i]);
	if (!ret && S_ISLNK(entry->mode))
		ret = add_symlink_target(importer, entry, ino);
	return ret;
}

int import_amend(struct importer *importer, u32 tree, u64 ino, const struct inode_amendment *amendment)
{
	const struct log_key key = { .tree = tree, .key = { .objectid = ino, .type = BTRFS_INODE_ITEM_KEY } };

	return item_log_add(importer->result.fs_items, &key, amendment, sizeof(*amendment), NULL, 0);
}
