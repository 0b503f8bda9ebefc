// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Looks for file data without checksums: see missing-csum.h.
 */
#include <errno.h>
#include <string.h>

#include "common/checked.h"
#include "scrub/missing-csum.h"

struct file_range {
	const struct btrfs_tree_root *root;
	struct btrfs_key key;		/* of the file extent */
	u64 start;
	u64 end;
};

int missing_csum_init(struct missing_csum_checker *checker, struct scrub *run)
{
	struct btrfs_tree_root root;
	int ret;

	checker->run = run;
	if (run->image->features.metadump)
		return 0;
	ret = btrfs_find_root(run->image, BTRFS_CSUM_TREE_OBJECTID, &root);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	ret = btrfs_csum_lookup_init(&checker->lookup, run->image, &root);
	checker->ready = !ret;
	return ret;
}

void missing_csum_release(struct missing_csum_checker *checker)
{
	if (checker->ready)
		btrfs_csum_lookup_release(&checker->lookup);
	bytenr_set_release(&checker->reported);
}

void missing_csum_inode(struct missing_csum_checker *checker, const struct btrfs_tree_root *root,
			const struct btrfs_key *key, const struct btrfs_inode_item *item)
{
	checker->tree = root->objectid;
	checker->inode = key->objectid;
	checker->nodatasum = le64_to_cpu(item->flags) & BTRFS_INODE_NODATASUM;
}

/*
 * The inode item is in a leaf that another tree had before: it has to be searched. An inode that
 * cannot be found counts as one without checksums, since nothing is known of it.
 */
static int search_inode(struct missing_csum_checker *checker, const struct btrfs_tree_root *root, u64 inode)
{
	const struct btrfs_key key = { .objectid = inode, .type = BTRFS_INODE_ITEM_KEY };
	struct btrfs_cursor cursor;
	int ret;

	checker->tree = root->objectid;
	checker->inode = inode;
	checker->nodatasum = true;
	ret = btrfs_cursor_init(&cursor, checker->run->image, root);
	if (ret)
		return ret;
	ret = btrfs_cursor_seek(&cursor, &key);
	if (!ret && !btrfs_comp_cpu_keys(&cursor.key, &key) && cursor.size >= sizeof(struct btrfs_inode_item))
		missing_csum_inode(checker, root, &key, cursor.item);
	btrfs_cursor_release(&cursor);
	return ret < 0 ? ret : 0;
}

/* One finding for [@start, @end) inside @range. */
static int report(struct missing_csum_checker *checker, const struct file_range *range, u64 start, u64 end)
{
	struct scrub *run = checker->run;
	struct scrub_finding finding = scrub_new_finding(SCRUB_MISSING_CSUM);
	const u64 sectors = (end - start) / run->image->check.sectorsize;
	struct scrub_counters *counters;
	struct btrfs_place place;
	int ret = bytenr_set_add(&checker->reported, start);

	if (ret <= 0)
		return ret;
	if (!btrfs_locate(run->image, start, 0, &place)) {
		finding.devid = place.devid;
		finding.physical = place.physical;
	}
	counters = scrub_device_counters(run->report, finding.devid);
	counters->csum_missing += sectors;
	counters->uncorrectable_errors += sectors;
	finding.logical = start;
	finding.length = end - start;
	finding.tree = range->root->objectid;
	finding.has_key = true;
	finding.key = range->key;
	scrub_finding_text(&finding, "%llu sectors of inode %llu have no checksum",
			   (unsigned long long)sectors, (unsigned long long)range->key.objectid);
	scrub_add_finding(run->report, &finding);
	return 0;
}

/* A lost part of the csum tree proves nothing; it is reported by itself. */
static bool csums_lost(const struct missing_csum_checker *checker)
{
	return checker->lookup.cursor.skipped_blocks || !checker->run->csum_tree_sound;
}

/* Goes through the runs of checksums; what lies between them has none. */
static int find_gaps(struct missing_csum_checker *checker, const struct file_range *range)
{
	u64 position = range->start;
	int ret = btrfs_csum_seek(&checker->lookup, range->start);

	while (!ret && position < range->end) {
		struct btrfs_csum_run found;

		ret = btrfs_csum_next(&checker->lookup, range->end, &found);
		if (ret < 0)
			return ret;
		if (ret)
			found = (struct btrfs_csum_run){ .logical = range->end };
		if (found.logical > position && !csums_lost(checker)) {
			ret = report(checker, range, position, found.logical);
			if (ret < 0)
				return ret;
		}
		position = found.logical + (u64)found.nr_sectors * checker->run->image->check.sectorsize;
		ret = 0;
	}
	return ret;
}

static int check_range(struct missing_csum_checker *checker, const struct file_range *range)
{
	bool exists;
	int ret = btrfs_csum_exists(&checker->lookup, range->start, range->end - range->start, &exists);

	if (ret)
		return ret == -EUCLEAN ? 0 : ret;
	if (exists)
		return find_gaps(checker, range);
	return csums_lost(checker) ? 0 : report(checker, range, range->start, range->end);
}

/* The part of the extent that must have checksums; false: nothing of it, or it makes no sense. */
static bool checksummed_part(const struct btrfs_file_extent_item *item, struct file_range *range)
{
	u64 bytenr, start, len;

	/* an inline extent ends before these fields */
	if (item->type != BTRFS_FILE_EXTENT_REG)
		return false;
	bytenr = le64_to_cpu(item->disk_bytenr);
	if (!bytenr)
		return false;
	start = bytenr;
	len = le64_to_cpu(item->disk_num_bytes);
	/* compressed data is checked as a whole; of other extents other parts may be preallocated still */
	if (!item->compression) {
		len = le64_to_cpu(item->num_bytes);
		if (check_add_overflow(bytenr, le64_to_cpu(item->offset), &start))
			return false;
	}
	range->start = start;
	return len && !check_add_overflow(start, len, &range->end);
}

int missing_csum_extent(struct missing_csum_checker *checker, const struct btrfs_tree_root *root,
			const struct btrfs_key *key, const struct btrfs_file_extent_item *item)
{
	struct file_range range = { .root = root, .key = *key };

	if (!checker->ready || !btrfs_is_fstree(root->objectid) ||
	    root->objectid == BTRFS_DATA_RELOC_TREE_OBJECTID || !checksummed_part(item, &range))
		return 0;
	if (checker->tree != root->objectid || checker->inode != key->objectid) {
		int ret = search_inode(checker, root, key->objectid);

		if (ret)
			return ret;
	}
	return checker->nodatasum ? 0 : check_range(checker, &range);
}
