// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "source/id-map.h"

int id_parse(const char *text, u32 *id)
{
	u64 value;

	if (parse_u64(text, &value) || value >= ID_INVALID)
		return -EINVAL;
	*id = (u32)value;
	return 0;
}

/* ---- maps ---- */

static const char *parse_range(char *text, struct id_range *range)
{
	char *to = strchr(text, ':'), *count = to ? strchr(to + 1, ':') : NULL;

	if (!count)
		return "takes FROM:TO:COUNT";
	*to++ = '\0';
	*count++ = '\0';
	if (id_parse(text, &range->from) || id_parse(to, &range->to) || id_parse(count, &range->count))
		return "takes three numbers from 0 to 4294967294: FROM:TO:COUNT";
	if (!range->count)
		return "has a count of 0";
	if (range->count > ID_INVALID - range->from || range->count > ID_INVALID - range->to)
		return "goes beyond 4294967294, the last number that there is";
	return NULL;
}

/* Where the range belongs in the map; false: it overlaps one that is there. */
static bool find_place(const struct id_map *map, const struct id_range *range, size_t *place)
{
	size_t i = 0;

	while (i < map->nr && map->ranges[i].from < range->from)
		i++;
	*place = i;
	return (i == 0 || range->from - map->ranges[i - 1].from >= map->ranges[i - 1].count) &&
	       (i == map->nr || map->ranges[i].from - range->from >= range->count);
}

static int insert_range(struct id_map *map, const struct id_range *range, size_t place)
{
	struct id_range *ranges = realloc(map->ranges, (map->nr + 1) * sizeof(*ranges));

	if (!ranges)
		return -ENOMEM;
	memmove(ranges + place + 1, ranges + place, (map->nr - place) * sizeof(*ranges));
	ranges[place] = *range;
	map->ranges = ranges;
	map->nr++;
	return 0;
}

const char *id_map_add(struct id_map *map, const char *text, int *error)
{
	char *copy = strdup(text);
	struct id_range range;
	const char *problem;
	size_t place;

	*error = -ENOMEM;
	if (!copy)
		return "does not fit in memory";
	problem = parse_range(copy, &range);
	free(copy);
	*error = -EINVAL;
	if (problem)
		return problem;
	if (!find_place(map, &range, &place))
		return "overlaps a range that was given before";
	*error = insert_range(map, &range, place);
	return *error ? "does not fit in memory" : NULL;
}

u32 id_map_apply(const struct id_map *map, u32 id)
{
	size_t low = 0, high = map->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct id_range *range = &map->ranges[middle];

		if (id < range->from)
			high = middle;
		else if (id - range->from >= range->count)
			low = middle + 1;
		else
			return range->to + (id - range->from);
	}
	return id;
}

void id_map_release(struct id_map *map)
{
	free(map->ranges);
	*map = (struct id_map){ 0 };
}

/* ---- owners ---- */

static const char *find_user(const char *name, u32 *id)
{
	const struct passwd *user;

	if (!id_parse(name, id))
		return NULL;
	user = getpwnam(name);
	if (!user)
		return "names a user that this machine does not know; give a number from 0 to 4294967294";
	*id = user->pw_uid;
	return NULL;
}

static const char *find_group(const char *name, u32 *id)
{
	const struct group *group;

	if (!id_parse(name, id))
		return NULL;
	group = getgrnam(name);
	if (!group)
		return "names a group that this machine does not know; give a number from 0 to 4294967294";
	*id = group->gr_gid;
	return NULL;
}

const char *id_parse_owner(const char *text, struct id_owner *owner)
{
	const char *colon = strchr(text, ':'), *problem = NULL;
	char *user = strndup(text, colon ? (size_t)(colon - text) : strlen(text));

	if (!user)
		return "does not fit in memory";
	*owner = (struct id_owner){ .has_uid = *user, .has_gid = colon };
	if (!*user && !colon)
		problem = "takes UID:GID, UID or :GID";
	else if (colon && !colon[1])
		problem = "has no group behind the colon";
	if (!problem && owner->has_uid)
		problem = find_user(user, &owner->uid);
	if (!problem && owner->has_gid)
		problem = find_group(colon + 1, &owner->gid);
	free(user);
	return problem;
}
