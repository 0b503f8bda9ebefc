// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * INODE_ITEM, XATTR_ITEM and symlink targets of one entry.
 */
#include <errno.h>
#include <linux/fs.h>
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
 * birth times of the first: an image that must be a function of the tree has none of them, unless they are @fixed.
 */
static struct timespec stamp(const struct importer *importer, const struct source_entry *entry, struct timespec time,
			     bool fixed)
{
	const struct mkfs_options *mkfs = importer->options.mkfs;
	const bool pure = mkfs->seed || mkfs->has_epoch;

	return mkfs_clamp_time(importer->layout, pure && !fixed ? entry->mtime : time);
}

/* The flags of chattr(1) that btrfs has too, as its own ioctl takes them. */
static u64 flags_of_attributes(u32 attributes)
{
	static const struct {
		u32 attribute;
		u64 flag;
	} table[] = {
		{ FS_SYNC_FL, BTRFS_INODE_SYNC },
		{ FS_IMMUTABLE_FL, BTRFS_INODE_IMMUTABLE },
		{ FS_APPEND_FL, BTRFS_INODE_APPEND },
		{ FS_NODUMP_FL, BTRFS_INODE_NODUMP },
		{ FS_NOATIME_FL, BTRFS_INODE_NOATIME },
		{ FS_DIRSYNC_FL, BTRFS_INODE_DIRSYNC },
	};
	u64 flags = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (attributes & table[i].attribute)
			flags |= table[i].flag;
	}
	return flags;
}

u64 import_inode_flags(const struct source_entry *entry)
{
	u64 flags = flags_of_attributes(entry->attr_flags);

	if (!S_ISREG(entry->mode) && !S_ISDIR(entry->mode))
		return 0;
	if (entry->nodatacow)
		flags |= BTRFS_INODE_NODATACOW;
	if (entry->nodatasum || (entry->nodatacow && S_ISREG(entry->mode)))
		flags |= BTRFS_INODE_NODATASUM;
	if (entry->verity)
		flags |= BTRFS_INODE_RO_VERITY;
	if (entry->attr_flags & FS_NOCOMP_FL)
		flags |= BTRFS_INODE_NOCOMPRESS;
	else if (entry->attr_flags & FS_COMPR_FL && !(flags & (BTRFS_INODE_NODATACOW | BTRFS_INODE_NODATASUM)))
		flags |= BTRFS_INODE_COMPRESS;
	return flags;
}

/* What the property asks for; false: there is none, or nothing that this program knows. */
static bool property_of(const struct source_entry *entry, struct compression *out)
{
	size_t i;

	for (i = 0; i < entry->nr_xattrs; i++) {
		const struct source_xattr *xattr = &entry->xattrs[i];

		if (!strcmp(xattr->name, COMPRESSION_PROPERTY))
			return !compression_parse(xattr->value, xattr->size, out);
	}
	return false;
}

struct compression import_compression(const struct importer *importer, const struct source_entry *entry)
{
	const struct compression none = { .type = COMPRESSION_NONE }, asked = importer->options.mkfs->compress;
	const u64 flags = import_inode_flags(entry);
	struct compression property;

	if (flags & (BTRFS_INODE_NODATACOW | BTRFS_INODE_NODATASUM))
		return none;
	if (entry->compress)
		return *entry->compress;
	if (!asked.type || flags & BTRFS_INODE_NOCOMPRESS)
		return none;
	return property_of(entry, &property) && property.type != asked.type ? property : asked;
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
		.flags = import_inode_flags(entry),
		.atime = stamp(importer, entry, entry->atime, entry->fixed_atime),
		.ctime = stamp(importer, entry, entry->ctime, entry->fixed_ctime),
		.mtime = stamp(importer, entry, entry->mtime, true),
		.otime = stamp(importer, entry, entry->btime, entry->fixed_btime),
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

	error("%s: extended attribute %s has %zu bytes; name and value together may have %u at node size %u; "
	      "leave it out with --xattr-exclude%s", path, name ? name : "?", xattr->size,
	      btrfs_max_xattr_size(importer->layout->nodesize), importer->layout->nodesize,
	      importer->layout->nodesize < SZ_64K ? ", or choose a larger node size with -n" : "");
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
	btrfs_fill_inline_extent(&item, MKFS_GENERATION, entry->symlink_len, COMPRESSION_NONE);
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
