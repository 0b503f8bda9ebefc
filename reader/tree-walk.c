// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tree walk: see tree-walk.h. One frame per level; a frame is a node whose slots are
 * visited one after the other.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/bytenr-set.h"
#include "reader/tree-walk.h"

struct walk_frame {
	struct btrfs_block_ref ref;
	void *block;
	u32 slot;	/* next to visit */
	u32 edge_slot;	/* the slot on the path of a removal, or NO_EDGE */
};

#define NO_EDGE ((u32)-1)

struct walk {
	const struct btrfs_image *image;
	const struct btrfs_tree_root *root;
	const struct btrfs_walk_ops *ops;
	void *arg;
	struct bytenr_set seen;
	struct walk_frame frames[BTRFS_MAX_LEVEL];
};

static int init_frames(struct walk *walk)
{
	int level;

	for (level = 0; level <= walk->root->level; level++) {
		walk->frames[level].block = btrfs_block_buffer(walk->image->check.nodesize);
		if (!walk->frames[level].block)
			return -ENOMEM;
	}
	return 0;
}

static void release_walk(struct walk *walk)
{
	int level;

	for (level = 0; level < BTRFS_MAX_LEVEL; level++)
		free(walk->frames[level].block);
	bytenr_set_release(&walk->seen);
}

static bool removal_under_way(const struct btrfs_tree_root *root)
{
	return !root->refs && root->drop_progress.objectid && root->drop_level <= root->level;
}

/* The last slot with a key <= @key: everything left of it is gone. */
static u32 first_kept_slot(const void *node, const struct btrfs_key *key)
{
	const u32 nr = btrfs_header_nritems(node);
	u32 slot = 0;

	while (slot + 1 < nr) {
		const struct btrfs_key next = btrfs_node_key(node, slot + 1);

		if (btrfs_comp_cpu_keys(&next, key) > 0)
			break;
		slot++;
	}
	return slot;
}

/* A node was read: where its visit starts. @on_edge: it lies on the path that a removal took. */
static void open_frame(struct walk *walk, struct walk_frame *frame, bool on_edge)
{
	frame->slot = 0;
	frame->edge_slot = NO_EDGE;
	if (!on_edge || frame->ref.level < walk->root->drop_level)
		return;
	frame->slot = first_kept_slot(frame->block, &walk->root->drop_progress);
	frame->edge_slot = frame->slot;
}

/* Reads the block and tells the caller. Returns 1: a node to descend into; 0; -errno. */
static int visit(struct walk *walk, const struct btrfs_block_ref *ref)
{
	struct walk_frame *frame = &walk->frames[ref->level];
	int ret;

	if (bytenr_set_has(&walk->seen, ref->bytenr)) {
		if (walk->ops->bad_shape)
			walk->ops->bad_shape(walk->arg, ref, "this block was met before in the same tree");
		return 0;
	}
	ret = walk->ops->read(walk->arg, ref, frame->block);
	if (ret)
		return ret < 0 ? ret : 0;
	ret = bytenr_set_add(&walk->seen, ref->bytenr);
	if (ret < 0)
		return ret;
	frame->ref = *ref;
	if (!ref->level)
		ret = walk->ops->leaf ? walk->ops->leaf(walk->arg, ref, frame->block) : 0;
	else
		ret = walk->ops->node ? walk->ops->node(walk->arg, ref, frame->block) : 0;
	if (ret < 0)
		return ret;
	return ref->level && !ret;
}

static int walk_frames(struct walk *walk)
{
	int level = walk->root->level;

	while (level <= walk->root->level) {
		struct walk_frame *frame = &walk->frames[level];
		struct btrfs_block_ref child;
		bool on_edge;
		int ret;

		if (frame->slot >= btrfs_header_nritems(frame->block)) {
			level++;
			continue;
		}
		on_edge = frame->slot == frame->edge_slot;
		child = btrfs_child_ref(&frame->ref, frame->block, frame->slot++);
		ret = visit(walk, &child);
		if (ret < 0)
			return ret;
		if (!ret)
			continue;
		level--;
		open_frame(walk, &walk->frames[level], on_edge);
	}
	return 0;
}

int btrfs_walk_tree(const struct btrfs_image *image, const struct btrfs_tree_root *root,
		    const struct btrfs_walk_ops *ops, void *arg)
{
	struct walk walk = { .image = image, .root = root, .ops = ops, .arg = arg };
	const struct btrfs_block_ref ref = btrfs_root_ref(root);
	int ret;

	if (root->level >= BTRFS_MAX_LEVEL)
		return -EINVAL;
	ret = init_frames(&walk);
	if (!ret)
		ret = visit(&walk, &ref);
	if (ret > 0) {
		open_frame(&walk, &walk.frames[root->level], removal_under_way(root));
		ret = walk_frames(&walk);
	}
	release_walk(&walk);
	return ret;
}

int btrfs_walk_read_any(const struct btrfs_image *image, const struct btrfs_block_ref *ref, void *buf)
{
	int ret = btrfs_read_block(image, ref, buf, NULL);

	return ret == -EUCLEAN ? BTRFS_WALK_SKIP : ret;
}
