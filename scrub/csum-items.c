// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sanity of the csum tree: see csum-items.h.
 */
#include "common/checked.h"
#include "scrub/csum-items.h"

void csum_item_checker_init(struct csum_item_checker *checker, struct scrub *run)
{
	*checker = (struct csum_item_checker){ .run = run };
}

static void report(struct scrub *run, const struct btrfs_key *key, const struct csum_item_place *where,
		   const char *text)
{
	struct scrub_counters *counters = scrub_device_counters(run->report, where->place->devid);
	struct scrub_finding finding = scrub_new_finding(SCRUB_ITEM);

	finding.logical = where->ref->bytenr;
	finding.length = run->image->check.nodesize;
	finding.devid = where->place->devid;
	finding.physical = where->place->physical;
	finding.tree = BTRFS_CSUM_TREE_OBJECTID;
	finding.level = 0;
	finding.has_key = true;
	finding.key = *key;
	scrub_finding_text(&finding, "%s", text);
	scrub_add_finding(run->report, &finding);
	counters->items_bad++;
	counters->verify_errors += scrub_sectors_per_node(run);
	counters->uncorrectable_errors += scrub_sectors_per_node(run);
}

/* Neighbouring chunks may share an item. */
static bool in_data_chunks(const struct btrfs_image *image, u64 start, u64 end)
{
	while (start < end) {
		const struct btrfs_chunk_map *map = btrfs_find_chunk(&image->chunks, start);

		if (!map || !(map->type & BTRFS_BLOCK_GROUP_DATA))
			return false;
		start = map->start + map->length;
	}
	return true;
}

void csum_item_check(struct csum_item_checker *checker, const struct btrfs_key *key, u32 size,
		     const struct csum_item_place *where)
{
	const struct btrfs_image *image = checker->run->image;
	const u64 bytes = (u64)(size / image->check.csum_size) * image->check.sectorsize;
	u64 end;

	if (check_add_overflow(key->offset, bytes, &end)) {
		report(checker->run, key, where, "the range of the checksums wraps around");
		return;
	}
	if (key->offset < checker->end)
		report(checker->run, key, where, "overlaps the checksum item before");
	else if (!in_data_chunks(image, key->offset, end))
		report(checker->run, key, where, "checksums of addresses outside of every data chunk");
	checker->end = MAX(checker->end, end);
}
