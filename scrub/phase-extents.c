// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Goes through the extent tree: blocks of trees that no root leads to any more (a removed snapshot's)
 * are verified as well (reliability rule R-TB4), and allocated space is summed up per chunk.
 */
#include <errno.h>
#include <inttypes.h>

#include "common/checked.h"
#include "reader/tree-search.h"
#include "scrub/block-check.h"

struct extent_pass {
	struct scrub *run;
	struct block_reader *reader;
	u64 reached;			/* blocks that trees lead to as well */
};

/* A METADATA_ITEM or an EXTENT_ITEM of a tree block. False: the item says too little. */
static bool block_of_item(const struct btrfs_cursor *cursor, struct btrfs_block_ref *ref)
{
	const struct btrfs_extent_item *item = cursor->item;
	const struct btrfs_tree_block_info *info = (const struct btrfs_tree_block_info *)(item + 1);

	*ref = (struct btrfs_block_ref){
		.bytenr = cursor->key.objectid,
		.generation = le64_to_cpu(item->generation),
		.slot = -1,
	};
	if (cursor->key.type == BTRFS_METADATA_ITEM_KEY)
		ref->level = cursor->key.offset < BTRFS_MAX_LEVEL ? (int)cursor->key.offset : -1;
	else if (cursor->size >= sizeof(*item) + sizeof(*info))
		ref->level = info->level < BTRFS_MAX_LEVEL ? info->level : -1;
	else
		return false;
	return ref->level >= 0 && IS_ALIGNED(ref->bytenr, cursor->image->check.sectorsize);
}

static int verify_unreached(struct extent_pass *pass, const struct btrfs_block_ref *ref)
{
	const struct block_copies *copies = block_reader_get(pass->reader, ref);
	struct scrub *run = pass->run;

	if (copies->result[0].error == -ENOMEM)
		return -ENOMEM;
	scrub_judge_block(run, copies, false);
	return seen_blocks_add(&run->seen, ref, copies->good < 0 ? NULL : copies->buf[copies->good]);
}

/* Returns 0, or -errno. */
static int visit_extent(struct extent_pass *pass, const struct btrfs_cursor *cursor)
{
	const struct btrfs_extent_item *item = cursor->item;
	struct scrub *run = pass->run;
	struct btrfs_block_ref ref;
	bool data;
	u64 len;

	if (cursor->key.type != BTRFS_EXTENT_ITEM_KEY && cursor->key.type != BTRFS_METADATA_ITEM_KEY)
		return 0;
	if (btrfs_check_item(&run->image->check, cursor->leaf, cursor->slot, NULL, NULL))
		return 0;
	len = cursor->key.type == BTRFS_METADATA_ITEM_KEY ? run->image->check.nodesize : cursor->key.offset;
	data = cursor->key.type == BTRFS_EXTENT_ITEM_KEY && le64_to_cpu(item->flags) & BTRFS_EXTENT_FLAG_DATA;
	scrub_account_extent(&run->accounting, cursor->key.objectid, len, data);
	if (data || !block_of_item(cursor, &ref))
		return 0;
	if (!seen_blocks_has(&run->seen, ref.bytenr))
		return verify_unreached(pass, &ref);
	pass->reached++;
	return 0;
}

/* fsck's job to mend; here it only explains why the kernel may give those blocks away. */
static void note_unrecorded(struct scrub *run, u64 reached)
{
	if (run->extent_tree_sound && reached < run->tree_blocks)
		scrub_add_note(run->report, "%" PRIu64 " tree blocks have no extent item: see btrfs check",
			       run->tree_blocks - reached);
}

static int walk_extents(struct extent_pass *pass, const struct btrfs_tree_root *root)
{
	const struct btrfs_key start = { 0 };
	struct scrub *run = pass->run;
	struct btrfs_cursor cursor;
	int ret;

	ret = btrfs_cursor_init(&cursor, run->image, root);
	if (ret)
		return ret;
	ret = btrfs_cursor_seek(&cursor, &start);
	while (!ret) {
		ret = scrub_stopped(run);
		if (!ret)
			ret = visit_extent(pass, &cursor);
		if (!ret)
			ret = btrfs_cursor_next(&cursor);
	}
	if (cursor.skipped_blocks)
		run->extent_tree_sound = false;
	btrfs_cursor_release(&cursor);
	return ret < 0 ? ret : 0;
}

/* Now that it is known how much there is. */
static void correct_estimate(struct scrub *run)
{
	const struct btrfs_chunk_table *chunks = &run->image->chunks;
	u64 data = 0;
	size_t i;

	for (i = 0; i < chunks->nr; i++)
		data += run->accounting.chunks[i].data_bytes * (u64)btrfs_chunk_copies(chunks->maps[i]);
	run->bytes_total = run->bytes_done;
	if (run->options->parts == SCRUB_ALL && !run->image->features.metadump)
		run->bytes_total += data;
}

int scrub_extents(struct scrub *run)
{
	struct extent_pass pass = { .run = run };
	struct btrfs_tree_root root;
	int ret;

	ret = btrfs_find_root(run->image, BTRFS_EXTENT_TREE_OBJECTID, &root);
	if (ret) {
		if (ret == -ENOMEM)
			return ret;
		run->extent_tree_sound = false;
		scrub_add_note(run->report,
			       "the extent tree is lost: only blocks that trees lead to were verified");
		return 0;
	}
	ret = block_reader_create(&pass.reader, run->image, 0);
	if (ret)
		return ret;
	ret = walk_extents(&pass, &root);
	if (!ret) {
		run->accounting.complete = run->extent_tree_sound;
		correct_estimate(run);
		note_unrecorded(run, pass.reached);
	}
	block_reader_destroy(pass.reader);
	return ret;
}
