// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which of the directories that a walk meets become subvolumes: those of the options, and those that are
 * subvolumes already where the options ask for it. See tree-walk.h.
 */
#include <errno.h>
#include <stdlib.h>

#include <linux/btrfs_tree.h>

#include "common/message.h"
#include "source/subvolumes.h"
#include "source/tree-walk.h"

static int init_automatic(struct tree_walk *walk)
{
	struct walk_subvolumes *state = &walk->subvolumes;
	const bool find_default = !walk->options->subvolumes->default_spec &&
				  !(walk->options->rules && walk->options->rules->default_subvolume);
	int fd = source_dir_pin(walk->top);
	int ret = btrfs_source_init(&state->btrfs, fd, walk->options->path, find_default);

	source_dir_unpin(walk->top);
	if (!ret && find_default && !state->btrfs.default_id && !walk->quiet)
		warning("%s: only root may read which subvolume is its default: the top level becomes that; "
			"choose another with --subvol default:PATH", walk->options->path);
	return ret;
}

static int check_defaults(const struct tree_walk *walk)
{
	const struct source_subvolumes *set = walk->options->subvolumes;
	const struct source_rules *rules = walk->options->rules;

	if (!set->default_spec || !rules || !rules->default_subvolume)
		return 0;
	error("--subvol %s and %s:%llu: only one subvolume can be the default", set->default_spec->text,
	      rules->default_subvolume->file, (unsigned long long)rules->default_subvolume->line);
	return -EINVAL;
}

int walk_subvolumes_init(struct tree_walk *walk)
{
	const struct source_subvolumes *set = walk->options->subvolumes;

	if (!set)
		return 0;
	if (check_defaults(walk))
		return -EINVAL;
	walk->subvolumes.found = calloc(set->nr_nodes, sizeof(*walk->subvolumes.found));
	if (!walk->subvolumes.found) {
		error("%s: not enough memory to look for its subvolumes", walk->options->path);
		return -ENOMEM;
	}
	return set->automatic ? init_automatic(walk) : 0;
}

/* A subvolume in the source? Every root of one has this number, and so have a few other directories. */
static int match_source(struct tree_walk *walk, struct walk_item *item)
{
	struct walk_subvolumes *state = &walk->subvolumes;
	int fd, ret;

	if (!walk->options->subvolumes->automatic || item->made || item->found.st_ino != BTRFS_FIRST_FREE_OBJECTID)
		return 0;
	fd = source_dir_pin(item->dir);
	if (fd < 0)	/* one that is gone will be missed when its names are read */
		return source_error_is_vanished(fd) ? 0 : fd;
	ret = btrfs_source_subvolume(&state->btrfs, fd, &item->subvolume);
	source_dir_unpin(item->dir);
	if (ret <= 0)
		return ret;
	item->is_subvolume = item->of_source = true;
	state->default_found |= item->subvolume.is_default;
	return 0;
}

static void match_spec(struct tree_walk *walk, struct walk_item *item)
{
	const struct source_subvolumes *set = walk->options->subvolumes;
	u32 node = PATH_NODE_TOP;

	if (item->parent)
		node = item->parent->spec_node == PATH_NODE_NONE ? PATH_NODE_NONE :
			source_subvolumes_child(set, item->parent->spec_node, item->name, item->name_len);
	item->dir->spec_node = node;
	if (!set->spec_of[node])
		return;
	item->is_subvolume = true;
	item->subvolume = set->spec_of[node]->type;
	walk->subvolumes.found[node] = true;
}

int walk_subvolumes_match(struct tree_walk *walk, struct walk_item *item)
{
	item->dir->subvolume = item->parent ? item->parent->subvolume : 0;
	if (walk->options->subvolumes) {
		int ret = item->parent ? match_source(walk, item) : 0;

		if (ret < 0)
			return ret;
		match_spec(walk, item);
	}
	if (item->entry && item->entry->keys & MANIFEST_SUBVOL) {
		item->is_subvolume = true;
		item->subvolume = item->entry->subvol;
	}
	if (item->is_subvolume)
		item->dir->subvolume = ++walk->subvolumes.nr;
	return 0;
}

static bool default_is_elsewhere(const struct walk_subvolumes *state)
{
	const u64 id = state->btrfs.default_id;

	return id && id != state->btrfs.top_id && id != BTRFS_FS_TREE_OBJECTID && !state->default_found;
}

int walk_subvolumes_finish(struct tree_walk *walk)
{
	const struct source_subvolumes *set = walk->options->subvolumes;
	struct walk_subvolumes *state = &walk->subvolumes;
	u32 node;

	for (node = 0; set && node < set->nr_nodes; node++) {
		if (!set->spec_of[node] || state->found[node])
			continue;
		error("--subvol %s: the directory is not among what is copied: it vanished, or another option leaves "
		      "it out", set->spec_of[node]->text);
		return -ENOENT;
	}
	if (!walk->quiet && default_is_elsewhere(state)) {
		warning("%s: its default subvolume, id %llu, is not in this tree: the top level becomes the default",
			walk->options->path, (unsigned long long)state->btrfs.default_id);
		state->default_found = true;
	}
	return 0;
}
