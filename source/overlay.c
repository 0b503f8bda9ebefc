// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a walk asks the rules about one directory after the other: names to add, paths to leave out, rules that
 * were never met. See overlay.h; what becomes of a single entry is in overlay-entry.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/escape.h"
#include "common/message.h"
#include "source/overlay.h"
#include "source/path.h"
#include "source/tree-walk.h"

/* ---- hard links ---- */

static int refuse_two_rules(const struct overlay *overlay, u32 node, u32 other)
{
	char *first = rules_name_rule(&overlay->rules->paths[MIN(node, other)]);
	char *second = rules_name_rule(&overlay->rules->paths[MAX(node, other)]);

	error("%s and %s speak of two names of one file; keep one of them, or use --break-hardlinks",
	      first ? first : "a rule", second ? second : "a rule");
	free(first);
	free(second);
	return -EINVAL;
}

/* Remembers the file at the rule's path when it has other names too. */
static int note_link(struct overlay *overlay, int top_fd, u32 node)
{
	const struct manifest_entry *entry = overlay->rules->paths[node].entry;
	char *path = path_tree_path(&overlay->rules->tree, node);
	struct stat st;
	int ret;

	if (!path)
		return -ENOMEM;
	ret = fstatat(top_fd, path, &st, AT_SYMLINK_NOFOLLOW);
	free(path);
	if (ret < 0 || S_ISDIR(st.st_mode) || st.st_nlink < 2)
		return 0;
	if (entry && entry->type && entry->type != (st.st_mode & S_IFMT))
		return 0;
	for (size_t i = 0; i < overlay->nr_links; i++) {
		if (overlay->links[i].dev == st.st_dev && overlay->links[i].ino == st.st_ino)
			return refuse_two_rules(overlay, node, overlay->links[i].node);
	}
	overlay->links[overlay->nr_links++] = (struct overlay_link){ .dev = st.st_dev, .ino = st.st_ino, .node = node };
	return 0;
}

static int find_links(struct overlay *overlay, struct source_dir *top)
{
	const struct source_rules *rules = overlay->rules;
	int fd = source_dir_pin(top);
	int ret = 0;

	overlay->links = calloc(rules->nr_paths, sizeof(*overlay->links));
	if (!overlay->links)
		ret = -ENOMEM;
	for (u32 node = PATH_NODE_TOP + 1; !ret && node < rules->nr_paths; node++) {
		if (!rule_is_empty(&rules->paths[node]))
			ret = note_link(overlay, fd, node);
	}
	source_dir_unpin(top);
	return ret;
}

/* ---- start and end ---- */

int overlay_init(struct overlay *overlay, const struct source_options *options, struct source_dir *top)
{
	const struct source_rules *rules = options->rules;
	int ret = 0;

	*overlay = (struct overlay){ .rules = rules, .now = options->now };
	if (!rules || !rules->nr_paths)
		return 0;
	overlay->met = calloc(rules->nr_paths, sizeof(*overlay->met));
	if (!overlay->met)
		ret = -ENOMEM;
	if (!ret && !rules->break_hardlinks)
		ret = find_links(overlay, top);
	if (ret == -ENOMEM)
		error("%s: not enough memory for its manifest", options->path);
	return ret;
}

void overlay_release(struct overlay *overlay)
{
	free(overlay->met);
	free(overlay->links);
	free(overlay->path);
}

static void name_unmet(const struct overlay *overlay, u32 node)
{
	const struct path_rule *rule = &overlay->rules->paths[node];
	char *path = path_tree_path(&overlay->rules->tree, node), *name = rules_name_rule(rule);
	char *printable = path ? escape_bytes(path, strlen(path), NULL) : NULL;
	const bool makes = rule->entry && rule->entry->type;

	error("%s: %s: %s", name ? name : "a rule", printable ? printable : "",
	      makes ? "the directory that it is to be in is not part of the tree" :
	      "no such entry in the tree (type= in a manifest makes one)");
	free(printable);
	free(path);
	free(name);
}

int overlay_finish(const struct overlay *overlay)
{
	const struct source_rules *rules = overlay->rules;
	int ret = 0;

	if (!overlay->met)
		return 0;
	for (u32 node = PATH_NODE_TOP; node < rules->nr_paths; node++) {
		if (overlay->met[node] || rule_is_empty(&rules->paths[node]))
			continue;
		name_unmet(overlay, node);
		ret = -ENOENT;
	}
	return ret;
}

/* ---- directories ---- */

static int set_path(struct overlay *overlay, const struct source_dir *dir)
{
	size_t len = source_path_bytes(dir, NULL, 0), size = len + 1 + SOURCE_NAME_MAX;

	if (size > overlay->path_size) {
		char *path = realloc(overlay->path, size * 2);

		if (!path)
			return -ENOMEM;
		overlay->path = path;
		overlay->path_size = size * 2;
	}
	source_path_bytes(dir, overlay->path, len);
	overlay->path_len = len;
	if (len)
		overlay->path[overlay->path_len++] = '/';
	return 0;
}

static int add_names(const struct overlay *overlay, u32 dir_node, struct dir_list *list)
{
	const struct path_tree *tree = &overlay->rules->tree;
	bool any = false;

	for (u32 node = tree->nodes[dir_node].first_child; node; node = tree->nodes[node].next_sibling) {
		const struct manifest_entry *entry = overlay->rules->paths[node].entry;
		int ret = 0;

		if (!entry || !entry->type)
			continue;
		ret = dir_list_add(list, tree->nodes[node].name);
		if (ret < 0)
			return ret;
		any = true;
	}
	if (any)
		dir_list_sort(list);
	return 0;
}

int overlay_enter(struct overlay *overlay, const struct source_dir *dir, struct dir_list *list)
{
	int ret = 0;

	if (!overlay->rules)
		return 0;
	if (overlay->rules->match_paths)
		ret = set_path(overlay, dir);
	return ret || dir->node == PATH_NODE_NONE ? ret : add_names(overlay, dir->node, list);
}

void overlay_pass_on(const struct walk_item *item, struct source_dir *dir)
{
	dir->node = item->node;
	dir->made = item->made;
	dir->nodatacow = item->nodatacow;
	dir->nodatasum = item->nodatasum;
	dir->compress = item->compress;
}

/* ---- names ---- */

void overlay_begin(const struct overlay *overlay, struct walk_item *item)
{
	const struct source_rules *rules = overlay->rules;

	item->node = PATH_NODE_NONE;
	item->rule = NULL;
	item->entry = NULL;
	item->made = item->nodatacow = item->nodatasum = false;
	item->compress = NULL;
	if (!rules || !rules->nr_paths)
		return;
	item->node = item->parent ? path_tree_child(&rules->tree, item->parent->node, item->name, item->name_len) :
		     PATH_NODE_TOP;
}

bool overlay_excludes(const struct overlay *overlay, const struct walk_item *item, bool is_dir)
{
	const struct source_rules *rules = overlay->rules;

	if (!rules || !rules->nr_excludes || !item->parent)
		return false;
	if (!rules->match_paths)
		return rules_exclude(rules, item->name, item->name_len, item->name_len, is_dir);
	memcpy(overlay->path + overlay->path_len, item->name, item->name_len);
	return rules_exclude(rules, overlay->path, overlay->path_len + item->name_len, item->name_len, is_dir);
}

bool overlay_makes(const struct overlay *overlay, const struct walk_item *item)
{
	const struct path_rule *rule = item->node ? &overlay->rules->paths[item->node] : NULL;

	return rule && rule->entry && rule->entry->type;
}
