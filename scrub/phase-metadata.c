// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks every tree from every root, log trees too, and verifies all copies of every block. Blocks
 * that several trees share are verified with the first of them.
 */
#include <errno.h>
#include <string.h>

#include "reader/tree-walk.h"
#include "scrub/block-check.h"
#include "scrub/leaf-check.h"

struct tree_pass {
	struct scrub *run;
	struct block_reader *reader;
	struct leaf_checker leaves;
	/* the tree that is walked */
	const struct btrfs_tree_root *root;
	size_t tree;			/* in the report */
	struct btrfs_place place;	/* of the block that was read last */
	/* the node above the leaves that are read ahead */
	const void *parent;
	struct btrfs_block_ref parent_ref;
	u32 next_hint;
};

static void read_ahead(struct tree_pass *pass, const struct btrfs_block_ref *ref)
{
	u32 nr;

	if (!pass->parent || ref->level || pass->parent_ref.bytenr != ref->parent)
		return;
	nr = btrfs_header_nritems(pass->parent);
	pass->next_hint = MAX(pass->next_hint, (u32)ref->slot);
	for (; pass->next_hint < nr; pass->next_hint++) {
		const struct btrfs_block_ref child = btrfs_child_ref(&pass->parent_ref, pass->parent,
								     pass->next_hint);

		if (seen_blocks_find(&pass->run->seen, &child) != SEEN_NEVER)
			continue;
		if (!block_reader_hint(pass->reader, &child))
			break;
	}
}

/* All copies are read and judged. Returns WALK_CONTINUE with the block in @buf, WALK_SKIP, or -errno. */
static int verify(struct tree_pass *pass, const struct btrfs_block_ref *ref, void *buf, bool again)
{
	struct scrub_tree_report *tree = &pass->run->report->trees[pass->tree];
	const struct block_copies *copies;
	int ret;

	read_ahead(pass, ref);
	copies = block_reader_get(pass->reader, ref);
	if (copies->result[0].error == -ENOMEM)
		return -ENOMEM;
	if (scrub_judge_block(pass->run, copies, again))
		tree->bad++;
	if (again)
		return BTRFS_WALK_SKIP;
	tree->blocks++;
	if (copies->good >= 0 && ref->tree != BTRFS_TREE_LOG_OBJECTID)
		pass->run->tree_blocks++;
	ret = seen_blocks_add(&pass->run->seen, ref, copies->good < 0 ? NULL : copies->buf[copies->good]);
	if (ret)
		return ret;
	if (copies->good < 0)
		return BTRFS_WALK_SKIP;
	pass->place = copies->result[copies->good].place;
	memcpy(buf, copies->buf[copies->good], pass->run->image->check.nodesize);
	return BTRFS_WALK_CONTINUE;
}

/* No copy was good when another reference led here. That one may have been wrong, not the block. */
static int read_bad_again(struct tree_pass *pass, const struct btrfs_block_ref *ref, void *buf)
{
	int ret = btrfs_read_block(pass->run->image, ref, buf, NULL);

	if (ret)
		return ret == -EUCLEAN ? BTRFS_WALK_SKIP : ret;
	ret = btrfs_locate(pass->run->image, ref->bytenr, 0, &pass->place);
	if (!ret)
		ret = seen_blocks_add(&pass->run->seen, ref, buf);
	return ret;
}

static int read_block(void *arg, const struct btrfs_block_ref *ref, void *buf)
{
	struct tree_pass *pass = arg;
	int ret = scrub_stopped(pass->run);

	if (ret)
		return ret;
	switch (seen_blocks_find(&pass->run->seen, ref)) {
	case SEEN_GOOD:
		return BTRFS_WALK_SKIP;
	case SEEN_BAD:
		return read_bad_again(pass, ref, buf);
	case SEEN_OTHER:
		return verify(pass, ref, buf, true);
	default:
		return verify(pass, ref, buf, false);
	}
}

static int visit_node(void *arg, const struct btrfs_block_ref *ref, const void *node)
{
	struct tree_pass *pass = arg;

	/* the walk keeps the block of a level until it comes to the next one there */
	if (ref->level == 1) {
		pass->parent = node;
		pass->parent_ref = *ref;
		pass->next_hint = 0;
	}
	return BTRFS_WALK_CONTINUE;
}

