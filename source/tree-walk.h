/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order in which a directory tree is seen, and what is left out of it: the part that the
 * iterator of entries and the survey share. All names of a directory, sorted; then its
 * directories, depth first. Memory is needed for directories that wait, and for the names of one.
 *
 * One thread.
 */
#ifndef BO_SOURCE_TREE_WALK_H
#define BO_SOURCE_TREE_WALK_H

#include <sys/stat.h>

#include "common/types.h"
#include "source/btrfs-source.h"
#include "source/dir-handle.h"
#include "source/dir-list.h"
#include "source/overlay.h"

struct walk_item {
	struct source_dir *parent;	/* NULL: the top */
	struct source_dir *dir;		/* a directory's own handle, or NULL */
	const char *name;		/* NUL-terminated, "" for the top */
	size_t name_len;
	int at_fd;			/* of the parent (the top: its own), until the next call; -1: it is made */
	const char *at_name;		/* the name as a system call wants it: "." for the top */
	struct stat found;		/* as the source has it */
	u64 dev;			/* of that; 0: the source has none */
	/* what the rules make of it */
	struct stat st;
	struct stat data;		/* of the file that has the data; zeros: there is none */
	const struct path_rule *rule;	/* what was said of its path, or NULL */
	const struct manifest_entry *entry;	/* the part of it that a manifest says, or NULL */
	u32 node;
	bool made;			/* the source has no such entry, or another one that is not used */
	bool nodatacow;
	bool nodatasum;
	const struct compression *compress;	/* that the manifest asks for, here or above; or NULL */
	bool is_subvolume;
	bool of_source;			/* is one in the source, and of the source's own filesystem */
	struct source_subvolume subvolume;
};

/* What a walk knows of subvolumes. */
struct walk_subvolumes {
	u32 nr;				/* seen so far */
	bool *found;			/* by node of the set: specs that were met */
	struct btrfs_source btrfs;	/* when they come from the source itself */
	bool default_found;
};

struct tree_walk {
	const struct source_options *options;	/* outlives the walk */
	bool quiet;			/* no warnings: another walk gives them */
	u64 changes;			/* names that vanished, directories that could not be listed */
	struct source_dir *top;
	struct source_dir *current;	/* the directory whose names are in the list; pinned */
	int current_fd;
	struct dir_list list;
	size_t next;			/* in the list */
	struct source_dir **pending;	/* a stack */
	size_t nr_pending;
	size_t pending_size;
	size_t first_child;		/* in pending: where the directories of the current one start */
	struct overlay overlay;
	struct walk_item item;
	struct walk_subvolumes subvolumes;
	bool started;
};

/* Returns 0 or -errno after a message that names the path. Release only after success. */
int tree_walk_init(struct tree_walk *walk, const struct source_options *options, bool quiet);
void tree_walk_release(struct tree_walk *walk);

/* 1: *item is the next, valid until the next call; 0: the end; -errno after a message. */
int tree_walk_next(struct tree_walk *walk, const struct walk_item **item);

/*
 * The parts of a walk that deal with subvolumes (walk-subvolumes.c). match: a directory's handle was just made;
 * fills in its subvolume; no message. finish: all names were seen; -ENOENT after a message when a path of an option
 * was not among them. 0 or -errno.
 */
int walk_subvolumes_init(struct tree_walk *walk);
int walk_subvolumes_match(struct tree_walk *walk, struct walk_item *item);
int walk_subvolumes_finish(struct tree_walk *walk);

/* The current item is gone, or no longer what it was: warn, count, and do not descend. */
void tree_walk_drop_item(struct tree_walk *walk, const char *what);

#endif
