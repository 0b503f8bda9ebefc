// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Generators of the trees about what the source gave: checksums, and the extent records of data and of
 * all tree blocks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel-shared/extent-item.h"
#include "kernel-shared/file-item.h"
#include "kernel-shared/inode-item.h"
#include "mkfs/extent-refs.h"
#include "mkfs/metadata.h"

/* ---- checksums ---- */

/* State of one pass: sums of all sectors of data space come in, those of unsummed ranges go no further. */
struct csum_pass {
	const struct metadata *metadata;
	item_sink each;
	void *arg;
	struct spool_reader sums;
	struct spool_reader unsummed;
	u8 *buffer;		/* for one item */
	struct unsummed_range gap;	/* the next one; at the end of addresses when there is none */
	u64 gaps_left;		/* behind it */
};

static int next_gap(struct csum_pass *pass)
{
	pass->gap = (struct unsummed_range){ .bytenr = UINT64_MAX };
	if (!pass->gaps_left)
		return 0;
	pass->gaps_left--;
	return spool_read(&pass->unsummed, &pass->gap, sizeof(pass->gap));
}

/* The next sums, as an item or, in a gap, as nothing; *nr: how many were wanted, and how many it were. */
static int feed_csums(struct csum_pass *pass, u64 bytenr, u32 *nr)
{
	const struct mkfs_layout *layout = pass->metadata->layout;
	const struct btrfs_key key = {
		.objectid = BTRFS_EXTENT_CSUM_OBJECTID, .type = BTRFS_EXTENT_CSUM_KEY, .offset = bytenr,
	};
	const bool in_gap = bytenr >= pass->gap.bytenr;
	const u64 border = in_gap ? pass->gap.bytenr + pass->gap.len : pass->gap.bytenr;
	int ret;

	*nr = (u32)MIN((border - bytenr) / layout->sectorsize, (u64)*nr);
	ret = spool_read(&pass->sums, pass->buffer, *nr * layout->csum->size);
	if (ret)
		return ret;
	if (!in_gap)
		return pass->each(pass->arg, &key, pass->buffer, *nr * layout->csum->size);
	return bytenr + (u64)*nr * layout->sectorsize == border ? next_gap(pass) : 0;
}

static int csums_of_chunk(struct csum_pass *pass, const struct btrfs_chunk_map *chunk)
{
	const struct mkfs_layout *layout = pass->metadata->layout;
	const u32 max_items = btrfs_max_csum_items(layout->nodesize, layout->csum->size);
	u64 sectors = data_space_used(pass->metadata->data, chunk) / layout->sectorsize;
	u64 bytenr = chunk->start;

	while (sectors) {
		u32 nr = (u32)MIN(sectors, (u64)max_items);
		int ret = feed_csums(pass, bytenr, &nr);

		if (ret)
			return ret;
		bytenr += (u64)nr * layout->sectorsize;
		sectors -= nr;
	}
	return 0;
}

static int feed_all_csums(struct csum_pass *pass)
{
	const struct btrfs_chunk_table *chunks = &pass->metadata->alloc->chunks;
	size_t i;
	int ret = next_gap(pass);

	for (i = 0; !ret && i < chunks->nr; i++) {
		if (metadata_holds_data(pass->metadata, chunks->maps[i]))
			ret = csums_of_chunk(pass, chunks->maps[i]);
	}
	return ret;
}

int generate_csum_tree(const struct metadata *metadata, item_sink each, void *arg)
{
	struct csum_pass pass = {
		.metadata = metadata, .each = each, .arg = arg, .gaps_left = metadata->import->nr_unsummed,
		.buffer = malloc(metadata->layout->nodesize),
	};
	int ret = -ENOMEM;

	if (!pass.buffer)
		return ret;
	ret = spool_reader_init(&pass.sums, metadata->import->csums, 0, 0);
	if (!ret)
		ret = spool_reader_init(&pass.unsummed, metadata->import->unsummed, 0, SZ_64K);
	if (!ret)
		ret = feed_all_csums(&pass);
	spool_reader_release(&pass.unsummed);
	spool_reader_release(&pass.sums);
	free(pass.buffer);
	return ret;
}

