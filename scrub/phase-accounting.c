// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Do the trees that describe space agree with each other? Only where both sides were seen
 * completely: what is lost is reported already, and must not be reported as a wrong sum again.
 */
#include <inttypes.h>
#include <string.h>

#include "scrub/run.h"

static struct scrub_finding new_finding(struct scrub *run)
{
	run->report->elsewhere.verify_errors++;
	run->report->elsewhere.uncorrectable_errors++;
	return scrub_new_finding(SCRUB_ACCOUNTING);
}

static void check_group(struct scrub *run, const struct btrfs_chunk_map *map,
			const struct chunk_account *account)
{
	struct scrub_finding finding;

	if (account->has_item && !account->item_differs && account->used_item == account->used_extents)
		return;
	finding = new_finding(run);
	finding.logical = map->start;
	finding.length = map->length;
	if (!account->has_item)
		scrub_finding_text(&finding, "the chunk has no block group");
	else if (account->item_differs)
		scrub_finding_text(&finding, "block group and chunk differ in length or type");
	else
		scrub_finding_text(&finding,
				   "block group says %" PRIu64 " bytes are used, its extents are %" PRIu64,
				   account->used_item, account->used_extents);
	scrub_add_finding(run->report, &finding);
}

static void check_groups(struct scrub *run)
{
	const struct btrfs_chunk_table *chunks = &run->image->chunks;
	const u64 bytes_used = le64_to_cpu(run->image->super.bytes_used);
	struct scrub_finding finding;
	u64 used = 0;
	size_t i;

	for (i = 0; i < chunks->nr; i++) {
		check_group(run, chunks->maps[i], &run->accounting.chunks[i]);
		used += run->accounting.chunks[i].used_extents;
	}
	if (run->accounting.lost_block_groups || run->accounting.lost_extents) {
		finding = new_finding(run);
		scrub_finding_text(&finding, "in no chunk: %" PRIu64 " block groups, %" PRIu64 " extents",
				   run->accounting.lost_block_groups, run->accounting.lost_extents);
		scrub_add_finding(run->report, &finding);
	} else if (used != bytes_used) {
		finding = new_finding(run);
		scrub_finding_text(&finding,
				   "superblock says %" PRIu64 " bytes are used, all extents are %" PRIu64,
				   bytes_used, used);
		scrub_add_finding(run->report, &finding);
	}
}

static void check_device_extents(struct scrub *run)
{
	const struct btrfs_chunk_table *chunks = &run->image->chunks;
	struct scrub_finding finding;
	size_t i;

	for (i = 0; i < chunks->nr; i++) {
		const struct chunk_account *account = &run->accounting.chunks[i];

		if (account->device_extents == chunks->maps[i]->num_stripes)
			continue;
		finding = new_finding(run);
		finding.logical = chunks->maps[i]->start;
		finding.length = chunks->maps[i]->length;
		scrub_finding_text(&finding, "the chunk has %u stripes, the device tree knows %u of them",
				   chunks->maps[i]->num_stripes, account->device_extents);
		scrub_add_finding(run->report, &finding);
	}
	if (!run->accounting.lost_device_extents)
		return;
	finding = new_finding(run);
	scrub_finding_text(&finding, "%" PRIu64 " device extents belong to no chunk",
			   run->accounting.lost_device_extents);
	scrub_add_finding(run->report, &finding);
}

/* DEV_ITEM bytes_used against the stripes on that device. */
static void check_devices(struct scrub *run)
{
	const struct btrfs_chunk_table *chunks = &run->image->chunks;
	unsigned d, s;
	size_t i;

	for (d = 0; d < run->image->nr_devices; d++) {
		const struct btrfs_device *device = &run->image->devices[d];
		struct scrub_finding finding;
		u64 used = 0;

		for (i = 0; i < chunks->nr; i++) {
			for (s = 0; s < chunks->maps[i]->num_stripes; s++) {
				if (chunks->maps[i]->stripes[s].devid == device->devid)
					used += chunks->maps[i]->stripe_size;
			}
		}
		if (!device->known || used == device->item_bytes_used)
			continue;
		finding = new_finding(run);
		finding.devid = device->devid;
		scrub_finding_text(&finding,
				   "device item says %" PRIu64 " bytes are used, its chunks are %" PRIu64,
				   device->item_bytes_used, used);
		scrub_add_finding(run->report, &finding);
	}
}

int scrub_check_accounting(struct scrub *run)
{
	const struct btrfs_image *image = run->image;

	/* a restored dump keeps the extents, but not the chunks and devices they were in */
	if (image->features.metadump || image->chunk_tree_damaged || image->nr_bad_chunks)
		return 0;
	if (run->accounting.complete && run->extent_tree_sound && run->block_groups_sound)
		check_groups(run);
	if (run->dev_tree_sound)
		check_device_extents(run);
	check_devices(run);
	return 0;
}
