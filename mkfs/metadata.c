// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Planning and loading of all trees: see metadata.h.
 */
#include <errno.h>
#include <stdlib.h>

#include "common/message.h"
#include "mkfs/metadata.h"

/* Sizes settle after a few rounds: they only grow, and each round adds less. */
#define MAX_ROUNDS	32

struct tree_kind {
	u64 owner;
	tree_generator generate;	/* NULL: file-trees.c has them */
	bool fixed;		/* its size does not depend on other trees */
};

static const struct tree_kind kinds[MKFS_NR_TREES] = {
	[MKFS_TREE_FS] = { BTRFS_FS_TREE_OBJECTID, NULL, true },
	[MKFS_TREE_CSUM] = { BTRFS_CSUM_TREE_OBJECTID, generate_csum_tree, true },
	[MKFS_TREE_EXTENT] = { BTRFS_EXTENT_TREE_OBJECTID, generate_extent_tree, false },
	[MKFS_TREE_DEV] = { BTRFS_DEV_TREE_OBJECTID, generate_dev_tree, false },
	[MKFS_TREE_QUOTA] = { BTRFS_QUOTA_TREE_OBJECTID, generate_quota_tree, true },
	[MKFS_TREE_UUID] = { BTRFS_UUID_TREE_OBJECTID, generate_uuid_tree, true },
	[MKFS_TREE_DATA_RELOC] = { BTRFS_DATA_RELOC_TREE_OBJECTID, generate_data_reloc_tree, true },
	[MKFS_TREE_FREE_SPACE] = { BTRFS_FREE_SPACE_TREE_OBJECTID, generate_free_space_tree, false },
	[MKFS_TREE_BLOCK_GROUP] = { BTRFS_BLOCK_GROUP_TREE_OBJECTID, generate_block_group_tree, false },
	[MKFS_TREE_ROOT] = { BTRFS_ROOT_TREE_OBJECTID, generate_root_tree, false },
	[MKFS_TREE_CHUNK] = { BTRFS_CHUNK_TREE_OBJECTID, generate_chunk_tree, false },
};

u64 metadata_tree_bytes(const struct metadata *metadata)
{
	return metadata->used + geometry_total(&metadata->plans[MKFS_TREE_CHUNK].geometry) *
				metadata->layout->nodesize;
}

u64 metadata_bytes_used(const struct metadata *metadata)
{
	return metadata->data->total + metadata_tree_bytes(metadata);
}

/* All data is placed before the first chunk for trees is made. */
bool metadata_holds_data(const struct metadata *metadata, const struct btrfs_chunk_map *chunk)
{
	return chunk->type & BTRFS_BLOCK_GROUP_DATA && (!metadata->base || chunk->start < metadata->base);
}

u64 metadata_chunk_used(const struct metadata *metadata, const struct btrfs_chunk_map *chunk)
{
	u64 offset;

	if (metadata_holds_data(metadata, chunk))
		return data_space_used(metadata->data, chunk);
	if (chunk->type & BTRFS_BLOCK_GROUP_SYSTEM) {
		if (chunk->start != metadata->system_base)
			return 0;
		return geometry_total(&metadata->plans[MKFS_TREE_CHUNK].geometry) * metadata->layout->nodesize;
	}
	offset = chunk->start - metadata->base;
	if (offset >= metadata->used)
		return 0;
	return MIN(metadata->used - offset, chunk->length);
}

/* ---- planning ---- */

static int measure_item(void *arg, const struct btrfs_key *key, const void *payload, u32 size)
{
	(void)key;
	(void)payload;
	geometry_add(arg, size);
	return 0;
}

static int measure(struct metadata *metadata, enum mkfs_tree tree)
{
	struct tree_geometry geometry;
	int ret;

	if (!kinds[tree].generate)
		return file_trees_measure(metadata);
	geometry_init(&geometry, metadata->layout->nodesize);
	ret = kinds[tree].generate(metadata, measure_item, &geometry);
	if (!ret)
		ret = geometry_finish(&geometry);
	if (!ret)
		metadata->plans[tree].geometry = geometry;
	return ret;
}

