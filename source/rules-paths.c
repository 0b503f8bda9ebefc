// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rules that speak of single paths: manifests and --inode-flags. See rules.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/escape.h"
#include "common/message.h"
#include "source/line-reader.h"
#include "source/rules-internal.h"

static int reserve_rules(struct source_rules *rules)
{
	struct path_rule *paths;

	if (rules->tree.nr > rules->paths_size) {
		paths = realloc(rules->paths, rules->tree.size * sizeof(*paths));
		if (!paths)
			return -ENOMEM;
		rules->paths = paths;
		rules->paths_size = rules->tree.size;
	}
	memset(rules->paths + rules->nr_paths, 0, (rules->tree.nr - rules->nr_paths) * sizeof(*paths));
	rules->nr_paths = rules->tree.nr;
	return 0;
}

const char *rules_path(struct source_rules *rules, const char *path, size_t len, u32 *node, int *error)
{
	const char *problem = path_tree_add(&rules->tree, path, len, node, error);

	if (problem)
		return problem;
	*error = reserve_rules(rules);
	return *error ? "does not fit in memory" : NULL;
}

char *rules_name_rule(const struct path_rule *rule)
{
	char *name = NULL;
	int ret;

	if (rule->entry)
		ret = asprintf(&name, "%s:%llu", rule->entry->file, (unsigned long long)rule->entry->line);
	else
		ret = asprintf(&name, "--inode-flags %s", rule->flags_option);
	return ret < 0 ? NULL : name;
}

/* ---- --inode-flags ---- */

/* One of the words before the colon; false: there is no such flag. */
static bool take_flag(const char *word, size_t len, bool *nodatacow, bool *nodatasum)
{
	if (len == 9 && strncmp(word, "nodatacow", len) == 0)
		*nodatacow = true;
	else if (len == 9 && strncmp(word, "nodatasum", len) == 0)
		*nodatasum = true;
	else
		return false;
	return true;
}

static const char *parse_flags(struct source_rules *rules, const char *text, int *ret)
{
	const char *colon = strchr(text, ':');
	bool nodatacow = false, nodatasum = false;
	struct path_rule *rule;
	const char *problem;
	u32 node;

	*ret = -EINVAL;
	if (!colon)
		return "takes FLAGS:PATH";
	for (const char *word = text; word <= colon;) {
		size_t len = strcspn(word, ",:");

		if (!take_flag(word, len, &nodatacow, &nodatasum))
			return "knows the flags nodatacow and nodatasum, separated by commas";
		word += len + 1;
	}
	problem = rules_path(rules, colon + 1, strlen(colon + 1), &node, ret);
	if (problem)
		return problem;
	*ret = -EINVAL;
	rule = &rules->paths[node];
	if (rule->flags_option)
		return "speaks of a path that another --inode-flags named before";
	rule->flags_option = text;
	rule->nodatacow = nodatacow;
	rule->nodatasum = nodatasum;
	*ret = 0;
	return NULL;
}

int source_rules_inode_flags(struct source_rules *rules, const char *text)
{
	int ret;
	const char *problem = parse_flags(rules, text, &ret);
	char *printable;

	if (!rules->first_option)
		rules->first_option = "--inode-flags";
	if (!problem)
		return 0;
	printable = escape_bytes(text, strlen(text), NULL);
	error("--inode-flags %s: %s", printable ? printable : "", problem);
	free(printable);
	return ret;
}

/* ---- manifests ---- */

u32 source_rules_compression(const struct source_rules *rules)
{
	return rules->compression;
}

static int add_entry(struct source_rules *rules, struct manifest_entry *entry, const char *path, size_t len,
		     struct manifest_problem *problem)
{
	const char *what;
	u32 node;
	int ret;

	what = rules_path(rules, path, len, &node, &ret);
	if (what)
		return manifest_problem(problem, ret, "the path %s", what);
	if (rules->paths[node].entry)
		return manifest_problem(problem, -EINVAL, "the path has an entry already: %.80s:%llu",
					rules->paths[node].entry->file,
					(unsigned long long)rules->paths[node].entry->line);
	if (node == PATH_NODE_TOP && entry->type && !S_ISDIR(entry->type))
		return manifest_problem(problem, -EINVAL, "the top of the tree can only be a directory");
	if (node == PATH_NODE_TOP && entry->keys & MANIFEST_SUBVOL)
		return manifest_problem(problem, -EINVAL, "the top of the tree is the top level, no other subvolume");
	if (entry->subvol.is_default && rules->default_subvolume)
		return manifest_problem(problem, -EINVAL, "there is a default subvolume already: %.80s:%llu",
					rules->default_subvolume->file,
					(unsigned long long)rules->default_subvolume->line);
	if (entry->subvol.is_default)
		rules->default_subvolume = entry;
	if (entry->keys & MANIFEST_COMPRESS && entry->compress.type)
		rules->compression |= 1U << entry->compress.type;
	rules->paths[node].entry = entry;
	return 0;
}

static int load_line(struct source_rules *rules, const struct line_reader *reader)
{
	struct manifest_entry *entry = calloc(1, sizeof(*entry));
	struct manifest_problem problem = { 0 };
	size_t path_len;
	char *path;
	int ret;

	if (!entry)
		return line_reader_refuse(reader, "does not fit in memory", -ENOMEM);
	entry->file = reader->path;
	entry->line = reader->number;
	ret = manifest_parse_line(reader->line, entry, &path, &path_len, &problem);
	if (ret == 0)
		ret = add_entry(rules, entry, path, path_len, &problem);
	if (ret == 0)
		return 0;
	manifest_release_entry(entry);
	free(entry);
	return line_reader_refuse(reader, problem.text, ret);
}

int source_rules_manifest(struct source_rules *rules, const char *path)
{
	struct line_reader reader;
	int ret = line_reader_open(&reader, path);

	if (!rules->first_option)
		rules->first_option = "--manifest";
	if (ret < 0)
		return ret;
	while ((ret = line_reader_next(&reader)) > 0) {
		const char *first = reader.line + strspn(reader.line, " \t");

		if (*first && *first != '#')
			ret = load_line(rules, &reader);
		if (ret < 0)
			break;
	}
	line_reader_close(&reader);
	return ret < 0 ? ret : 0;
}
