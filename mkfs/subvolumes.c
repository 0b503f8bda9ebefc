// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The list of subvolumes: see subvolumes.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mkfs/subvolumes.h"

static int reserve(struct mkfs_subvolumes *subvolumes)
{
	u32 want = subvolumes->capacity ? subvolumes->capacity * 2 : 16;
	struct mkfs_subvolume *grown;

	if (subvolumes->nr < subvolumes->capacity)
		return 0;
	grown = realloc(subvolumes->list, want * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	subvolumes->list = grown;
	subvolumes->capacity = want;
	return 0;
}

int mkfs_subvolumes_init(struct mkfs_subvolumes *subvolumes, const u8 *top_uuid)
{
	int ret;

	*subvolumes = (struct mkfs_subvolumes){ .default_number = SUBVOLUME_TOP };
	ret = reserve(subvolumes);
	if (ret)
		return ret;
	subvolumes->list[0] = (struct mkfs_subvolume){
		.id = mkfs_subvolume_id(SUBVOLUME_TOP), .next_ino = BTRFS_FIRST_FREE_OBJECTID,
	};
	memcpy(subvolumes->list[0].uuid, top_uuid, BTRFS_UUID_SIZE);
	subvolumes->nr = 1;
	return 0;
}

void mkfs_subvolumes_release(struct mkfs_subvolumes *subvolumes)
{
	u32 i;

	for (i = 0; i < subvolumes->nr; i++)
		free(subvolumes->list[i].name);
	free(subvolumes->list);
	*subvolumes = (struct mkfs_subvolumes){ 0 };
}

static void append_child(struct mkfs_subvolumes *subvolumes, u32 number)
{
	struct mkfs_subvolume *parent = &subvolumes->list[subvolumes->list[number].parent];

	if (parent->last_child)
		subvolumes->list[parent->last_child].next_sibling = number;
	else
		parent->first_child = number;
	parent->last_child = number;
}

int mkfs_subvolumes_add(struct mkfs_subvolumes *subvolumes, const struct mkfs_subvolume *new, const char *name,
			u32 *number)
{
	struct mkfs_subvolume *added;
	char *copy = strndup(name, new->name_len);
	int ret = copy ? reserve(subvolumes) : -ENOMEM;

	if (ret) {
		free(copy);
		return ret;
	}
	*number = subvolumes->nr++;
	added = &subvolumes->list[*number];
	*added = *new;
	added->id = mkfs_subvolume_id(*number);
	added->name = copy;
	added->first_child = added->last_child = added->next_sibling = 0;
	added->next_ino = BTRFS_FIRST_FREE_OBJECTID;
	append_child(subvolumes, *number);
	return 0;
}
