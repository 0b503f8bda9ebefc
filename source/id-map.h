/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of users and groups: parsed, named, and mapped range by range.
 */
#ifndef BO_SOURCE_ID_MAP_H
#define BO_SOURCE_ID_MAP_H

#include "common/types.h"

#define ID_INVALID	0xffffffffU	/* uid_t and gid_t have no owner with this number */

struct id_range {
	u32 from;
	u32 to;
	u32 count;
};

/* Zero-initialised is empty: every number stays. */
struct id_map {
	struct id_range *ranges;	/* ascending by ->from, none overlaps another */
	size_t nr;
};

/*
 * Adds "FROM:TO:COUNT". Returns NULL, or what is wrong with it: a text for people. *error is -EINVAL then, or
 * -ENOMEM.
 */
const char *id_map_add(struct id_map *map, const char *text, int *error);
u32 id_map_apply(const struct id_map *map, u32 id);
void id_map_release(struct id_map *map);

/* A decimal number that an owner can have. 0 or -EINVAL. */
int id_parse(const char *text, u32 *id);

struct id_owner {
	bool has_uid;
	bool has_gid;
	u32 uid;
	u32 gid;
};

/* "USER", "USER:GROUP" or ":GROUP": numbers, or names of this machine. Returns NULL, or what is wrong. */
const char *id_parse_owner(const char *text, struct id_owner *owner);

#endif
