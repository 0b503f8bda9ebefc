/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules applied to what a walk finds: between the directory tree on disk and all that reads a walk, so that
 * the survey and the run see one tree. Belongs to the walk's thread.
 */
#ifndef BO_SOURCE_OVERLAY_H
#define BO_SOURCE_OVERLAY_H

#include "source/dir-handle.h"
#include "source/dir-list.h"
#include "source/rules-internal.h"

struct walk_item;

/* A file with several names, one of which has a rule: it holds for all of them. */
struct overlay_link {
	u64 dev;
	u64 ino;
	u32 node;
};

struct overlay {
	const struct source_rules *rules;	/* NULL: the tree as it is */
	struct timespec now;
	bool *met;			/* by node: the walk has come to the path */
	struct overlay_link *links;
	size_t nr_links;
	char *path;			/* of the current directory, and room for a name behind it */
	size_t path_len;		/* with the slash behind it; 0: the top, or no rule asks for paths */
	size_t path_size;
};

/* Returns 0 or -errno after a message. Release in either case. */
int overlay_init(struct overlay *overlay, const struct source_options *options, struct source_dir *top);
void overlay_release(struct overlay *overlay);

/*
 * The walk has listed directory @dir: adds the names that a manifest makes in there. Returns 0 or -ENOMEM.
 */
int overlay_enter(struct overlay *overlay, const struct source_dir *dir, struct dir_list *list);

/* A new item, of which only the name is known: looks up what was said of its path. */
void overlay_begin(const struct overlay *overlay, struct walk_item *item);
bool overlay_excludes(const struct overlay *overlay, const struct walk_item *item, bool is_dir);
/* Does a manifest make the entry when the source lacks it? */
bool overlay_makes(const struct overlay *overlay, const struct walk_item *item);

/*
 * The item as it is to be. @found: item->found is filled in. 1; 0: there is no such entry after all; -errno after a
 * message.
 */
int overlay_apply(struct overlay *overlay, struct walk_item *item, bool found);
/* Flags of a file or directory, once it is known where it inherits from: not across the border of a subvolume. */
void overlay_set_flags(struct walk_item *item, bool inherit);
/* The new handle of a directory takes over what goes on below it. */
void overlay_pass_on(const struct walk_item *item, struct source_dir *dir);

/* The walk is at its end: -ENOENT after a message for each rule whose path it has not met. */
int overlay_finish(const struct overlay *overlay);

#endif
