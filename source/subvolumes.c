// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The paths of the --subvol options: see subvolumes.h. Reading the options is in subvolume-spec.c.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "source/subvolume-spec.h"
#include "source/subvolumes.h"

u32 source_subvolumes_child(const struct source_subvolumes *set, u32 parent, const char *name, size_t name_len)
{
	return path_tree_child(&set->paths, parent, name, name_len);
}

/* As many as there are nodes. */
static int grow_spec_of(struct source_subvolumes *set)
{
	const u32 nr = MAX(set->paths.nr, PATH_NODE_TOP + 1);
	const struct source_subvolume_spec **grown = reallocarray(set->spec_of, nr, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	memset(grown + set->nr_nodes, 0, (nr - set->nr_nodes) * sizeof(*grown));
	set->spec_of = grown;
	set->nr_nodes = nr;
	return 0;
}

static int add_path(struct source_subvolumes *set, const char *path, const struct source_subvolume_spec *spec)
{
	u32 node = PATH_NODE_NONE;
	int ret;
	const char *problem = path_tree_add(&set->paths, path, strlen(path), &node, &ret);

	if (problem)
		error("--subvol %s: the path %s", spec->text, problem);
	if (!ret)
		ret = grow_spec_of(set);
	if (ret)
		return ret;
	if (set->spec_of[node]) {
		error("--subvol %s: the same directory as --subvol %s; name it once", spec->text,
		      set->spec_of[node]->text);
		return -EINVAL;
	}
	set->spec_of[node] = spec;
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
	int ret = grow_spec_of(set);

	if (ret)
		return ret;
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
	if (!set)
		return;
	path_tree_release(&set->paths);
	free(set->spec_of);
	free(set->specs);
	free(set);
}
