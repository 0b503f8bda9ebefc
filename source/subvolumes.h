/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which directories become subvolumes: the paths of the options as a tree of names, so that a walk needs to
 * know one node for each directory, never its path. Constant once made; any thread may read it.
 */
#ifndef BO_SOURCE_SUBVOLUMES_H
#define BO_SOURCE_SUBVOLUMES_H

#include "source/source.h"

#define SUBVOLUME_NODE_NONE	((u32)0)	/* no path of an option goes on below */
#define SUBVOLUME_NODE_TOP	((u32)1)

struct subvolume_node {
	u32 parent;
	u32 name_len;
	char *name;
	const struct source_subvolume_spec *spec;	/* NULL: only on the way to one */
};

struct source_subvolumes {
	struct source_subvolume_spec *specs;
	unsigned nr_specs;
	bool automatic;
	const struct source_subvolume_spec *default_spec;	/* or NULL */
	struct subvolume_node *nodes;	/* from SUBVOLUME_NODE_TOP on; the first is not used */
	u32 nr_nodes;
	u32 max_nodes;
	u32 *slots;			/* hash table of node numbers */
	u32 nr_slots;			/* power of two */
};

/* The node of @name below node @parent, or SUBVOLUME_NODE_NONE. */
u32 source_subvolumes_child(const struct source_subvolumes *subvolumes, u32 parent, const char *name,
			    size_t name_len);

#endif
