// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rules that options give one at a time. See rules.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/escape.h"
#include "common/message.h"
#include "source/glob.h"
#include "source/line-reader.h"
#include "source/rules-internal.h"

struct source_rules *source_rules_create(void)
{
	return calloc(1, sizeof(struct source_rules));
}

void source_rules_destroy(struct source_rules *rules)
{
	if (!rules)
		return;
	id_map_release(&rules->uids);
	id_map_release(&rules->gids);
	for (size_t i = 0; i < rules->nr_excludes; i++)
		free(rules->excludes[i].glob);
	for (size_t i = 0; i < rules->nr_xattr_globs; i++)
		free(rules->xattr_globs[i]);
	for (u32 i = 0; i < rules->nr_paths; i++) {
		if (rules->paths[i].entry)
			manifest_release_entry(rules->paths[i].entry);
		free(rules->paths[i].entry);
	}
	free(rules->excludes);
	free(rules->xattr_globs);
	free(rules->paths);
	path_tree_release(&rules->tree);
	free(rules);
}

static int refuse(const char *option, const char *text, const char *what, int ret)
{
	char *printable = escape_bytes(text, strlen(text), NULL);

	error("%s %s: %s", option, printable ? printable : "", what);
	free(printable);
	return ret;
}

static void note_option(struct source_rules *rules, const char *option)
{
	if (!rules->first_option)
		rules->first_option = option;
}

/* ---- owners ---- */

int source_rules_owner(struct source_rules *rules, const char *text)
{
	const char *problem = id_parse_owner(text, &rules->owner);

	note_option(rules, "--owner");
	return problem ? refuse("--owner", text, problem, -EINVAL) : 0;
}

static int map_ids(struct source_rules *rules, struct id_map *map, const char *option, const char *text)
{
	int ret;
	const char *problem = id_map_add(map, text, &ret);

	note_option(rules, option);
	return problem ? refuse(option, text, problem, ret) : 0;
}

int source_rules_map_uids(struct source_rules *rules, const char *text)
{
	return map_ids(rules, &rules->uids, "--uid-map", text);
}

int source_rules_map_gids(struct source_rules *rules, const char *text)
{
	return map_ids(rules, &rules->gids, "--gid-map", text);
}

int source_rules_check(const struct source_rules *rules)
{
	if (rules->owner.has_uid && rules->uids.nr) {
		error("--owner gives every entry one user, which leaves nothing for --uid-map: choose one of them");
		return -EINVAL;
	}
	if (rules->owner.has_gid && rules->gids.nr) {
		error("--owner gives every entry one group, which leaves nothing for --gid-map: choose one of them");
		return -EINVAL;
	}
	return 0;
}

const char *source_rules_need_source(const struct source_rules *rules)
{
	return rules->first_option;
}

void source_rules_break_hardlinks(struct source_rules *rules)
{
	note_option(rules, "--break-hardlinks");
	rules->break_hardlinks = true;
}

void source_rules_copy_verity(struct source_rules *rules, bool copy)
{
	rules->copy_verity = copy;
}

/* ---- what is left out ---- */

static int add_exclude(struct source_rules *rules, char *glob, bool only_dirs, bool anchored)
{
	struct exclude_pattern *excludes = realloc(rules->excludes, (rules->nr_excludes + 1) * sizeof(*excludes));
	struct exclude_pattern *pattern;

	if (!excludes)
		return -ENOMEM;
	rules->excludes = excludes;
	pattern = &excludes[rules->nr_excludes++];
	*pattern = (struct exclude_pattern){
		.glob = glob, .only_dirs = only_dirs, .whole_path = anchored || strchr(glob, '/'),
	};
	rules->match_paths |= pattern->whole_path;
	return 0;
}

/* NULL, or what is wrong. */
static const char *parse_exclude(struct source_rules *rules, const char *text, int *ret)
{
	const bool anchored = *text == '/';
	size_t len = strlen(text);
	const char *problem;
	bool only_dirs;
	char *glob;

	*ret = -EINVAL;
	if (*text == '!')
		return "takes nothing back; write \\! for a name that begins so";
	text += anchored;
	len -= anchored;
	only_dirs = len && text[len - 1] == '/';
	len -= only_dirs;
	problem = len && strncmp(text, "./", 2) == 0 ? "is relative to the top without a ./" : NULL;
	glob = strndup(text, len);
	if (glob && !problem)
		problem = glob_check(glob);
	if (glob && !problem && strstr(glob, "//"))
		problem = "has two slashes in a row";
	*ret = !glob ? -ENOMEM : problem ? -EINVAL : add_exclude(rules, glob, only_dirs, anchored);
	if (*ret)
		free(glob);
	return problem ? problem : *ret ? "does not fit in memory" : NULL;
}

int source_rules_exclude(struct source_rules *rules, const char *text)
{
	int ret;
	const char *problem = parse_exclude(rules, text, &ret);

	note_option(rules, "--exclude");
	return problem ? refuse("--exclude", text, problem, ret) : 0;
}

int source_rules_exclude_from(struct source_rules *rules, const char *path)
{
	struct line_reader reader;
	int ret = line_reader_open(&reader, path);

	note_option(rules, "--exclude-from");
	if (ret < 0)
		return ret;
	while ((ret = line_reader_next(&reader)) > 0) {
		const char *problem = NULL;

		if (*reader.line && *reader.line != '#')
			problem = parse_exclude(rules, reader.line, &ret);
		if (problem) {
			ret = line_reader_refuse(&reader, problem, ret);
			break;
		}
	}
	line_reader_close(&reader);
	return ret < 0 ? ret : 0;
}

int source_rules_exclude_xattr(struct source_rules *rules, const char *text)
{
	char **globs = realloc(rules->xattr_globs, (rules->nr_xattr_globs + 1) * sizeof(*globs));
	const char *problem = glob_check(text);
	char *glob = strdup(text);

	note_option(rules, "--xattr-exclude");
	if (globs)
		rules->xattr_globs = globs;
	if (!globs || !glob || problem) {
		free(glob);
		return refuse("--xattr-exclude", text, problem ? problem : "does not fit in memory",
			      problem ? -EINVAL : -ENOMEM);
	}
	globs[rules->nr_xattr_globs++] = glob;
	return 0;
}

bool rules_exclude(const struct source_rules *rules, const char *path, size_t len, size_t name_len, bool is_dir)
{
	for (size_t i = 0; i < rules->nr_excludes; i++) {
		const struct exclude_pattern *pattern = &rules->excludes[i];

		if (pattern->only_dirs && !is_dir)
			continue;
		if (pattern->whole_path ? glob_match_path(pattern->glob, path, len) :
					  glob_match_name(pattern->glob, path + len - name_len, name_len))
			return true;
	}
	return false;
}

bool rules_exclude_xattr(const struct source_rules *rules, const char *name)
{
	for (size_t i = 0; i < rules->nr_xattr_globs; i++) {
		if (glob_match_name(rules->xattr_globs[i], name, strlen(name)))
			return true;
	}
	return false;
}
