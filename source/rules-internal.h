/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules as the walk reads them: see rules.h.
 */
#ifndef BO_SOURCE_RULES_INTERNAL_H
#define BO_SOURCE_RULES_INTERNAL_H

#include "source/id-map.h"
#include "source/manifest.h"
#include "source/path-tree.h"
#include "source/rules.h"

struct exclude_pattern {
	char *glob;		/* without the slashes at its ends */
	bool whole_path;	/* else the name alone */
	bool only_dirs;
};

/* What was said of one path; no member: it only leads to others. */
struct path_rule {
	struct manifest_entry *entry;
	const char *flags_option;	/* the text of --inode-flags, for messages */
	bool nodatacow;
	bool nodatasum;
};

struct source_rules {
	struct id_owner owner;
	struct id_map uids;
	struct id_map gids;
	struct exclude_pattern *excludes;
	size_t nr_excludes;
	bool match_paths;		/* some pattern wants the whole path */
	char **xattr_globs;
	size_t nr_xattr_globs;
	bool break_hardlinks;
	bool copy_verity;
	struct path_tree tree;
	struct path_rule *paths;	/* by node of the tree */
	u32 nr_paths;
	u32 paths_size;
	const struct manifest_entry *default_subvolume;	/* or NULL */
	u32 compression;		/* a bit for each type that a manifest asks for */
	const char *first_option;	/* that needs a source; NULL: none was given */
};

/* Is the entry left out? @path: relative to the top, its last @name_len bytes are the name. */
bool rules_exclude(const struct source_rules *rules, const char *path, size_t len, size_t name_len, bool is_dir);
bool rules_exclude_xattr(const struct source_rules *rules, const char *name);

/* The rule of a path, added empty when it is new. As path_tree_add(). (rules.c) */
const char *rules_path(struct source_rules *rules, const char *path, size_t len, u32 *node, int *error);

/* What the walk's messages call a rule: "FILE:LINE" or "--inode-flags TEXT". The caller frees it; NULL: memory. */
char *rules_name_rule(const struct path_rule *rule);

static inline bool rule_is_empty(const struct path_rule *rule)
{
	return !rule->entry && !rule->flags_option;
}

#endif
