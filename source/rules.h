/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What makes the tree in the image another one than the tree on disk: what is left out, whose it is, what a
 * manifest adds or overrides. Filled in from options, constant from then on: the survey and the run read the same
 * rules and so see the same tree.
 *
 * Functions that take a text return 0, or -errno after a message that names the option.
 */
#ifndef BO_SOURCE_RULES_H
#define BO_SOURCE_RULES_H

#include "common/types.h"

struct source_rules;

/* NULL: no memory. */
struct source_rules *source_rules_create(void);
/* NULL is fine. */
void source_rules_destroy(struct source_rules *rules);

/* "UID:GID", "UID" or ":GID", numbers or names: of every entry that the manifest says nothing else of. */
int source_rules_owner(struct source_rules *rules, const char *text);
/* "FROM:TO:COUNT" */
int source_rules_map_uids(struct source_rules *rules, const char *text);
int source_rules_map_gids(struct source_rules *rules, const char *text);

int source_rules_exclude(struct source_rules *rules, const char *pattern);
/* Patterns, one a line; @path stays the caller's and has to outlive the rules, as in all functions here. */
int source_rules_exclude_from(struct source_rules *rules, const char *path);
int source_rules_exclude_xattr(struct source_rules *rules, const char *pattern);

/* Every name becomes a file of its own. */
void source_rules_break_hardlinks(struct source_rules *rules);
/* Files that have fs-verity keep it. */
void source_rules_copy_verity(struct source_rules *rules, bool copy);

/* "nodatacow:PATH", "nodatasum:PATH", "nodatacow,nodatasum:PATH" */
int source_rules_inode_flags(struct source_rules *rules, const char *text);
int source_rules_manifest(struct source_rules *rules, const char *path);

/* A bit (1 << type) for each kind of compression that manifests ask for. */
u32 source_rules_compression(const struct source_rules *rules);

/* When all options are in: do they go together? */
int source_rules_check(const struct source_rules *rules);
/* Would an empty tree, without a source, do? The rules that need one name their option; NULL: there are none. */
const char *source_rules_need_source(const struct source_rules *rules);

#endif
