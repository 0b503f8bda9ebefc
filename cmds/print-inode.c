// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Items of files and directories: see print-item.h.
 */
#include <stdio.h>

#include "cmds/print-item.h"
#include "cmds/print-text.h"

/* More of a value than this is cut off in the listing. */
enum { MAX_VALUE = 256 };

static const struct flag_name inode_flags[] = {
	{ BTRFS_INODE_NODATASUM, "NODATASUM" },
	{ BTRFS_INODE_NODATACOW, "NODATACOW" },
	{ BTRFS_INODE_READONLY, "READONLY" },
	{ BTRFS_INODE_NOCOMPRESS, "NOCOMPRESS" },
	{ BTRFS_INODE_PREALLOC, "PREALLOC" },
	{ BTRFS_INODE_SYNC, "SYNC" },
	{ BTRFS_INODE_IMMUTABLE, "IMMUTABLE" },
	{ BTRFS_INODE_APPEND, "APPEND" },
	{ BTRFS_INODE_NODUMP, "NODUMP" },
	{ BTRFS_INODE_NOATIME, "NOATIME" },
	{ BTRFS_INODE_DIRSYNC, "DIRSYNC" },
	{ BTRFS_INODE_COMPRESS, "COMPRESS" },
	{ BTRFS_INODE_ROOT_ITEM_INIT, "ROOT_ITEM_INIT" },
	{ BTRFS_INODE_RO_VERITY, "VERITY" },
	{ 0, NULL },
};

static void print_time(const char *name, const struct btrfs_timespec *time)
{
	printf("\t\t%s ", name);
	print_timespec(time);
	putchar('\n');
}

static void print_inode_item(const struct item_view *item)
{
	const struct btrfs_inode_item *inode = (const void *)item->data;

	printf("\t\tgeneration %llu transid %llu size %llu nbytes %llu\n",
	       (unsigned long long)le64_to_cpu(inode->generation),
	       (unsigned long long)le64_to_cpu(inode->transid), (unsigned long long)le64_to_cpu(inode->size),
	       (unsigned long long)le64_to_cpu(inode->nbytes));
	printf("\t\tblock group %llu mode %o links %u uid %u gid %u rdev %llu\n",
	       (unsigned long long)le64_to_cpu(inode->block_group), le32_to_cpu(inode->mode),
	       le32_to_cpu(inode->nlink), le32_to_cpu(inode->uid), le32_to_cpu(inode->gid),
	       (unsigned long long)le64_to_cpu(inode->rdev));
	printf("\t\tsequence %llu flags ", (unsigned long long)le64_to_cpu(inode->sequence));
	print_flags(le64_to_cpu(inode->flags), inode_flags);
	putchar('\n');
	print_time("atime", &inode->atime);
	print_time("ctime", &inode->ctime);
	print_time("mtime", &inode->mtime);
	print_time("otime", &inode->otime);
}

/* A name of @len bytes at @pos, as far as the item goes. Returns the bytes behind it that are left. */
static u32 print_name(const u8 *pos, u32 left, u32 len)
{
	if (len > left) {
		printf(" name cut off: %u of %u bytes\n", left, len);
		return 0;
	}
	fputs(" name: ", stdout);
	print_bytes(pos, len, len);
	putchar('\n');
	return left - len;
}

static void print_inode_ref(const struct item_view *item)
{
	const u8 *pos = item->data;
	u32 left = item->size;

	while (left >= sizeof(struct btrfs_inode_ref)) {
		const struct btrfs_inode_ref *ref = (const void *)pos;
		const u32 len = le16_to_cpu(ref->name_len);

		printf("\t\tindex %llu namelen %u", (unsigned long long)le64_to_cpu(ref->index), len);
		left = print_name(pos + sizeof(*ref), left - (u32)sizeof(*ref), len);
		pos += sizeof(*ref) + len;
	}
}

static void print_inode_extref(const struct item_view *item)
{
	const u8 *pos = item->data;
	u32 left = item->size;

	while (left >= sizeof(struct btrfs_inode_extref)) {
		const struct btrfs_inode_extref *ref = (const void *)pos;
		const u32 len = le16_to_cpu(ref->name_len);

		printf("\t\tindex %llu parent %llu namelen %u", (unsigned long long)le64_to_cpu(ref->index),
		       (unsigned long long)le64_to_cpu(ref->parent_objectid), len);
		left = print_name(pos + sizeof(*ref), left - (u32)sizeof(*ref), len);
		pos += sizeof(*ref) + len;
	}
}

static const char *file_type_name(u8 type)
{
	static const char *const names[] = {
		"UNKNOWN", "FILE", "DIR", "CHRDEV", "BLKDEV", "FIFO", "SOCK", "SYMLINK", "XATTR",
	};

	return type < ARRAY_SIZE(names) ? names[type] : "INVALID";
}

static u32 print_value(const u8 *pos, u32 left, u32 len)
{
	if (!len)
		return left;
	if (len > left) {
		printf("\t\tdata cut off: %u of %u bytes\n", left, len);
		return 0;
	}
	fputs("\t\tdata ", stdout);
	print_bytes(pos, len, MAX_VALUE);
	putchar('\n');
	return left - len;
}

