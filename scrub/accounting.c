// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sums per chunk: see accounting.h.
 */
#include <errno.h>
#include <stdlib.h>

#include "common/checked.h"
#include "scrub/accounting.h"

int scrub_accounting_init(struct scrub_accounting *accounting, const struct btrfs_image *image)
{
	accounting->image = image;
	accounting->chunks = calloc(image->chunks.nr + 1, sizeof(*accounting->chunks));
	return accounting->chunks ? 0 : -ENOMEM;
}

void scrub_accounting_release(struct scrub_accounting *accounting)
{
	free(accounting->chunks);
	accounting->chunks = NULL;
}

/* The chunk that [@start, +@len) is inside of, and its account. NULL: none. */
static const struct btrfs_chunk_map *find_account(struct scrub_accounting *accounting, u64 start, u64 len,
						  struct chunk_account **account)
{
	const struct btrfs_chunk_table *table = &accounting->image->chunks;
	size_t low = 0, high = table->nr;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (table->maps[middle]->start <= start)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || range_exceeds(start - table->maps[low - 1]->start, len, table->maps[low - 1]->length))
		return NULL;
	*account = &accounting->chunks[low - 1];
	return table->maps[low - 1];
}

void scrub_account_block_group(struct scrub_accounting *accounting, const struct btrfs_key *key,
			       const struct btrfs_block_group_item *item)
{
	struct chunk_account *account;
	const struct btrfs_chunk_map *map = find_account(accounting, key->objectid, 1, &account);

	if (!map || map->start != key->objectid) {
		accounting->lost_block_groups++;
		return;
	}
	account->has_item = true;
	account->used_item = le64_to_cpu(item->used);
	account->item_differs = map->length != key->offset || map->type != le64_to_cpu(item->flags);
}

void scrub_account_dev_extent(struct scrub_accounting *accounting, const struct btrfs_key *key,
			      const struct btrfs_dev_extent *item)
{
	struct chunk_account *account;
	const u64 chunk = le64_to_cpu(item->chunk_offset);
	const struct btrfs_chunk_map *map = find_account(accounting, chunk, 1, &account);
	unsigned i;

	for (i = 0; map && i < map->num_stripes; i++) {
		if (map->stripes[i].devid != key->objectid || map->stripes[i].physical != key->offset ||
		    map->stripe_size != le64_to_cpu(item->length))
			continue;
		account->device_extents++;
		return;
	}
	accounting->lost_device_extents++;
}

void scrub_account_extent(struct scrub_accounting *accounting, u64 bytenr, u64 len, bool data)
{
	struct chunk_account *account;

	if (!find_account(accounting, bytenr, len, &account)) {
		accounting->lost_extents++;
		return;
	}
	account->used_extents += len;
	if (data)
		account->data_bytes += len;
}
