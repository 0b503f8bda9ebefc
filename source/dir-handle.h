/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Directories of a source tree as handles. A directory is known by its parent and its name in
 * there, never by a path, so that neither the length of a path nor the depth of a tree is limited.
 * A descriptor is opened when it is needed, by walking down from the nearest ancestor that has
 * one, and every step checks that the directory is still the one (device, inode) that was found.
 *
 * Reference counts and descriptors may be used from any thread. A handle keeps its ancestors
 * alive; the last handle of a tree takes the tree with it.
 */
#ifndef BO_SOURCE_DIR_HANDLE_H
#define BO_SOURCE_DIR_HANDLE_H

#include <pthread.h>
#include <stdatomic.h>

#include "common/types.h"
#include "source/source.h"

/* Descriptors that stay open though nobody uses them right now. */
#define DIR_TREE_MAX_IDLE	256

struct dir_tree {
	char *top;		/* as the user wrote it: for messages */
	pthread_mutex_t lock;
	/* under the lock: directories with a descriptor and no user, latest first */
	struct source_dir *idle_first;
	struct source_dir *idle_last;
	unsigned nr_idle;
	unsigned max_idle;
};

struct source_dir {
	struct dir_tree *tree;
	struct source_dir *parent;	/* NULL: the top; a reference is held */
	atomic_uint refs;
	u64 dev;
	u64 ino;
	/* the iterator's thread only */
	struct source_cookie cookie;
	u32 subvolume;			/* which one of the walk it lies in; 0: none, the top level */
	u32 spec_node;			/* where its path is in the set of subvolumes; 0: nowhere */
	u32 node;			/* in the rules' tree of paths */
	bool made;			/* by a manifest: there is no such directory on disk */
	bool nodatacow;			/* entries inherit these */
	bool nodatasum;
	const struct compression *compress;
	/* under the tree's lock */
	int fd;				/* -1: closed */
	unsigned pins;			/* users of fd */
	bool idle;			/* is on the list of idle directories */
	struct source_dir *idle_prev;
	struct source_dir *idle_next;
	struct source_dir *towards;	/* child on the way down, while a descriptor is being opened */
	/* never changes */
	size_t name_len;
	char name[];			/* NUL-terminated */
};

/*
 * Opens the top of a tree (a symlink is followed here, and only here); its descriptor stays open.
 * The caller holds one reference. Returns 0 or -errno without a message.
 */
int source_dir_open_top(struct source_dir **top, const char *path, unsigned max_idle);

/* A directory seen in @parent; opens nothing. One reference for the caller; NULL: memory. */
struct source_dir *source_dir_create(struct source_dir *parent, const char *name, size_t name_len, u64 dev,
				     u64 ino);

struct source_dir *source_dir_get(struct source_dir *dir);
void source_dir_put(struct source_dir *dir);	/* NULL is fine */

/*
 * A descriptor (O_RDONLY) that stays open until the matching unpin, or -errno: -ESTALE when
 * another directory, or something else, has its name now. Pins of one directory share the descriptor.
 */
int source_dir_pin(struct source_dir *dir);
void source_dir_unpin(struct source_dir *dir);

/* Closes what nobody uses in the tree of @dir: for a caller that ran out of descriptors. */
void source_dir_close_idle(struct source_dir *dir);

/* Does -errno @ret say that a name is gone, or is no longer what it was? */
bool source_error_is_vanished(int ret);

#endif
