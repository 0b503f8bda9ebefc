// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What becomes of one entry: owners mapped, links broken, overrides of a manifest, and entries that only a
 * manifest knows. See overlay.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "common/escape.h"
#include "common/message.h"
#include "source/overlay.h"
#include "source/path.h"
#include "source/tree-walk.h"

/* "ERROR: FILE:LINE: PATH: WHAT"; returns @ret. */
static int refuse(const struct walk_item *item, const struct path_rule *rule, const char *what, int ret)
{
	char *name = rules_name_rule(rule);
	char *path = item->parent ? source_path_format(item->parent, item->name, item->name_len, false) : strdup(".");

	error("%s: %s: %s", name ? name : "a rule", path ? path : "", what);
	free(name);
	free(path);
	return ret;
}

/* ---- which rule ---- */

static const struct path_rule *rule_of_node(const struct overlay *overlay, u32 node)
{
	const struct path_rule *rule = node == PATH_NODE_NONE ? NULL : &overlay->rules->paths[node];

	return rule && !rule_is_empty(rule) ? rule : NULL;
}

static const struct path_rule *rule_of_link(const struct overlay *overlay, const struct stat *found)
{
	for (size_t i = 0; i < overlay->nr_links; i++) {
		if (overlay->links[i].dev == found->st_dev && overlay->links[i].ino == found->st_ino)
			return rule_of_node(overlay, overlay->links[i].node);
	}
	return NULL;
}

static const struct path_rule *find_rule(const struct overlay *overlay, const struct walk_item *item, bool found)
{
	const struct path_rule *rule = rule_of_node(overlay, item->node);

	if (!rule && found && item->found.st_nlink > 1 && !S_ISDIR(item->found.st_mode))
		rule = rule_of_link(overlay, &item->found);
	return rule;
}

/* ---- owners and times ---- */

static void map_owner(const struct source_rules *rules, struct stat *st)
{
	st->st_uid = rules->owner.has_uid ? rules->owner.uid : id_map_apply(&rules->uids, st->st_uid);
	st->st_gid = rules->owner.has_gid ? rules->owner.gid : id_map_apply(&rules->gids, st->st_gid);
}

static void make_stat(const struct overlay *overlay, u32 type, struct stat *st)
{
	static const struct id_owner root = { 0 };
	const struct id_owner *owner = overlay->rules ? &overlay->rules->owner : &root;

	*st = (struct stat){
		.st_mode = type | (S_ISDIR(type) ? 0755 : S_ISLNK(type) ? 0777 : 0644),
		.st_nlink = 1,
		.st_uid = owner->uid,
		.st_gid = owner->gid,
		.st_atim = overlay->now, .st_mtim = overlay->now, .st_ctim = overlay->now,
	};
}

static void override_stat(const struct manifest_entry *entry, struct stat *st)
{
	u32 major_nr = entry->keys & MANIFEST_MAJOR ? entry->rdev_major : major(st->st_rdev);
	u32 minor_nr = entry->keys & MANIFEST_MINOR ? entry->rdev_minor : minor(st->st_rdev);

	st->st_rdev = makedev(major_nr, minor_nr);
	if (entry->keys & MANIFEST_MODE)
		st->st_mode = (st->st_mode & S_IFMT) | entry->mode;
	if (entry->keys & MANIFEST_UID)
		st->st_uid = entry->uid;
	if (entry->keys & MANIFEST_GID)
		st->st_gid = entry->gid;
	if (entry->keys & MANIFEST_ATIME)
		st->st_atim = entry->atime;
	if (entry->keys & MANIFEST_MTIME)
		st->st_mtim = entry->mtime;
	if (entry->keys & MANIFEST_CTIME)
		st->st_ctim = entry->ctime;
}

/* ---- what else a manifest says ---- */

static const char *misplaced_flags(const struct path_rule *rule, u32 mode)
{
	const bool any = rule->flags_option ||
			 (rule->entry && rule->entry->keys & (MANIFEST_NODATACOW | MANIFEST_NODATASUM));

	return any && !S_ISREG(mode) && !S_ISDIR(mode) ? "only files and directories can be nodatacow or nodatasum" :
	       NULL;
}

static const char *misplaced_key(const struct manifest_entry *entry, u32 mode)
{
	if (entry->keys & (MANIFEST_MAJOR | MANIFEST_MINOR) && !S_ISCHR(mode) && !S_ISBLK(mode))
		return "is no device in the source: major and minor need type=char or type=block";
	if (entry->keys & MANIFEST_TARGET && !S_ISLNK(mode))
		return "is no symlink in the source: target needs type=symlink";
	if (entry->keys & MANIFEST_CONTENT && !S_ISREG(mode))
		return "is no regular file in the source: content needs type=file";
	if (entry->keys & MANIFEST_COMPRESS && !S_ISREG(mode) && !S_ISDIR(mode))
		return "is neither a file nor a directory, only their data can be compressed";
	if (entry->keys & MANIFEST_SUBVOL && !S_ISDIR(mode))
		return "is no directory, only one can become a subvolume";
	return NULL;
}