/* ---- extents ---- */

/* State of one pass: data extents come from the spool, one is read ahead. */
struct extent_pass {
	const struct metadata *metadata;
	item_sink each;
	void *arg;
	struct spool_reader reader;
	struct placed_extent next;
	u64 left;		/* including ->next */
	struct spool_reader shared_reader;
	struct shared_ref shared;	/* the next one */
	u64 shared_left;	/* including ->shared */
	struct extent_refs refs;
};

static int next_shared(struct extent_pass *pass)
{
	if (!pass->shared_left)
		return 0;
	return spool_read(&pass->shared_reader, &pass->shared, sizeof(pass->shared));
}

static int next_extent(struct extent_pass *pass)
{
	if (!pass->left)
		return 0;
	return spool_read(&pass->reader, &pass->next, sizeof(pass->next));
}

static int feed_data_extent(struct extent_pass *pass)
{
	const struct placed_extent *extent = &pass->next;
	const struct btrfs_key key = {
		.objectid = extent->bytenr, .type = BTRFS_EXTENT_ITEM_KEY, .offset = extent->len,
	};
	int ret = extent_refs_add(&pass->refs, extent->root, extent->ino, extent->offset);

	while (!ret && pass->shared_left && pass->shared.bytenr == extent->bytenr) {
		ret = extent_refs_add(&pass->refs, pass->shared.root, pass->shared.ino, pass->shared.offset);
		pass->shared_left--;
		if (!ret)
			ret = next_shared(pass);
	}
	if (pass->metadata->layout->quota == MKFS_QUOTA_SIMPLE)
		pass->refs.owner = extent->root;
	if (!ret)
		ret = extent_refs_feed(&pass->refs, pass->metadata->layout->nodesize, MKFS_GENERATION, &key,
				       pass->each, pass->arg);
	if (ret)
		return ret;
	pass->left--;
	return next_extent(pass);
}

/* The block group item comes behind an extent that starts where the group does, else before all extents. */
static int feed_block_group(struct extent_pass *pass, const struct btrfs_chunk_map *chunk)
{
	const struct btrfs_key key = {
		.objectid = chunk->start, .type = BTRFS_BLOCK_GROUP_ITEM_KEY, .offset = chunk->length,
	};
	struct btrfs_block_group_item item;

	if (pass->metadata->present[MKFS_TREE_BLOCK_GROUP])
		return 0;
	btrfs_fill_block_group(&item, metadata_chunk_used(pass->metadata, chunk), chunk->type);
	return pass->each(pass->arg, &key, &item, sizeof(item));
}

static int feed_data_chunk(struct extent_pass *pass, const struct btrfs_chunk_map *chunk)
{
	bool group_done = false;
	int ret = 0;

	while (!ret && pass->left && pass->next.bytenr < chunk->start + chunk->length) {
		if (!group_done && pass->next.bytenr > chunk->start) {
			ret = feed_block_group(pass, chunk);
			group_done = true;
			continue;
		}
		ret = feed_data_extent(pass);
	}
	return ret || group_done ? ret : feed_block_group(pass, chunk);
}

static int feed_tree_block(struct extent_pass *pass, u64 owner, u64 bytenr, int level)
{
	const struct btrfs_key key = { .objectid = bytenr, .type = BTRFS_METADATA_ITEM_KEY, .offset = (u64)level };
	struct btrfs_skinny_record record;

	btrfs_fill_skinny(&record, MKFS_GENERATION, owner);
	return pass->each(pass->arg, &key, &record, sizeof(record));
}

/* Without skinny metadata; the first key is left out until all are known. */
static int feed_fat_block(struct extent_pass *pass, u64 owner, u64 bytenr, int level, struct spool_reader *keys)
{
	const struct mkfs_layout *layout = pass->metadata->layout;
	const struct btrfs_key key = { .objectid = bytenr, .type = BTRFS_EXTENT_ITEM_KEY, .offset = layout->nodesize };
	struct btrfs_tree_block_record record;
	struct btrfs_disk_key first_key = { 0 };
	int ret = pass->metadata->has_first_keys ? spool_read(keys, &first_key, sizeof(first_key)) : 0;

	if (ret)
		return ret;
	btrfs_fill_tree_block(&record, MKFS_GENERATION, owner, &first_key, (u8)level);
	return pass->each(pass->arg, &key, &record, sizeof(record));
}

