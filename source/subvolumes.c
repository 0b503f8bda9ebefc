// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tree of names of the --subvol options: see subvolumes.h. Reading the options is in subvolume-spec.c.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "source/subvolume-spec.h"
#include "source/subvolumes.h"

#define FIRST_SLOTS	64

/* ---- nodes ---- */

static u32 hash_of(u32 parent, const char *name, size_t len)
{
	u64 hash = 14695981039346656037ULL ^ parent;
	size_t i;

	for (i = 0; i < len; i++)
		hash = (hash ^ (u8)name[i]) * 1099511628211ULL;
	return (u32)(hash >> 32) ^ (u32)hash;
}

static bool is_node(const struct subvolume_node *node, u32 parent, const char *name, size_t len)
{
	return node->parent == parent && node->name_len == len && !memcmp(node->name, name, len);
}

/* The slot of the node, or the free one where it belongs. */
static u32 *find_slot(const struct source_subvolumes *set, u32 parent, const char *name, size_t len)
{
	u32 at = hash_of(parent, name, len) & (set->nr_slots - 1);

	while (set->slots[at] && !is_node(&set->nodes[set->slots[at]], parent, name, len))
		at = (at + 1) & (set->nr_slots - 1);
	return &set->slots[at];
}

u32 source_subvolumes_child(const struct source_subvolumes *set, u32 parent, const char *name, size_t name_len)
{
	return *find_slot(set, parent, name, name_len);
}

/* Room for one more node, the table at most half full. */
static int reserve(struct source_subvolumes *set)
{
	struct subvolume_node *nodes;
	u32 *slots, i, want = MAX(set->max_nodes * 2, (u32)FIRST_SLOTS);

	if (set->nr_nodes < set->max_nodes)
		return 0;
	nodes = realloc(set->nodes, want * sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	set->nodes = nodes;
	slots = calloc((size_t)want * 2, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(set->slots);
	set->slots = slots;
	set->nr_slots = want * 2;
	set->max_nodes = want;
	for (i = SUBVOLUME_NODE_TOP + 1; i < set->nr_nodes; i++)
		*find_slot(set, nodes[i].parent, nodes[i].name, nodes[i].name_len) = i;
	return 0;
}

static int add_node(struct source_subvolumes *set, u32 parent, const char *name, size_t len, u32 *number)
{
	char *copy;
	int ret;

	*number = source_subvolumes_child(set, parent, name, len);
	if (*number)
		return 0;
	ret = reserve(set);
	if (ret)
		return ret;
	copy = strndup(name, len);
	if (!copy)
		return -ENOMEM;
	*number = set->nr_nodes++;
	set->nodes[*number] = (struct subvolume_node){ .parent = parent, .name_len = (u32)len, .name = copy };
	*find_slot(set, parent, name, len) = *number;
	return 0;
}

/* ---- the set ---- */

static int add_path(struct source_subvolumes *set, const char *path, const struct source_subvolume_spec *spec)
{
	u32 node = SUBVOLUME_NODE_TOP;

	while (*path) {
		size_t len = strcspn(path, "/");
		int ret = add_node(set, node, path, len, &node);

		if (ret)
			return ret;
		path += len + (path[len] == '/');
	}
	if (set->nodes[node].spec) {
		error("--subvol %s: the same directory as --subvol %s; name it once", spec->text,
		      set->nodes[node].spec->text);
		return -EINVAL;
	}
	set->nodes[node].spec = spec;
	return 0;
}

static int add_spec(struct source_subvolumes *set, const char *rootdir, const char *top,
		    const struct source_subvolume_spec *spec)
{
	char *path;
	int ret;

	if (spec->automatic) {
		set->automatic = true;
		return subvolume_spec_check_automatic(spec, top);
	}
	if (spec->type.is_default && set->default_spec) {
		error("--subvol %s: the default is --subvol %s already; there can be one", spec->text,
		      set->default_spec->text);
		return -EINVAL;
	}
	if (spec->type.is_default)
		set->default_spec = spec;
	ret = subvolume_spec_resolve(spec, rootdir, top, &path);
	if (ret)
		return ret;
	ret = add_path(set, path, spec);
	free(path);
	return ret;
}

static int init(struct source_subvolumes *set, const struct source_subvolume_spec *specs, unsigned nr)
{
	int ret;

	ret = reserve(set);
	if (ret)
		return ret;
	set->nr_nodes = SUBVOLUME_NODE_TOP + 1;
	memset(set->nodes, 0, set->nr_nodes * sizeof(*set->nodes));
	set->specs = calloc(nr, sizeof(*specs));
	if (!set->specs)
		return -ENOMEM;
	memcpy(set->specs, specs, nr * sizeof(*specs));
	set->nr_specs = nr;
	return 0;
}

int source_subvolumes_create(struct source_subvolumes **out, const char *rootdir,
			     const struct source_subvolume_spec *specs, unsigned nr)
{
	struct source_subvolumes *set = calloc(1, sizeof(*set));
	char *top = NULL;
	unsigned i;
	int ret = set ? init(set, specs, nr) : -ENOMEM;

	if (!ret) {
		top = realpath(rootdir, NULL);
		if (!top) {
			ret = -errno;
			error("%s: cannot open the source directory: %s", rootdir, strerror(errno));
		}
	}
	for (i = 0; !ret && i < nr; i++)
		ret = add_spec(set, rootdir, top, &set->specs[i]);
	free(top);
	if (ret) {
		source_subvolumes_destroy(set);
		return ret;
	}
	*out = set;
	return 0;
}

void source_subvolumes_destroy(struct source_subvolumes *set)
{
	u32 i;

	if (!set)
		return;
	for (i = 0; set->nodes && i < set->nr_nodes; i++)
		free(set->nodes[i].name);
	free(set->nodes);
	free(set->slots);
	free(set->specs);
	free(set);
}
