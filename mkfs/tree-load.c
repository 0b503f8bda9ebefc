// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packs leaves and nodes: see tree-load.h. Every level has a slab of its own, since
 * the blocks of one level are neighbours.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "kernel-shared/disk-io.h"
#include "mkfs/data-block.h"
#include "mkfs/tree-load.h"

/* Blocks of one level on their way: memory of one pool buffer. */
struct slab {
	struct write_buffer buffer;	/* first: the write stage hands this back */
};

struct load_level {
	struct slab *slab;
	u32 slab_size;		/* bytes that fit before the chunk or the buffer ends */
	u8 *block;		/* in the slab: being filled, or NULL */
	u32 nritems;
	u32 data_start;		/* leaves: where the newest payload begins, from the end of the header */
	struct btrfs_key first_key;
	u64 written;		/* blocks */
};

struct tree_loader {
	const struct tree_output *output;
	struct tree_plan plan;
	struct load_level levels[BTRFS_MAX_LEVEL];
};

u64 tree_plan_block(const struct tree_plan *plan, int level, u64 index)
{
	return plan->base + (geometry_level_start(&plan->geometry, level) + index) * plan->geometry.nodesize;
}

u64 tree_plan_root(const struct tree_plan *plan)
{
	return tree_plan_block(plan, plan->geometry.height - 1, 0);
}

u8 tree_plan_level(const struct tree_plan *plan)
{
	return (u8)(plan->geometry.height - 1);
}

int tree_loader_create(struct tree_loader **out, const struct tree_output *output, const struct tree_plan *plan)
{
	struct tree_loader *loader = calloc(1, sizeof(*loader));

	if (!loader)
		return -ENOMEM;
	loader->output = output;
	loader->plan = *plan;
	*out = loader;
	return 0;
}

void tree_loader_destroy(struct tree_loader *loader)
{
	int i;

	if (!loader)
		return;
	for (i = 0; i < BTRFS_MAX_LEVEL; i++) {
		struct slab *slab = loader->levels[i].slab;

		if (slab)
			buffer_pool_put(loader->output->buffers, slab->buffer.data);
		free(slab);
	}
	free(loader);
}

/* ---- slabs ---- */

void tree_output_reap(const struct tree_output *output, bool wait)
{
	struct write_buffer *buffer;

	while ((buffer = write_stage_reap(output->write, wait))) {
		buffer_pool_put(output->buffers, buffer->data);
		free(buffer);
		wait = false;
	}
}

void tree_output_drain(const struct tree_output *output)
{
	struct write_buffer *buffer;

	(void)write_stage_flush(output->write);
	while ((buffer = write_stage_reap(output->write, true))) {
		buffer_pool_put(output->buffers, buffer->data);
		free(buffer);
	}
}

static void *get_buffer(const struct tree_output *output)
{
	void *data;

	while (!(data = buffer_pool_get(output->buffers))) {
		if (write_stage_flush(output->write))
			return NULL;
		tree_output_reap(output, true);
	}
	return data;
}

static int open_slab(struct tree_loader *loader, int level)
{
	const struct tree_output *output = loader->output;
	struct load_level *state = &loader->levels[level];
	u64 logical = tree_plan_block(&loader->plan, level, state->written);
	const struct btrfs_chunk_map *map = btrfs_find_chunk(output->chunks, logical);
	struct slab *slab;

	if (!map)
		return -EFAULT;
	slab = calloc(1, sizeof(*slab));
	if (!slab)
		return -ENOMEM;
	slab->buffer.data = get_buffer(output);
	if (!slab->buffer.data) {
		free(slab);
		return -ENOMEM;
	}
	slab->buffer.logical = logical;
	state->slab = slab;
	state->slab_size = (u32)MIN((u64)DATA_BLOCK_SIZE, map->start + map->length - logical);
	return 0;
}

static int close_slab(struct tree_loader *loader, int level)
{
	const struct tree_output *output = loader->output;
	struct load_level *state = &loader->levels[level];
	struct slab *slab = state->slab;
	int ret;

	if (!slab)
		return 0;
	state->slab = NULL;
	ret = write_stage_add(output->write, &slab->buffer);
	if (!ret)
		ret = write_stage_error(output->write);
	tree_output_reap(output, false);
	if (!ret && output->stop && *output->stop)
		ret = -EINTR;
	return ret;
}

/* ---- blocks ---- */

static int open_block(struct tree_loader *loader, int level)
{
	struct load_level *state = &loader->levels[level];
	u32 nodesize = loader->output->layout->nodesize;
	int ret = 0;

	if (state->written == loader->plan.geometry.blocks[level])
		return -EUCLEAN;
	if (!state->slab)
		ret = open_slab(loader, level);
	if (ret)
		return ret;
	state->block = state->slab->buffer.data + state->slab->buffer.len;
	memset(state->block, 0, nodesize);
	state->nritems = 0;
	state->data_start = btrfs_leaf_data_size(nodesize);
	return 0;
}