static int visit_leaf(void *arg, const struct btrfs_block_ref *ref, const void *leaf)
{
	struct tree_pass *pass = arg;

	return leaf_checker_add(&pass->leaves, pass->root, ref, leaf, &pass->place);
}

static void report_shape(void *arg, const struct btrfs_block_ref *ref, const char *text)
{
	struct tree_pass *pass = arg;
	struct scrub_finding finding = scrub_new_finding(SCRUB_TREE_BLOCK);
	struct scrub_counters *counters = &pass->run->report->elsewhere;

	finding.logical = ref->bytenr;
	finding.length = pass->run->image->check.nodesize;
	finding.tree = ref->tree;
	finding.level = ref->level;
	finding.has_key = ref->has_first_key;
	finding.key = ref->first_key;
	scrub_finding_text(&finding, "%s (slot %d of node %llu)", text, ref->slot,
			   (unsigned long long)ref->parent);
	scrub_add_finding(pass->run->report, &finding);
	counters->verify_errors += scrub_sectors_per_node(pass->run);
	counters->uncorrectable_errors += scrub_sectors_per_node(pass->run);
	scrub_tree_damaged(pass->run, ref->tree);
}

static int walk_tree(void *arg, const struct btrfs_tree_root *root)
{
	static const struct btrfs_walk_ops ops = {
		.read = read_block,
		.node = visit_node,
		.leaf = visit_leaf,
		.bad_shape = report_shape,
	};
	struct tree_pass *pass = arg;
	struct scrub_tree_report *tree = scrub_add_tree(pass->run->report);

	if (!tree)
		return -ENOMEM;
	tree->objectid = root->objectid;
	tree->offset = root->offset;
	pass->tree = pass->run->report->nr_trees - 1;
	pass->root = root;
	pass->parent = NULL;
	/* a removal stops anywhere, and what it frees is not what a sum can be held against */
	if (!root->refs && root->drop_progress.objectid)
		pass->run->block_groups_sound = false;
	return btrfs_walk_tree(pass->run->image, root, &ops, pass);
}

static int walk_all(struct tree_pass *pass)
{
	const struct btrfs_tree_root chunk_root = btrfs_chunk_tree_root(pass->run->image);
	const struct btrfs_tree_root root_root = btrfs_root_tree_root(pass->run->image);
	struct btrfs_tree_root log_root;
	int ret;

	ret = walk_tree(pass, &chunk_root);
	if (!ret)
		ret = walk_tree(pass, &root_root);
	if (!ret)
		ret = btrfs_each_root(pass->run->image, &root_root, walk_tree, pass);
	if (ret || !btrfs_log_tree_root(pass->run->image, &log_root))
		return ret;
	ret = walk_tree(pass, &log_root);
	if (!ret)
		ret = btrfs_each_root(pass->run->image, &log_root, walk_tree, pass);
	return ret;
}

/* Trees that every filesystem has. */
static int check_roots_exist(struct scrub *run)
{
	static const u64 needed[] = {
		BTRFS_EXTENT_TREE_OBJECTID, BTRFS_DEV_TREE_OBJECTID, BTRFS_FS_TREE_OBJECTID,
		BTRFS_CSUM_TREE_OBJECTID,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(needed); i++) {
		struct scrub_finding finding = scrub_new_finding(SCRUB_TREE_BLOCK);
		struct btrfs_tree_root root;
		int ret = btrfs_find_root(run->image, needed[i], &root);

		if (ret == -ENOMEM)
			return ret;
		if (ret)
			scrub_tree_damaged(run, needed[i]);
		if (ret != -ENOENT)
			continue;
		finding.tree = needed[i];
		scrub_finding_text(&finding, "the root tree has no item for this tree");
		scrub_add_finding(run->report, &finding);
		run->report->elsewhere.verify_errors++;
		run->report->elsewhere.uncorrectable_errors++;
	}
	return 0;
}

int scrub_metadata(struct scrub *run)
{
	struct tree_pass pass = { .run = run };
	int ret;

	ret = leaf_checker_init(&pass.leaves, run);
	if (!ret)
		ret = block_reader_create(&pass.reader, run->image, run->options->threads);
	if (!ret)
		ret = walk_all(&pass);
	if (!ret)
		ret = check_roots_exist(run);
	block_reader_destroy(pass.reader);
	leaf_checker_release(&pass.leaves);
	return ret;
}
