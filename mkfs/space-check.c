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

#define SMALL_HEADROOM_NODES	16
#define SPARE_METADATA		(16 * SZ_1M)

struct space_need space_estimate(const struct mkfs_layout *layout, const struct source_totals *totals, u32 pieces)
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
	/* data is divided by the holes between it, and into pieces where it is compressed */
	const u64 extents = totals->files + totals->ranges +
			    (pieces ? totals->data_sectors * layout->sectorsize / pieces : 0);
	u64 metadata = totals->entries * per_entry + 3 * totals->name_bytes + extents * per_file +
		       totals->subvolumes * per_subvolume +
		       totals->inline_bytes + totals->data_sectors * layout->csum->size +
		       totals->verity_bytes;

	return (struct space_need){
		.data = totals->data_sectors * layout->sectorsize,
		.metadata = metadata + 16 * layout->nodesize,
	};
}

static int claim(struct chunk_allocator *alloc, u64 type, u64 total)
{
	u64 left = total;

	while (left) {
		struct btrfs_chunk_map *map;
		int ret = chunk_allocate(alloc, type, MIN(chunk_length(alloc, type, total, left), left), &map);

		if (ret)
			return ret;
		left -= MIN(left, map->length);
	}
	return 0;
}

/* In the order in which the writer allocates. */
static int try_layout(struct chunk_allocator *alloc, const struct mkfs_layout *layout, const struct space_need *need)
{
	int ret = 0;

	if (alloc->fitted)
		ret = claim(alloc, layout->data_type, need->data);
	if (!ret)
		ret = claim(alloc, layout->system_type, space_system_chunk(layout, alloc, need->metadata));
	if (!ret)
		ret = claim(alloc, layout->metadata_type, need->metadata);
	if (!ret && !alloc->fitted)
		ret = claim(alloc, layout->data_type, need->data);
	return ret;
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

bool space_fits(const struct mkfs_layout *layout, const u64 *sizes, unsigned nr, const struct space_need *need,
		bool fitted)
{
	const u8 (*uuids)[BTRFS_UUID_SIZE] = (const u8 (*)[BTRFS_UUID_SIZE])layout->device_uuids;
	struct space_need more = *need;
	struct chunk_allocator alloc;
	bool fits;

	if (chunk_allocator_init(&alloc, sizes, nr, uuids))
		return false;
	alloc.nodesize = layout->nodesize;
	alloc.fitted = fitted;
	/* the estimate of the metadata is one, and where devices are not used evenly it matters what comes when */
	more.data += more.data / 16;
	more.metadata += more.metadata / 4 + SPARE_METADATA;
	fits = !try_layout(&alloc, layout, &more);
	chunk_allocator_release(&alloc);
	return fits;
}

bool space_may_fit(const struct mkfs_layout *layout, const u64 *sizes, unsigned nr, const struct space_need *least)
{
	u64 total = 0;
	unsigned i;

	for (i = 0; i < nr; i++)
		total += sizes[i];
	return space_raw_bytes(layout, least, nr) <= total;
}

u64 space_raw_bytes(const struct mkfs_layout *layout, const struct space_need *need, unsigned nr)
{
	return raw_bytes(layout->data_type, need->data, nr) + raw_bytes(layout->metadata_type, need->metadata, nr);
}

/*
 * Measured with Linux 6.18: the kernel mounts and reads without any. To write to a filesystem of that size it wants
 * room for its global reserve, and for several operations that may each touch every level of a tree.
 */
u64 space_headroom(const struct mkfs_layout *layout, bool writable)
{
	return (u64)layout->nodesize * (writable ? CHUNK_WRITABLE_NODES : SMALL_HEADROOM_NODES);
}

/* Chunks of @bytes, each as long as it may be, and those that superblock copies divide. */
static u64 fitted_chunks(const struct chunk_allocator *alloc, u64 type, u64 bytes)
{
	return bytes / chunk_length(alloc, type, bytes, bytes) + CHUNK_NR_REGIONS + alloc->nr_devices;
}

u64 space_system_chunk(const struct mkfs_layout *layout, const struct chunk_allocator *alloc, u64 metadata)
{
	const u64 item = sizeof(struct btrfs_item) + btrfs_chunk_item_size((u16)MIN(alloc->nr_devices * 2, 1024U));
	u64 smallest, tree;

	if (alloc->fitted) {
		tree = (alloc->chunks.nr + fitted_chunks(alloc, layout->metadata_type, metadata) +
			2 * alloc->nr_devices + 16) * item;
		return ALIGN_UP(tree * 2 + 2 * BTRFS_MAX_LEVEL * (2 + alloc->nr_devices) * layout->nodesize, SZ_1M);
	}
	smallest = MIN(chunk_default_length(alloc, layout->data_type),
		       chunk_default_length(alloc, layout->metadata_type));
	tree = (alloc->total_bytes / smallest + 16) * item;
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
