// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shape of a packed tree: see geometry.h.
 */
#include <errno.h>

#include "mkfs/geometry.h"

void geometry_init(struct tree_geometry *geometry, u32 nodesize)
{
	*geometry = (struct tree_geometry){ .nodesize = nodesize };
}

void geometry_add(struct tree_geometry *geometry, u32 size)
{
	u32 need = size + (u32)sizeof(struct btrfs_item);

	if (!geometry->blocks[0] || geometry->leaf_used + need > btrfs_leaf_data_size(geometry->nodesize)) {
		geometry->blocks[0]++;
		geometry->leaf_used = 0;
	}
	geometry->leaf_used += need;
}

int geometry_finish(struct tree_geometry *geometry)
{
	const u32 fanout = btrfs_max_nr_ptrs(geometry->nodesize);
	int level = 0;

	if (!geometry->blocks[0])
		geometry->blocks[0] = 1;
	while (geometry->blocks[level] > 1) {
		if (level + 1 == BTRFS_MAX_LEVEL)
			return -EFBIG;
		geometry->blocks[level + 1] = (geometry->blocks[level] + fanout - 1) / fanout;
		level++;
	}
	geometry->height = level + 1;
	return 0;
}

u64 geometry_level_start(const struct tree_geometry *geometry, int level)
{
	u64 start = 0;
	int i;

	for (i = 0; i < level; i++)
		start += geometry->blocks[i];
	return start;
}

u64 geometry_total(const struct tree_geometry *geometry)
{
	return geometry_level_start(geometry, geometry->height);
}