static void place_tree(struct tree_plan *plan, u64 *bytenr)
{
	plan->base = *bytenr;
	*bytenr += geometry_total(&plan->geometry) * plan->geometry.nodesize;
}

static void place_trees(struct metadata *metadata)
{
	u64 bytenr = metadata->base;
	u32 n;
	int i;

	for (i = 0; i < MKFS_NR_TREES; i++) {
		struct tree_plan *plan = &metadata->plans[i];

		if (!metadata->present[i])
			continue;
		if (i == MKFS_TREE_CHUNK) {
			plan->base = metadata->system_base;
			continue;
		}
		place_tree(plan, &bytenr);
		for (n = 0; i == MKFS_TREE_FS && n < metadata->nr_subvolumes; n++)
			place_tree(&metadata->subvolumes[n], &bytenr);
	}
	metadata->used = bytenr - metadata->base;
}

static int add_metadata_chunk(struct metadata *metadata, u64 need)
{
	const u64 type = metadata->layout->metadata_type;
	const u64 left = need - MIN(need, metadata->capacity);
	u64 length = chunk_length(metadata->alloc, type, need, left);
	struct btrfs_chunk_map *map;
	int ret;

	if (metadata->alloc->fitted)
		length = MIN(length, MAX(left, SZ_1M));
	ret = chunk_allocate(metadata->alloc, type, length, &map);
	if (ret)
		return ret;
	if (!metadata->base)
		metadata->base = map->start;
	metadata->capacity += map->length;
	metadata->nr_chunks++;
	return 0;
}

/* Chunks of the right size take the place of those that are too small: nothing is written to them yet. */
static void drop_fitted_chunks(struct metadata *metadata)
{
	if (!metadata->alloc->fitted)
		return;
	for (; metadata->nr_chunks; metadata->nr_chunks--)
		chunk_drop_last(metadata->alloc);
	metadata->base = 0;
	metadata->capacity = 0;
}

static int allocate_chunks(struct metadata *metadata)
{
	const u64 need = metadata->used + (metadata->alloc->fitted ? metadata->headroom : 0);
	int ret = 0;

	drop_fitted_chunks(metadata);
	while (!ret && (!metadata->base || need > metadata->capacity))
		ret = add_metadata_chunk(metadata, need);
	return ret;
}

/* Chunks for what is planned. Nothing else allocates meanwhile, so the metadata run stays in one piece. */
static int provide_space(struct metadata *metadata, bool *changed)
{
	u64 chunk_tree = geometry_total(&metadata->plans[MKFS_TREE_CHUNK].geometry) * metadata->layout->nodesize;
	int ret;

	if (chunk_tree > metadata->system_capacity)
		return -ENOSPC;
	place_trees(metadata);
	if (metadata->base && metadata->used <= metadata->capacity)
		return 0;
	*changed = true;
	ret = allocate_chunks(metadata);
	if (ret == -ENOSPC && metadata->alloc->fitted && metadata->headroom > metadata->least_headroom) {
		metadata->headroom = metadata->least_headroom;
		ret = allocate_chunks(metadata);
	}
	place_trees(metadata);
	return ret;
}

static int measure_dependent(struct metadata *metadata, bool *changed)
{
	int i, ret = 0;

	for (i = 0; !ret && i < MKFS_NR_TREES; i++) {
		u64 before = geometry_total(&metadata->plans[i].geometry);

		if (!metadata->present[i] || kinds[i].fixed)
			continue;
		ret = measure(metadata, i);
		if (geometry_total(&metadata->plans[i].geometry) != before)
			*changed = true;
	}
	return ret;
}

