/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paths about which something was said, as a tree of names: a walk needs to know one node for each directory,
 * never its path. Constant once all paths are in; any thread may read it then.
 */
#ifndef BO_SOURCE_PATH_TREE_H
#define BO_SOURCE_PATH_TREE_H

#include "common/types.h"

#define PATH_NODE_NONE	((u32)0)	/* nothing was said of this, nor of anything below */
#define PATH_NODE_TOP	((u32)1)

struct path_node {
	u32 parent;
	u32 first_child;
	u32 next_sibling;
	u32 name_len;
	char *name;		/* NUL-terminated */
};

/* Zero-initialised is empty. */
struct path_tree {
	struct path_node *nodes;	/* from PATH_NODE_TOP on; the first is not used */
	u32 nr;				/* 0, or at least 2 */
	u32 size;
	u32 *slots;			/* hash table of node numbers */
	u32 nr_slots;			/* power of two */
};

/*
 * The node of @path (relative to the top; slashes at its ends or doubled, and "." are allowed), added when it is
 * new. Returns NULL, or what is wrong with it: a text for people. *error is -EINVAL then, or -ENOMEM.
 */
const char *path_tree_add(struct path_tree *tree, const char *path, size_t len, u32 *node, int *error);
/* The child of @parent, or PATH_NODE_NONE. */
u32 path_tree_child(const struct path_tree *tree, u32 parent, const char *name, size_t name_len);
/* The path as one text, "." for the top. The caller frees it; NULL: memory. */
char *path_tree_path(const struct path_tree *tree, u32 node);
void path_tree_release(struct path_tree *tree);

#endif
