// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fs-verity of one file: its descriptor and Merkle tree as the source has them, in items. They hold for the bytes
 * of the file, whatever the filesystem.
 */
#include <errno.h>
#include <linux/fsverity.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "mkfs/importer-internal.h"

/* The kernel cuts both into pieces of that size. */
#define VERITY_PIECE		2048
#define VERITY_READ		SZ_64K
#define VERITY_SIGNATURE_MAX	(SZ_16K - sizeof(struct fsverity_descriptor))
#define VERITY_SIG_SIZE_OFFSET	4	/* le32 in the descriptor that is stored; the kernel tells it as 0 */

struct verity_copy {
	struct importer *importer;
	const struct source_entry *entry;
	u64 ino;
	u8 buffer[VERITY_READ];
};

static int refuse(const struct verity_copy *copy, const char *what, int ret)
{
	char *path = import_path(copy->importer, copy->entry);

	error("%s: cannot copy its fs-verity: %s; drop it with --verity off", path, what);
	free(path);
	return ret;
}

/* Fills the buffer up to @size with what there is; its length, or -errno after a message. */
static ssize_t read_part(struct verity_copy *copy, u64 type, u64 offset, size_t size)
{
	size_t len = 0;

	while (len < size) {
		ssize_t got = source_file_read_verity(copy->entry->file, type, copy->buffer + len, offset + len,
						      size - len);

		if (got == -ENODATA || got == 0)
			break;
		if (got == -ENOTTY || got == -EOPNOTSUPP)
			return refuse(copy, "this kernel does not tell it", (int)got);
		if (got < 0)
			return refuse(copy, strerror((int)-got), (int)got);
		len += (size_t)got;
	}
	return (ssize_t)len;
}

static int add_pieces(struct verity_copy *copy, u8 type, u64 offset, const u8 *bytes, size_t len)
{
	while (len) {
		const struct btrfs_key key = { .objectid = copy->ino, .type = type, .offset = offset };
		const size_t piece = MIN(len, (size_t)VERITY_PIECE);
		int ret = import_item(copy->importer, &key, bytes, piece, NULL, 0);

		if (ret)
			return ret;
		bytes += piece;
		offset += piece;
		len -= piece;
	}
	return 0;
}

static int check_descriptor(const struct verity_copy *copy, ssize_t len)
{
	const struct fsverity_descriptor *descriptor = (const void *)copy->buffer;

	if (len != (ssize_t)sizeof(*descriptor) || descriptor->version != 1)
		return refuse(copy, "its descriptor is of no known form", -EINVAL);
	if (le64_to_cpu(descriptor->data_size) != copy->entry->size)
		return refuse(copy, "its descriptor is of a file of another size", -EINVAL);
	return 0;
}

static int copy_descriptor(struct verity_copy *copy)
{
	const struct btrfs_key key = { .objectid = copy->ino, .type = BTRFS_VERITY_DESC_ITEM_KEY };
	struct btrfs_verity_descriptor_item item = { 0 };
	u8 descriptor[sizeof(struct fsverity_descriptor)];
	ssize_t len = read_part(copy, FS_VERITY_METADATA_TYPE_DESCRIPTOR, 0, sizeof(descriptor) + 1);
	__le32 sig_size;
	int ret;

	if (len < 0)
		return (int)len;
	ret = check_descriptor(copy, len);
	if (ret)
		return ret;
	memcpy(descriptor, copy->buffer, sizeof(descriptor));
	len = read_part(copy, FS_VERITY_METADATA_TYPE_SIGNATURE, 0, VERITY_SIGNATURE_MAX + 1);
	if (len < 0)
		return (int)len;
	if (len > (ssize_t)VERITY_SIGNATURE_MAX)
		return refuse(copy, "its signature is too large", -EFBIG);
	sig_size = cpu_to_le32((u32)len);
	memcpy(descriptor + VERITY_SIG_SIZE_OFFSET, &sig_size, sizeof(sig_size));
	memmove(copy->buffer + sizeof(descriptor), copy->buffer, (size_t)len);
	memcpy(copy->buffer, descriptor, sizeof(descriptor));
	len += (ssize_t)sizeof(descriptor);
	item.size = cpu_to_le64((u64)len);
	ret = import_item(copy->importer, &key, &item, sizeof(item), NULL, 0);
	return ret ? ret : add_pieces(copy, BTRFS_VERITY_DESC_ITEM_KEY, 1, copy->buffer, (size_t)len);
}

/* Hashes have 64 bytes and blocks 1 KiB at the extremes; a tree beyond that is none. */
static int copy_tree(struct verity_copy *copy)
{
	const u64 limit = copy->entry->size / 8 + VERITY_READ;
	u64 offset = 0;

	for (;;) {
		ssize_t len = read_part(copy, FS_VERITY_METADATA_TYPE_MERKLE_TREE, offset, VERITY_READ);
		int ret;

		if (len <= 0)
			return (int)len;
		if (offset + (u64)len > limit)
			return refuse(copy, "its Merkle tree is larger than it can be", -EFBIG);
		ret = add_pieces(copy, BTRFS_VERITY_MERKLE_ITEM_KEY, offset, copy->buffer, (size_t)len);
		if (ret)
			return ret;
		offset += (u64)len;
	}
}

int import_verity(struct importer *importer, const struct source_entry *entry, u64 ino)
{
	struct verity_copy *copy = malloc(sizeof(*copy));
	int ret;

	if (!copy)
		return -ENOMEM;
	copy->importer = importer;
	copy->entry = entry;
	copy->ino = ino;
	ret = copy_descriptor(copy);
	if (!ret)
		ret = copy_tree(copy);
	free(copy);
	/* it would stay open until a worker comes to its data */
	source_file_close(entry->file);
	importer->result.verity_files++;
	return ret;
}
