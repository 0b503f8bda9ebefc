// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The trees of files: the top level and all subvolumes. Their items come out of the item log tree by tree, so
 * one pass measures them all and another one loads them, however many there are.
 */
#include "mkfs/metadata.h"

static struct tree_plan *plan_of(struct metadata *metadata, u32 number)
{
	return number ? &metadata->subvolumes[number - 1] : &metadata->plans[MKFS_TREE_FS];
}

static struct tree_geometry *geometry_of(struct metadata *metadata, u32 number)
{
	return &plan_of(metadata, number)->geometry;
}

static int measure_item(void *arg, u32 tree, const struct btrfs_key *key, const void *payload, u32 size)
{
	struct metadata *metadata = arg;

	(void)key;
	(void)payload;
	geometry_add(geometry_of(metadata, tree), size);
	return 0;
}

int file_trees_measure(struct metadata *metadata)
{
	u32 n;
	int ret;

	for (n = 0; n <= metadata->nr_subvolumes; n++)
		geometry_init(geometry_of(metadata, n), metadata->layout->nodesize);
	ret = item_log_feed(metadata->import->fs_items, measure_item, metadata);
	for (n = 0; !ret && n <= metadata->nr_subvolumes; n++)
		ret = geometry_finish(geometry_of(metadata, n));
	return ret;
}

/* ---- first keys ---- */

struct file_trees_pass {
	struct metadata *metadata;
	struct first_keys_pass pass;
	u32 next;			/* tree to come; the one before it is under way */
};

static int begin_pass(struct file_trees_pass *trees)
{
	int ret = trees->next ? first_keys_end(&trees->pass) : 0;

	if (!ret)
		first_keys_begin(&trees->pass, &trees->metadata->first_keys,
				 plan_of(trees->metadata, trees->next++));
	return ret;
}

static int pass_item(void *arg, u32 tree, const struct btrfs_key *key, const void *payload, u32 size)
{
	struct file_trees_pass *trees = arg;
	int ret = 0;

	while (!ret && trees->next <= tree)
		ret = begin_pass(trees);
	return ret ? ret : first_keys_add(&trees->pass, key, payload, size);
}

int file_trees_first_keys(struct metadata *metadata)
{
	struct file_trees_pass trees = { .metadata = metadata };
	int ret = item_log_feed(metadata->import->fs_items, pass_item, &trees);

	while (!ret && trees.next <= metadata->nr_subvolumes)
		ret = begin_pass(&trees);
	return ret ? ret : first_keys_end(&trees.pass);
}

/* ---- loading ---- */

struct file_trees_load {
	struct metadata *metadata;
	const struct tree_output *output;
	struct tree_loader *loader;	/* of the tree that is being written, or NULL */
	u32 next;			/* tree to come */
};

static int finish_tree(struct file_trees_load *load)
{
	int ret = load->loader ? tree_loader_finish(load->loader) : 0;

	tree_loader_destroy(load->loader);
	load->loader = NULL;
	return ret;
}

static int begin_tree(struct file_trees_load *load)
{
	int ret = finish_tree(load);

	if (ret)
		return ret;
	return tree_loader_create(&load->loader, load->output, metadata_file_tree(load->metadata, load->next++));
}

/* A tree without items is one empty leaf, as it was measured. */
static int load_item(void *arg, u32 tree, const struct btrfs_key *key, const void *payload, u32 size)
{
	struct file_trees_load *load = arg;
	int ret = 0;

	while (!ret && load->next <= tree)
		ret = begin_tree(load);
	return ret ? ret : tree_loader_add(load->loader, key, payload, size);
}

int file_trees_load(struct metadata *metadata, const struct tree_output *output)
{
	struct file_trees_load load = { .metadata = metadata, .output = output };
	int ret = item_log_feed(metadata->import->fs_items, load_item, &load);

	while (!ret && load.next <= metadata->nr_subvolumes)
		ret = begin_tree(&load);
	if (!ret)
		ret = finish_tree(&load);
	tree_loader_destroy(load.loader);
	return ret;
}