static int choose_trees(struct metadata *metadata)
{
	const struct mkfs_subvolumes *subvolumes = &metadata->import->subvolumes;
	u32 n;
	int i;

	for (i = 0; i < MKFS_NR_TREES; i++) {
		metadata->present[i] = true;
		metadata->plans[i].owner = kinds[i].owner;
		geometry_init(&metadata->plans[i].geometry, metadata->layout->nodesize);
	}
	metadata->present[MKFS_TREE_FREE_SPACE] = layout_has_free_space_tree(metadata->layout);
	metadata->present[MKFS_TREE_QUOTA] = metadata->layout->quota != MKFS_QUOTA_NONE;
	metadata->present[MKFS_TREE_BLOCK_GROUP] = layout_has_block_group_tree(metadata->layout);
	metadata->nr_subvolumes = subvolumes->nr - 1;
	metadata->subvolumes = calloc(subvolumes->nr, sizeof(*metadata->subvolumes));
	if (!metadata->subvolumes)
		return -ENOMEM;
	for (n = 1; n < subvolumes->nr; n++)
		metadata->subvolumes[n - 1].owner = subvolumes->list[n].id;
	return 0;
}

static int collect_tree(struct metadata *metadata, enum mkfs_tree tree)
{
	struct first_keys_pass pass;
	int ret;

	if (!kinds[tree].generate)
		return file_trees_first_keys(metadata);
	first_keys_begin(&pass, &metadata->first_keys, &metadata->plans[tree]);
	ret = kinds[tree].generate(metadata, first_keys_add, &pass);
	return ret ? ret : first_keys_end(&pass);
}

static int collect_first_keys(struct metadata *metadata)
{
	int i, ret = first_keys_init(&metadata->first_keys);

	for (i = 0; !ret && i < MKFS_NR_TREES; i++) {
		if (metadata->present[i])
			ret = collect_tree(metadata, i);
	}
	metadata->has_first_keys = !ret;
	return ret;
}

int metadata_plan(struct metadata *metadata, const struct btrfs_chunk_map *system)
{
	bool changed = true;
	int i, round, ret = choose_trees(metadata);

	metadata->system_base = system->start;
	metadata->system_capacity = system->length;
	for (i = 0; !ret && i < MKFS_NR_TREES; i++) {
		if (kinds[i].fixed && metadata->present[i])
			ret = measure(metadata, i);
	}
	for (round = 0; !ret && changed; round++) {
		if (round == MAX_ROUNDS) {
			error("internal error: the sizes of the metadata trees do not settle");
			return -EUCLEAN;
		}
		changed = false;
		ret = provide_space(metadata, &changed);
		if (!ret)
			ret = measure_dependent(metadata, &changed);
	}
	if (!ret && metadata->present[MKFS_TREE_QUOTA])
		ret = quota_count(metadata);
	if (!ret && !layout_has_skinny_metadata(metadata->layout))
		ret = collect_first_keys(metadata);
	return ret;
}

/* ---- loading ---- */

static int load_tree(struct metadata *metadata, enum mkfs_tree tree, const struct tree_output *output)
{
	struct tree_loader *loader;
	int ret;

	if (!kinds[tree].generate)
		return file_trees_load(metadata, output);
	ret = tree_loader_create(&loader, output, &metadata->plans[tree]);
	if (ret)
		return ret;
	ret = kinds[tree].generate(metadata, tree_loader_add, loader);
	if (!ret)
		ret = tree_loader_finish(loader);
	tree_loader_destroy(loader);
	return ret;
}

int metadata_load(struct metadata *metadata, const struct tree_output *output)
{
	int i, ret = 0;

	for (i = 0; !ret && i < MKFS_NR_TREES; i++) {
		if (metadata->present[i])
			ret = load_tree(metadata, i, output);
	}
	if (!ret)
		ret = write_stage_finish(output->write);
	tree_output_drain(output);
	return ret ? ret : write_stage_error(output->write);
}

void metadata_release(struct metadata *metadata)
{
	free(metadata->subvolumes);
	metadata->subvolumes = NULL;
	first_keys_release(&metadata->first_keys);
	free(metadata->quota);
	metadata->quota = NULL;
}
