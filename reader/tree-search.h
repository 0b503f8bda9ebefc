/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cursor over the items of one tree in the order of keys. It owns one block per
 * level and nothing else; several cursors may read one image in several threads, each
 * cursor belongs to one.
 *
 * A block without any good copy is stepped over: the cursor goes on behind it and counts it in
 * skipped_blocks. So an answer "no more items" is complete only when skipped_blocks is 0.
 */
#ifndef BO_READER_TREE_SEARCH_H
#define BO_READER_TREE_SEARCH_H

#include "reader/roots.h"

struct btrfs_cursor {
	/* for the owner to read, while the last call returned 0 */
	const void *leaf;		/* item table is good; payloads are not checked: btrfs_check_item() */
	u32 slot;
	struct btrfs_key key;
	const void *item;		/* payload inside ->leaf, valid until the next call */
	u32 size;
	struct btrfs_block_ref leaf_ref;
	u64 skipped_blocks;		/* since btrfs_cursor_init() */
	/* private */
	const struct btrfs_image *image;
	struct btrfs_tree_root root;
	int root_level;
	struct btrfs_block_ref ref[BTRFS_MAX_LEVEL];	/* .bytenr 0: nothing loaded at this level */
	void *block[BTRFS_MAX_LEVEL];
	u32 slots[BTRFS_MAX_LEVEL];
};

/* Reads nothing yet. Returns 0 or -ENOMEM. @image outlives the cursor. */
int btrfs_cursor_init(struct btrfs_cursor *cursor, const struct btrfs_image *image,
		      const struct btrfs_tree_root *root);
void btrfs_cursor_release(struct btrfs_cursor *cursor);

/* To the first item with a key >= @key. Returns 0; 1: there is none; -ENOMEM. */
int btrfs_cursor_seek(struct btrfs_cursor *cursor, const struct btrfs_key *key);

/* To the last item with a key <= @key; if there is none, to the first item of all. As seek(). */
int btrfs_cursor_seek_floor(struct btrfs_cursor *cursor, const struct btrfs_key *key);

/* To the next item. Only after a call that returned 0. Returns 0; 1: that was the last; -ENOMEM. */
int btrfs_cursor_next(struct btrfs_cursor *cursor);

#endif