static void fill_header(const struct tree_loader *loader, int level, u64 bytenr)
{
	const struct mkfs_layout *layout = loader->output->layout;
	struct btrfs_header *header = (struct btrfs_header *)loader->levels[level].block;

	memcpy(header->fsid, layout->fsid, BTRFS_FSID_SIZE);
	memcpy(header->chunk_tree_uuid, layout->chunk_tree_uuid, BTRFS_UUID_SIZE);
	header->bytenr = cpu_to_le64(bytenr);
	header->flags = cpu_to_le64(BTRFS_HEADER_FLAG_WRITTEN |
				    (u64)BTRFS_MIXED_BACKREF_REV << BTRFS_HEADER_FLAG_REV_SHIFT);
	header->generation = cpu_to_le64(MKFS_GENERATION);
	header->owner = cpu_to_le64(loader->plan.owner);
	header->nritems = cpu_to_le32(loader->levels[level].nritems);
	header->level = (u8)level;
	btrfs_sign_tree_block(layout->csum, header, layout->nodesize);
}

static int node_add(struct tree_loader *loader, int level, const struct btrfs_key *key, u64 bytenr);

static int close_block(struct tree_loader *loader, int level)
{
	struct load_level *state = &loader->levels[level];
	u32 nodesize = loader->output->layout->nodesize;
	u64 bytenr = tree_plan_block(&loader->plan, level, state->written);
	int ret = 0;

	if (!state->block)
		return 0;
	fill_header(loader, level, bytenr);
	state->block = NULL;
	state->slab->buffer.len += nodesize;
	state->written++;
	if (state->slab->buffer.len == state->slab_size)
		ret = close_slab(loader, level);
	if (!ret && level + 1 < loader->plan.geometry.height)
		ret = node_add(loader, level + 1, &state->first_key, bytenr);
	return ret;
}

static int node_add(struct tree_loader *loader, int level, const struct btrfs_key *key, u64 bytenr)
{
	struct load_level *state = &loader->levels[level];
	u32 nodesize = loader->output->layout->nodesize;
	struct btrfs_key_ptr *ptr;
	int ret = 0;

	if (state->block && state->nritems == btrfs_max_nr_ptrs(nodesize))
		ret = close_block(loader, level);
	if (!ret && !state->block)
		ret = open_block(loader, level);
	if (ret)
		return ret;
	if (!state->nritems)
		state->first_key = *key;
	ptr = (struct btrfs_key_ptr *)(state->block + sizeof(struct btrfs_header)) + state->nritems++;
	ptr->key = btrfs_cpu_key_to_disk(key);
	ptr->blockptr = cpu_to_le64(bytenr);
	ptr->generation = cpu_to_le64(MKFS_GENERATION);
	return 0;
}

int tree_loader_add(void *arg, const struct btrfs_key *key, const void *payload, u32 size)
{
	struct tree_loader *loader = arg;
	struct load_level *leaf = &loader->levels[0];
	u32 need = size + (u32)sizeof(struct btrfs_item);
	u32 nodesize = loader->output->layout->nodesize;
	struct btrfs_item *item;
	int ret = 0;

	if (leaf->block && leaf->data_start - leaf->nritems * sizeof(*item) < need)
		ret = close_block(loader, 0);
	if (!ret && !leaf->block)
		ret = size > btrfs_max_item_size(nodesize) ? -EOVERFLOW : open_block(loader, 0);
	if (ret) {
		if (ret == -EOVERFLOW)
			error("item %s has %u bytes; at node size %u an item may have %u: "
			      "choose a larger node size with -n",
			      btrfs_format_key(key).text, size, nodesize, btrfs_max_item_size(nodesize));
		return ret;
	}
	if (!leaf->nritems)
		leaf->first_key = *key;
	leaf->data_start -= size;
	item = (struct btrfs_item *)(leaf->block + sizeof(struct btrfs_header)) + leaf->nritems++;
	item->key = btrfs_cpu_key_to_disk(key);
	item->offset = cpu_to_le32(leaf->data_start);
	item->size = cpu_to_le32(size);
	if (size)
		memcpy(leaf->block + sizeof(struct btrfs_header) + leaf->data_start, payload, size);
	return 0;
}

static int check_counts(const struct tree_loader *loader)
{
	int i;

	for (i = 0; i < BTRFS_MAX_LEVEL; i++) {
		if (loader->levels[i].written == loader->plan.geometry.blocks[i])
			continue;
		error("internal error: tree %llu has %llu blocks of level %d, %llu were planned",
		      (unsigned long long)loader->plan.owner, (unsigned long long)loader->levels[i].written, i,
		      (unsigned long long)loader->plan.geometry.blocks[i]);
		return -EUCLEAN;
	}
	return 0;
}

int tree_loader_finish(struct tree_loader *loader)
{
	int level, ret = 0;

	if (!loader->levels[0].block && !loader->levels[0].written)
		ret = open_block(loader, 0);	/* an empty tree is one empty leaf */
	for (level = 0; !ret && level < loader->plan.geometry.height; level++) {
		ret = close_block(loader, level);
		if (!ret)
			ret = close_slab(loader, level);
	}
	return ret ? ret : check_counts(loader);
}