/* The blocks of one level of a tree that lie in @chunk. */
static int feed_level_in_chunk(struct extent_pass *pass, const struct tree_plan *plan, int level,
			       const struct btrfs_chunk_map *chunk)
{
	const struct metadata *metadata = pass->metadata;
	const bool skinny = layout_has_skinny_metadata(metadata->layout);
	const u64 first = tree_plan_block(plan, level, 0), last = tree_plan_block(plan, level + 1, 0);
	const u64 end = MIN(last, chunk->start + chunk->length);
	u64 bytenr = MAX(first, chunk->start);
	struct spool_reader keys = { 0 };
	int ret = 0;

	if (bytenr >= end)
		return 0;
	if (metadata->has_first_keys)
		ret = first_keys_read(&metadata->first_keys, plan, level, (bytenr - first) / plan->geometry.nodesize,
				      &keys);
	for (; !ret && bytenr < end; bytenr += plan->geometry.nodesize) {
		if (skinny)
			ret = feed_tree_block(pass, plan->owner, bytenr, level);
		else
			ret = feed_fat_block(pass, plan->owner, bytenr, level, &keys);
		if (!ret && bytenr == chunk->start)
			ret = feed_block_group(pass, chunk);
	}
	spool_reader_release(&keys);
	return ret;
}

static int feed_tree_in_chunk(struct extent_pass *pass, const struct tree_plan *plan,
			      const struct btrfs_chunk_map *chunk)
{
	int level, ret = 0;

	for (level = 0; !ret && level < plan->geometry.height; level++)
		ret = feed_level_in_chunk(pass, plan, level, chunk);
	return ret;
}

static int feed_metadata_chunk(struct extent_pass *pass, const struct btrfs_chunk_map *chunk)
{
	const struct metadata *metadata = pass->metadata;
	const bool system = chunk->type & BTRFS_BLOCK_GROUP_SYSTEM;
	u32 n;
	int i, ret = 0;

	if (!metadata_chunk_used(metadata, chunk))
		return feed_block_group(pass, chunk);
	if (system)
		return feed_tree_in_chunk(pass, &metadata->plans[MKFS_TREE_CHUNK], chunk);
	for (i = 0; !ret && i < MKFS_TREE_CHUNK; i++) {
		if (!metadata->present[i])
			continue;
		ret = feed_tree_in_chunk(pass, &metadata->plans[i], chunk);
		for (n = 0; !ret && i == MKFS_TREE_FS && n < metadata->nr_subvolumes; n++)
			ret = feed_tree_in_chunk(pass, &metadata->subvolumes[n], chunk);
	}
	return ret;
}

int generate_extent_tree(const struct metadata *metadata, item_sink each, void *arg)
{
	const struct btrfs_chunk_table *chunks = &metadata->alloc->chunks;
	struct extent_pass pass = {
		.metadata = metadata, .each = each, .arg = arg, .left = metadata->import->nr_extents,
	};
	size_t i;
	int ret = spool_reader_init(&pass.reader, metadata->import->extents, 0, 0);

	if (!ret && metadata->import->shared_refs) {
		pass.shared_left = spool_size(metadata->import->shared_refs) / sizeof(pass.shared);
		ret = spool_reader_init(&pass.shared_reader, metadata->import->shared_refs, 0, 0);
	}
	if (!ret)
		ret = next_shared(&pass);
	if (!ret)
		ret = next_extent(&pass);
	for (i = 0; !ret && i < chunks->nr; i++) {
		if (metadata_holds_data(metadata, chunks->maps[i]))
			ret = feed_data_chunk(&pass, chunks->maps[i]);
		else
			ret = feed_metadata_chunk(&pass, chunks->maps[i]);
	}
	spool_reader_release(&pass.reader);
	spool_reader_release(&pass.shared_reader);
	extent_refs_release(&pass.refs);
	return ret;
}