/* DIR_ITEM, DIR_INDEX, XATTR_ITEM: entries one after the other. */
static void print_dir_item(const struct item_view *item)
{
	const u8 *pos = item->data;
	u32 left = item->size;

	while (left >= sizeof(struct btrfs_dir_item)) {
		const struct btrfs_dir_item *entry = (const void *)pos;
		const struct btrfs_key location = btrfs_disk_key_to_cpu(&entry->location);
		const u32 name_len = le16_to_cpu(entry->name_len);
		const u32 data_len = le16_to_cpu(entry->data_len);

		printf("\t\tlocation key %s type %s\n", btrfs_format_key(&location).text,
		       file_type_name(entry->type & 0x7f));
		printf("\t\ttransid %llu data_len %u name_len %u",
		       (unsigned long long)le64_to_cpu(entry->transid), data_len, name_len);
		left = print_name(pos + sizeof(*entry), left - (u32)sizeof(*entry), name_len);
		if (left)
			left = print_value(pos + sizeof(*entry) + name_len, left, data_len);
		pos += sizeof(*entry) + name_len + data_len;
	}
}

static void print_dir_log(const struct item_view *item)
{
	const struct btrfs_dir_log_item *log = (const void *)item->data;

	printf("\t\tdir log end %llu\n", (unsigned long long)le64_to_cpu(log->end));
}

static void print_orphan(const struct item_view *item)
{
	(void)item;
	puts("\t\torphan item");
}

static void print_verity(const struct item_view *item)
{
	printf("\t\tverity, %u bytes\n", item->size);
}

static const char *compression_name(u8 compression)
{
	static const char *const names[] = { "none", "zlib", "lzo", "zstd" };

	return compression < ARRAY_SIZE(names) ? names[compression] : "unknown";
}

static void print_extent_location(const struct btrfs_file_extent_item *extent)
{
	printf("\t\t%s data disk byte %llu nr %llu\n",
	       extent->type == BTRFS_FILE_EXTENT_PREALLOC ? "prealloc" : "extent",
	       (unsigned long long)le64_to_cpu(extent->disk_bytenr),
	       (unsigned long long)le64_to_cpu(extent->disk_num_bytes));
	printf("\t\t%s data offset %llu nr %llu ram %llu\n",
	       extent->type == BTRFS_FILE_EXTENT_PREALLOC ? "prealloc" : "extent",
	       (unsigned long long)le64_to_cpu(extent->offset),
	       (unsigned long long)le64_to_cpu(extent->num_bytes),
	       (unsigned long long)le64_to_cpu(extent->ram_bytes));
}

static void print_file_extent(const struct item_view *item)
{
	static const char *const types[] = { "inline", "regular", "prealloc" };
	const struct btrfs_file_extent_item *extent = (const void *)item->data;
	const u32 head = offsetof(struct btrfs_file_extent_item, disk_bytenr);

	printf("\t\tgeneration %llu type %u (%s)\n", (unsigned long long)le64_to_cpu(extent->generation),
	       extent->type, extent->type < ARRAY_SIZE(types) ? types[extent->type] : "unknown");
	if (extent->type == BTRFS_FILE_EXTENT_INLINE)
		printf("\t\tinline extent data size %u ram_bytes %llu\n", item->size - head,
		       (unsigned long long)le64_to_cpu(extent->ram_bytes));
	else if (item->size >= sizeof(*extent))
		print_extent_location(extent);
	printf("\t\textent compression %u (%s)\n", extent->compression,
	       compression_name(extent->compression));
}

const struct item_printer inode_item_printers[] = {
	{ BTRFS_INODE_ITEM_KEY, sizeof(struct btrfs_inode_item), print_inode_item },
	{ BTRFS_INODE_REF_KEY, sizeof(struct btrfs_inode_ref), print_inode_ref },
	{ BTRFS_INODE_EXTREF_KEY, sizeof(struct btrfs_inode_extref), print_inode_extref },
	{ BTRFS_DIR_ITEM_KEY, sizeof(struct btrfs_dir_item), print_dir_item },
	{ BTRFS_DIR_INDEX_KEY, sizeof(struct btrfs_dir_item), print_dir_item },
	{ BTRFS_XATTR_ITEM_KEY, sizeof(struct btrfs_dir_item), print_dir_item },
	{ BTRFS_DIR_LOG_ITEM_KEY, sizeof(struct btrfs_dir_log_item), print_dir_log },
	{ BTRFS_DIR_LOG_INDEX_KEY, sizeof(struct btrfs_dir_log_item), print_dir_log },
	{ BTRFS_ORPHAN_ITEM_KEY, 0, print_orphan },
	{ BTRFS_VERITY_DESC_ITEM_KEY, 0, print_verity },
	{ BTRFS_VERITY_MERKLE_ITEM_KEY, 0, print_verity },
	{ BTRFS_EXTENT_DATA_KEY, offsetof(struct btrfs_file_extent_item, disk_bytenr), print_file_extent },
	{ 0, 0, NULL },
};
