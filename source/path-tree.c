// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "source/dir-list.h"
#include "source/path-tree.h"

#define FIRST_SIZE	16

static u32 hash_of(u32 parent, const char *name, size_t len)
{
	u64 hash = 0xcbf29ce484222325ULL ^ parent;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (u8)name[i]) * 0x100000001b3ULL;
	return (u32)(hash ^ hash >> 32);
}

/* The slot of the child, or the free one where it belongs. */
static u32 *find_slot(const struct path_tree *tree, u32 parent, const char *name, size_t len)
{
	u32 index = hash_of(parent, name, len) & (tree->nr_slots - 1);

	for (;; index = (index + 1) & (tree->nr_slots - 1)) {
		u32 *slot = &tree->slots[index];
		const struct path_node *node = &tree->nodes[*slot];

		if (*slot == PATH_NODE_NONE)
			return slot;
		if (node->parent == parent && node->name_len == len && memcmp(node->name, name, len) == 0)
			return slot;
	}
}

/* Twice as many nodes, and at least as many free slots as there are nodes. */
static int grow(struct path_tree *tree)
{
	u32 size = tree->size ? tree->size * 2 : FIRST_SIZE;
	struct path_node *nodes;
	u32 *slots;

	if (size < tree->size || size > UINT32_MAX / 4)
		return -ENOMEM;
	nodes = realloc(tree->nodes, size * sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	tree->nodes = nodes;
	slots = calloc((size_t)size * 2, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(tree->slots);
	tree->slots = slots;
	tree->nr_slots = size * 2;
	tree->size = size;
	if (!tree->nr) {
		memset(nodes, 0, 2 * sizeof(*nodes));
		tree->nr = 2;
	}
	for (u32 i = PATH_NODE_TOP + 1; i < tree->nr; i++)
		*find_slot(tree, nodes[i].parent, nodes[i].name, nodes[i].name_len) = i;
	return 0;
}

u32 path_tree_child(const struct path_tree *tree, u32 parent, const char *name, size_t name_len)
{
	if (parent == PATH_NODE_NONE || tree->nr <= PATH_NODE_TOP)
		return PATH_NODE_NONE;
	return *find_slot(tree, parent, name, name_len);
}

static int add_child(struct path_tree *tree, u32 parent, const char *name, size_t len, u32 *node)
{
	u32 number = path_tree_child(tree, parent, name, len);
	char *copy;

	if (number != PATH_NODE_NONE) {
		*node = number;
		return 0;
	}
	if (tree->nr == tree->size) {
		int ret = grow(tree);

		if (ret < 0)
			return ret;
	}
	copy = strndup(name, len);
	if (!copy)
		return -ENOMEM;
	number = tree->nr++;
	tree->nodes[number] = (struct path_node){
		.parent = parent, .next_sibling = tree->nodes[parent].first_child, .name = copy, .name_len = (u32)len,
	};
	tree->nodes[parent].first_child = number;
	*find_slot(tree, parent, name, len) = number;
	*node = number;
	return 0;
}

static const char *check_component(const char *name, size_t len)
{
	if (len == 2 && name[0] == '.' && name[1] == '.')
		return "goes out of its directory with ..";
	if (len > SOURCE_NAME_MAX)
		return "has a name of more than 255 bytes";
	if (memchr(name, '\0', len))
		return "has a NUL byte";
	return NULL;
}

const char *path_tree_add(struct path_tree *tree, const char *path, size_t len, u32 *node, int *error)
{
	const char *end = path + len;

	*error = -EINVAL;
	if (!len)
		return "is empty; the top directory is .";
	*error = tree->nr ? 0 : grow(tree);
	*node = PATH_NODE_TOP;
	while (!*error && path < end) {
		const char *slash = memchr(path, '/', (size_t)(end - path));
		size_t name_len = (size_t)((slash ? slash : end) - path);
		const char *problem = check_component(path, name_len);

		if (problem) {
			*error = -EINVAL;
			return problem;
		}
		if (name_len && !(name_len == 1 && path[0] == '.'))
			*error = add_child(tree, *node, path, name_len, node);
		path += name_len + (slash ? 1 : 0);
	}
	return *error ? "does not fit in memory" : NULL;
}

char *path_tree_path(const struct path_tree *tree, u32 node)
{
	size_t len = 0;
	char *path, *at;

	if (node == PATH_NODE_TOP)
		return strdup(".");
	for (u32 i = node; i != PATH_NODE_TOP; i = tree->nodes[i].parent)
		len += tree->nodes[i].name_len + 1;
	path = malloc(len);
	if (!path)
		return NULL;
	at = path + len;
	*--at = '\0';
	for (u32 i = node; i != PATH_NODE_TOP; i = tree->nodes[i].parent) {
		if (i != node)
			*--at = '/';
		at -= tree->nodes[i].name_len;
		memcpy(at, tree->nodes[i].name, tree->nodes[i].name_len);
	}
	return path;
}

void path_tree_release(struct path_tree *tree)
{
	for (u32 i = PATH_NODE_TOP + 1; i < tree->nr; i++)
		free(tree->nodes[i].name);
	free(tree->nodes);
	free(tree->slots);
	*tree = (struct path_tree){ 0 };
}
