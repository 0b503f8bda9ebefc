// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts what subvolumes use, and feeds the quota tree: see quota.h.
 */
#include <errno.h>
#include <stdlib.h>

#include "kernel-shared/qgroup-item.h"
#include "mkfs/metadata.h"

static void count_trees(const struct metadata *metadata)
{
	u32 n;

	for (n = 0; n <= metadata->nr_subvolumes; n++) {
		const struct tree_geometry *geometry = &metadata_file_tree(metadata, n)->geometry;
		const u64 bytes = geometry_total(geometry) * geometry->nodesize;

		metadata->quota[n] = (struct quota_usage){ .referenced = bytes, .exclusive = bytes };
	}
}

/* One pass over the extents and the references to them beside the first. */
struct data_count {
	const struct metadata *metadata;
	struct spool_reader extents;
	struct spool_reader shared;
	struct shared_ref next;		/* the reference to come */
	u64 shared_left;		/* including ->next */
	u64 *seen;			/* by subvolume: number of the last extent that it refers to, from 1 on */
};

static int next_shared(struct data_count *count)
{
	if (!count->shared_left)
		return 0;
	return spool_read(&count->shared, &count->next, sizeof(count->next));
}

/* A subvolume refers to extent @nr of @len bytes; true: for the first time. */
static bool refer(struct data_count *count, u32 subvolume, u64 nr, u64 len)
{
	if (count->seen[subvolume] == nr)
		return false;
	count->seen[subvolume] = nr;
	count->metadata->quota[subvolume].referenced += len;
	return true;
}

/* In the hierarchy everybody who refers to any part of it uses the whole extent. */
static int count_extent(struct data_count *count, const struct placed_extent *extent, u64 nr)
{
	const bool simple = count->metadata->layout->quota == MKFS_QUOTA_SIMPLE;
	const u32 first = mkfs_subvolume_number(extent->root);
	bool exclusive = true;
	int ret = 0;

	refer(count, first, nr, extent->len);
	while (!ret && count->shared_left && count->next.bytenr == extent->bytenr) {
		if (!simple && refer(count, mkfs_subvolume_number(count->next.root), nr, extent->len))
			exclusive = false;
		count->shared_left--;
		ret = next_shared(count);
	}
	if (exclusive)
		count->metadata->quota[first].exclusive += extent->len;
	return ret;
}

static int count_all_extents(struct data_count *count)
{
	const struct import_result *import = count->metadata->import;
	struct placed_extent extent;
	u64 nr;
	int ret = next_shared(count);

	for (nr = 1; !ret && nr <= import->nr_extents; nr++) {
		ret = spool_read(&count->extents, &extent, sizeof(extent));
		if (!ret)
			ret = count_extent(count, &extent, nr);
	}
	return ret;
}

static int count_data(const struct metadata *metadata)
{
	const struct import_result *import = metadata->import;
	struct data_count count = { .metadata = metadata };
	int ret = -ENOMEM;

	count.seen = calloc(metadata->nr_subvolumes + (size_t)1, sizeof(*count.seen));
	if (count.seen)
		ret = spool_reader_init(&count.extents, import->extents, 0, 0);
	if (!ret && import->shared_refs) {
		count.shared_left = spool_size(import->shared_refs) / sizeof(count.next);
		ret = spool_reader_init(&count.shared, import->shared_refs, 0, 0);
	}
	if (!ret)
		ret = count_all_extents(&count);
	spool_reader_release(&count.extents);
	spool_reader_release(&count.shared);
	free(count.seen);
	return ret;
}

int quota_count(struct metadata *metadata)
{
	metadata->quota = calloc(metadata->nr_subvolumes + (size_t)1, sizeof(*metadata->quota));
	if (!metadata->quota)
		return -ENOMEM;
	count_trees(metadata);
	return count_data(metadata);
}

static int feed_status(const struct metadata *metadata, item_sink each, void *arg)
{
	const struct btrfs_key key = btrfs_qgroup_key(BTRFS_QGROUP_STATUS_KEY, 0);
	struct btrfs_qgroup_status_v2 status;

	if (metadata->layout->quota == MKFS_QUOTA_SIMPLE) {
		btrfs_fill_simple_qgroup_status(&status, MKFS_GENERATION);
		return each(arg, &key, &status, sizeof(status));
	}
	btrfs_fill_qgroup_status(&status, MKFS_GENERATION);
	return each(arg, &key, &status, BTRFS_QGROUP_STATUS_SIZE_V1);
}

static int feed_info(const struct metadata *metadata, u32 number, item_sink each, void *arg)
{
	const struct btrfs_key key = btrfs_qgroup_key(BTRFS_QGROUP_INFO_KEY, mkfs_subvolume_id(number));
	/* nothing is counted yet when the tree is measured */
	const struct quota_usage usage = metadata->quota ? metadata->quota[number] : (struct quota_usage){ 0 };
	struct btrfs_qgroup_info_item info;

	btrfs_fill_qgroup_info(&info, MKFS_GENERATION, usage.referenced, usage.exclusive,
			       metadata->layout->quota == MKFS_QUOTA_SIMPLE);
	return each(arg, &key, &info, sizeof(info));
}

int generate_quota_tree(const struct metadata *metadata, item_sink each, void *arg)
{
	const struct btrfs_qgroup_limit_item no_limit = { 0 };
	u32 n;
	int ret = feed_status(metadata, each, arg);

	for (n = 0; !ret && n <= metadata->nr_subvolumes; n++)
		ret = feed_info(metadata, n, each, arg);
	for (n = 0; !ret && n <= metadata->nr_subvolumes; n++) {
		const struct btrfs_key key = btrfs_qgroup_key(BTRFS_QGROUP_LIMIT_KEY, mkfs_subvolume_id(n));

		ret = each(arg, &key, &no_limit, sizeof(no_limit));
	}
	return ret;
}
