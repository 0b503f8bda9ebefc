// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checks of file extents and of data checksums.
 */
#include <inttypes.h>

#include "common/checked.h"
#include "kernel-shared/file-item.h"
#include "kernel-shared/tree-checker-item.h"

/* none, zlib, lzo, zstd */
#define MAX_COMPRESSION		3

static int check_inline_extent(const struct checked_item *item, const struct btrfs_file_extent_item *extent)
{
	const u64 ram_bytes = le64_to_cpu(extent->ram_bytes);
	const u32 payload = item->size - (u32)BTRFS_FILE_EXTENT_INLINE_DATA_START;

	if (item->key.offset)
		return item_fault(item, "inline extent at file offset %" PRIu64 ", must be 0",
				  (u64)item->key.offset);
	if (!extent->compression && ram_bytes != payload)
		return item_fault(item, "inline extent ram_bytes %" PRIu64 ", item holds %u bytes", ram_bytes,
				  payload);
	/* Only files below one page are stored inline, and no page is larger than this. */
	if (ram_bytes > SZ_64K)
		return item_fault(item, "inline extent ram_bytes %" PRIu64 ", at most %" PRIu64 " possible",
				  ram_bytes, SZ_64K);
	return 0;
}

static int check_extent_alignment(const struct checked_item *item,
				  const struct btrfs_file_extent_item *extent)
{
	const struct {
		const char *name;
		u64 value;
	} fields[] = {
		{ "ram_bytes", le64_to_cpu(extent->ram_bytes) },
		{ "disk_bytenr", le64_to_cpu(extent->disk_bytenr) },
		{ "disk_num_bytes", le64_to_cpu(extent->disk_num_bytes) },
		{ "extent offset", le64_to_cpu(extent->offset) },
	};
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		ret = check_aligned(item, fields[i].name, fields[i].value);
		if (ret)
			return ret;
	}
	return check_range(item, "file range", item->key.offset, le64_to_cpu(extent->num_bytes));
}

/* Does the file's part lie inside the extent? Not for holes, which have no extent. */
static int check_extent_part(const struct checked_item *item, const struct btrfs_file_extent_item *extent)
{
	const u64 offset = le64_to_cpu(extent->offset);
	const u64 num_bytes = le64_to_cpu(extent->num_bytes);
	const u64 ram_bytes = le64_to_cpu(extent->ram_bytes);
	const u64 disk_num_bytes = le64_to_cpu(extent->disk_num_bytes);
	int ret;

	if (!extent->disk_bytenr)
		return 0;
	ret = check_range(item, "extent", le64_to_cpu(extent->disk_bytenr), disk_num_bytes);
	if (ret)
		return ret;
	if (range_exceeds(offset, num_bytes, ram_bytes))
		return item_fault(item,
				  "%" PRIu64 " bytes at %" PRIu64 " of an extent with ram_bytes %" PRIu64,
				  num_bytes, offset, ram_bytes);
	if (!extent->compression && range_exceeds(offset, num_bytes, disk_num_bytes))
		return item_fault(item,
				  "%" PRIu64 " bytes at %" PRIu64 " of an extent with %" PRIu64 " on disk",
				  num_bytes, offset, disk_num_bytes);
	return 0;
}

/* The fields of one file extent, as far as they do not depend on its neighbours. */
static int check_file_extent(const struct checked_item *item)
{
	const struct btrfs_file_extent_item *extent = (const void *)item->data;
	int ret;

	if (item->size < BTRFS_FILE_EXTENT_INLINE_DATA_START)
		return item_fault(item, "item of %u bytes, must be at least %zu", item->size,
				  BTRFS_FILE_EXTENT_INLINE_DATA_START);
	if (extent->type > BTRFS_FILE_EXTENT_PREALLOC)
		return item_fault(item, "file extent type %u, must be 0 to %u", extent->type,
				  BTRFS_FILE_EXTENT_PREALLOC);
	if (extent->compression > MAX_COMPRESSION)
		return item_fault(item, "compression %u, must be 0 to %u", extent->compression,
				  MAX_COMPRESSION);
	if (extent->encryption || extent->other_encoding)
		return item_fault(item, "encryption %u, other encoding %u, must be 0", extent->encryption,
				  le16_to_cpu(extent->other_encoding));
	ret = check_aligned(item, "file offset", item->key.offset);
	if (!ret)
		ret = check_generation(item, "generation", le64_to_cpu(extent->generation));
	if (ret)
		return ret;
	if (extent->type == BTRFS_FILE_EXTENT_INLINE)
		return check_inline_extent(item, extent);
	ret = check_item_size(item, sizeof(*extent));
	if (!ret)
		ret = check_extent_alignment(item, extent);
	if (!ret)
		ret = check_extent_part(item, extent);
	return ret;
}

/* First byte behind a file extent that passed check_file_extent(). */
static u64 file_extent_end(const struct checked_item *item)
{
	const struct btrfs_file_extent_item *extent = (const void *)item->data;

	if (extent->type == BTRFS_FILE_EXTENT_INLINE)
		return ALIGN_UP((u64)le64_to_cpu(extent->ram_bytes), item->ctx->sectorsize);
	return item->key.offset + le64_to_cpu(extent->num_bytes);
}

int check_extent_data(const struct checked_item *item)
{
	struct checked_item previous;
	u64 end;
	int ret;

	ret = check_previous_inode(item);
	if (!ret)
		ret = check_file_extent(item);
	if (ret)
		return ret;
	if (item_is_logged(item) || !previous_item(item, &previous))
		return 0;
	if (previous.key.objectid != item->key.objectid || previous.key.type != item->key.type)
		return 0;
	if (check_file_extent(&previous))
		return 0;
	end = file_extent_end(&previous);
	if (end > item->key.offset)
		return item_fault(item, "overlaps the file extent before, which ends at %" PRIu64, end);
	return 0;
}

/* The fields of one checksum item. *end: first byte behind the range that it covers. */
static int check_csum_range(const struct checked_item *item, u64 *end)
{
	const u16 csum_size = item->ctx->csum_size;
	const u64 bytes = (u64)(item->size / csum_size) * item->ctx->sectorsize;

	if (item->key.objectid != BTRFS_EXTENT_CSUM_OBJECTID)
		return item_fault(item, "objectid %" PRIu64 ", must be %" PRIu64, (u64)item->key.objectid,
				  (u64)BTRFS_EXTENT_CSUM_OBJECTID);
	if (!item->size || item->size % csum_size)
		return item_fault(item, "item of %u bytes, must be a positive multiple of %u", item->size,
				  csum_size);
	*end = item->key.offset + bytes;
	return check_range(item, "checksummed range", item->key.offset, bytes);
}

int check_extent_csum(const struct checked_item *item)
{
	struct checked_item previous;
	u64 end;
	int ret;

	ret = check_csum_range(item, &end);
	if (ret || item_is_logged(item) || !previous_item(item, &previous))
		return ret;
	if (previous.key.type != item->key.type || check_csum_range(&previous, &end))
		return 0;
	if (end > item->key.offset)
		return item_fault(item, "overlaps the checksum item before, which ends at %" PRIu64, end);
	return 0;
}
