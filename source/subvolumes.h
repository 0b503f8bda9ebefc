/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which directories become subvolumes: the paths of the options. Constant once made; any thread may read it.
 */
#ifndef BO_SOURCE_SUBVOLUMES_H
#define BO_SOURCE_SUBVOLUMES_H

#include "source/path-tree.h"
#include "source/source.h"

struct source_subvolumes {
	struct source_subvolume_spec *specs;
	unsigned nr_specs;
	bool automatic;
	const struct source_subvolume_spec *default_spec;	/* or NULL */
	struct path_tree paths;
	const struct source_subvolume_spec **spec_of;	/* by node; NULL: only on the way to one */
	u32 nr_nodes;
};

/* The node of @name below node @parent, or PATH_NODE_NONE. */
u32 source_subvolumes_child(const struct source_subvolumes *subvolumes, u32 parent, const char *name,
			    size_t name_len);

#endif