static int take_content(struct walk_item *item, const struct path_rule *rule)
{
	struct stat *data = &item->data;
	char *what = NULL;
	int ret = 0;

	if (stat(item->entry->content, data) < 0)
		ret = -errno;
	if (!ret && S_ISREG(data->st_mode)) {
		item->st.st_size = data->st_size;
		item->st.st_blocks = data->st_blocks;
		return 0;
	}
	if (asprintf(&what, "cannot take its content from %s: %s", item->entry->content,
		     ret ? strerror(-ret) : "that is no regular file") < 0)
		what = NULL;
	ret = refuse(item, rule, what ? what : "cannot take its content", ret ? ret : -EINVAL);
	free(what);
	return ret;
}

static int override(struct walk_item *item, const struct path_rule *rule)
{
	const char *problem = misplaced_flags(rule, item->st.st_mode);

	if (!problem && item->entry)
		problem = misplaced_key(item->entry, item->st.st_mode);
	if (problem)
		return refuse(item, rule, problem, -EINVAL);
	if (!item->entry)
		return 0;
	override_stat(item->entry, &item->st);
	return item->entry->content ? take_content(item, rule) : 0;
}

/* ---- flags ---- */

void overlay_set_flags(struct walk_item *item, bool inherit)
{
	const struct manifest_entry *entry = item->entry;

	if (!S_ISREG(item->st.st_mode) && !S_ISDIR(item->st.st_mode))
		return;
	/* a property goes from a directory into a new subvolume, flags do not */
	if (item->parent)
		item->compress = item->parent->compress;
	if (entry && entry->keys & MANIFEST_COMPRESS)
		item->compress = &entry->compress;
	if (inherit && item->parent) {
		item->nodatacow = item->parent->nodatacow;
		item->nodatasum = item->parent->nodatasum;
	}
	if (item->rule) {
		item->nodatacow |= item->rule->nodatacow;
		item->nodatasum |= item->rule->nodatasum;
	}
	if (entry && entry->keys & MANIFEST_NODATACOW)
		item->nodatacow = entry->nodatacow;
	if (entry && entry->keys & MANIFEST_NODATASUM)
		item->nodatasum = entry->nodatasum;
}

/* ---- the entry ---- */

/* The manifest wants another type than the source has: 1, or -EINVAL after a message. */
static int replace(struct walk_item *item, const struct path_rule *rule)
{
	if (S_ISDIR(item->found.st_mode))
		return refuse(item, rule, "is a directory in the source, nothing else can take its place; "
			      "leave it out with --exclude", -EISDIR);
	if (S_ISDIR(rule->entry->type))
		return refuse(item, rule, "is no directory in the source, a directory cannot take its place; "
			      "leave it out with --exclude", -ENOTDIR);
	return 1;
}

static void as_found(const struct overlay *overlay, struct walk_item *item)
{
	item->st = item->data = item->found;
	if (overlay->rules)
		map_owner(overlay->rules, &item->st);
}

static int make_or_override(const struct overlay *overlay, struct walk_item *item, const struct path_rule *rule,
			    bool found)
{
	const struct manifest_entry *entry = rule ? rule->entry : NULL;
	int ret = 0;

	if (found && entry && entry->type && entry->type != (item->found.st_mode & S_IFMT)) {
		ret = replace(item, rule);
		if (ret < 0)
			return ret;
		found = false;
	}
	if (!found && !(entry && entry->type))
		return 0;
	item->rule = rule;
	item->entry = entry;
	item->made = !found;
	if (found) {
		as_found(overlay, item);
	} else {
		make_stat(overlay, entry->type, &item->st);
		item->data = (struct stat){ 0 };
		item->dev = 0;
	}
	if (rule)
		ret = override(item, rule);
	return ret ? ret : 1;
}

int overlay_apply(struct overlay *overlay, struct walk_item *item, bool found)
{
	int ret = found;

	if (!overlay->met)
		as_found(overlay, item);
	else
		ret = make_or_override(overlay, item, find_rule(overlay, item, found), found);
	if (ret > 0 && overlay->met)
		overlay->met[item->node] = true;
	if (ret > 0 && overlay->rules && overlay->rules->break_hardlinks && !S_ISDIR(item->st.st_mode))
		item->st.st_nlink = 1;
	return ret;
}
