// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Estimates and messages about space: see space-check.h.
 */
#include <errno.h>
#include <stdlib.h>

#include "common/message.h"
#include "common/units.h"
#include "kernel-shared/raid56.h"
#include "mkfs/space-check.h"

struct space_need space_estimate(const struct mkfs_layout *layout, const struct source_totals *totals)
{
	const u64 item = sizeof(struct btrfs_item);
	/* inode, its reference, two entries in the directory */
	const u64 per_entry = item * 4 + sizeof(struct btrfs_inode_item) + sizeof(struct btrfs_inode_ref) +
			      2 * sizeof(struct btrfs_dir_item);
	/* a file extent and its extent record, with the owner that simple quotas need */
	const u64 per_file = item * 2 + sizeof(struct btrfs_file_extent_item) + sizeof(struct btrfs_extent_item) +
			     1 + sizeof(struct btrfs_extent_data_ref) + sizeof(struct btrfs_extent_inline_ref);
	/* a leaf of its own, its root with two names, its uuid */
	const u64 per_subvolume = layout->nodesize + item * 4 + sizeof(struct btrfs_root_item) +
				  2 * (sizeof(struct btrfs_root_ref) + BTRFS_NAME_LEN) + sizeof(u64);
	u64 metadata = totals->entries * per_entry + 3 * totals->name_bytes + totals->files * per_file +
		       totals->subvolumes * per_subvolume +
		       totals->inline_bytes + totals->data_sectors * layout->csum->size +
		       totals->verity_bytes;

	return (struct space_need){
		.data = totals->data_sectors * layout->sectorsize,
		.metadata = metadata + 16 * layout->nodesize,
	};
}

static u64 sum(const u64 *sizes, unsigned nr)
{
	u64 total = 0;
	unsigned i;

	for (i = 0; i < nr; i++)
		total += sizes[i];
	return total;
}

static int claim(struct chunk_allocator *alloc, u64 type, u64 need)
{
	while (need) {
		struct btrfs_chunk_map *map;
		int ret = chunk_allocate(alloc, type, MIN(chunk_default_length(alloc, type), need), &map);

		if (ret)
			return ret;
		need -= MIN(need, map->length);
	}
	return 0;
}

static int try_layout(struct chunk_allocator *alloc, const struct mkfs_layout *layout, const struct space_need *need)
{
	int ret = claim(alloc, layout->system_type, space_system_chunk(layout, alloc));

	if (!ret)
		ret = claim(alloc, layout->metadata_type, need->metadata);
	return ret ? ret : claim(alloc, layout->data_type, need->data);
}

/* Bytes on the devices for @bytes of a chunk of this type, if all devices take part. */
static u64 raw_bytes(u64 type, u64 bytes, unsigned nr_devices)
{
	const struct btrfs_raid_attr *attr = btrfs_raid_attr(type);
	const unsigned columns = MIN(nr_devices, BTRFS_RAID56_MAX_STRIPES);

	if (attr->nparity && columns > attr->nparity)
		return bytes / (columns - attr->nparity) * columns;
	return bytes * attr->ncopies;
}

int space_check(const struct mkfs_layout *layout, const u64 *sizes, unsigned nr, const struct space_need *need)
{
	const u8 (*uuids)[BTRFS_UUID_SIZE] = (const u8 (*)[BTRFS_UUID_SIZE])layout->device_uuids;
	struct chunk_allocator alloc;
	int ret = chunk_allocator_init(&alloc, sizes, nr, uuids);

	alloc.nodesize = layout->nodesize;
	if (!ret)
		ret = try_layout(&alloc, layout, need);
	if (ret == -ENOSPC) {
		u64 raw = raw_bytes(layout->data_type, need->data, nr) +
			  raw_bytes(layout->metadata_type, need->metadata, nr);
		u64 fixed = nr * 2 * SZ_1M +
			    raw_bytes(layout->system_type, space_system_chunk(layout, &alloc), nr);

		error("the target%s too small: about %llu bytes (%s) needed for data (%s) and metadata (%s), "
		      "%llu (%s) available on %u device%s; use larger devices or a profile with fewer copies",
		      nr > 1 ? "s are" : " is", (unsigned long long)(raw + fixed), format_size(raw + fixed).text,
		      btrfs_raid_attr(layout->data_type)->name, btrfs_raid_attr(layout->metadata_type)->name,
		      (unsigned long long)sum(sizes, nr), format_size(sum(sizes, nr)).text, nr, nr > 1 ? "s" : "");
	}
	chunk_allocator_release(&alloc);
	return ret;
}

u64 space_system_chunk(const struct mkfs_layout *layout, const struct chunk_allocator *alloc)
{
	const u64 item = sizeof(struct btrfs_item) + btrfs_chunk_item_size((u16)MIN(alloc->nr_devices * 2, 1024U));
	u64 smallest = MIN(chunk_default_length(alloc, layout->data_type),
			   chunk_default_length(alloc, layout->metadata_type));
	u64 tree = (alloc->total_bytes / smallest + 16) * item;

	/* nodes above the leaves, and as much again for what the kernel adds */
	return MAX(ALIGN_UP(tree * 2 + 8 * layout->nodesize, SZ_1M), chunk_default_length(alloc, layout->system_type));
}

void space_exhausted(const struct mkfs_layout *layout, const struct chunk_allocator *alloc, const char *what,
		     u64 used)
{
	error("no space left on the target%s for %s: more than %llu bytes (%s) needed in profile %s, "
	      "the devices have %llu (%s) in all, data and metadata with their copies; "
	      "use larger devices or a profile with fewer copies",
	      alloc->nr_devices > 1 ? "s" : "", what, (unsigned long long)used, format_size(used).text,
	      btrfs_raid_attr(*what == 'd' ? layout->data_type : layout->metadata_type)->name,
	      (unsigned long long)alloc->total_bytes, format_size(alloc->total_bytes).text);
}
