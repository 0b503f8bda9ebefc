// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Goes through the items of a leaf: see leaf-check.h.
 */
#include <errno.h>
#include <string.h>

#include "scrub/leaf-check.h"

/* Items of the largest leaf. */
#define MAX_ITEMS	(65536 / sizeof(struct btrfs_item))

struct leaf_visit {
	struct scrub *run;
	const struct btrfs_block_ref *ref;
	const struct btrfs_place *place;
	u32 nr_bad;
	u8 bad[MAX_ITEMS / 8 + 1];	/* slots that were reported */
};

int leaf_checker_init(struct leaf_checker *checker, struct scrub *run)
{
	memset(checker, 0, sizeof(*checker));
	checker->run = run;
	csum_item_checker_init(&checker->csum_items, run);
	return missing_csum_init(&checker->missing, run);
}

void leaf_checker_release(struct leaf_checker *checker)
{
	missing_csum_release(&checker->missing);
}

/* Opening the image reported these. */
static bool reported_at_open(const struct btrfs_block_ref *ref, const struct btrfs_key *key)
{
	return ref->tree == BTRFS_CHUNK_TREE_OBJECTID && key &&
	       (key->type == BTRFS_CHUNK_ITEM_KEY || key->type == BTRFS_DEV_ITEM_KEY);
}

static void report_item(void *arg, int slot, const struct btrfs_key *key, const char *text)
{
	struct leaf_visit *visit = arg;
	struct scrub_finding finding = scrub_new_finding(SCRUB_ITEM);

	if (slot >= 0 && (size_t)slot < MAX_ITEMS)
		visit->bad[slot / 8] |= (u8)(1 << slot % 8);
	if (reported_at_open(visit->ref, key))
		return;
	visit->nr_bad++;
	finding.logical = visit->ref->bytenr;
	finding.length = visit->run->image->check.nodesize;
	finding.devid = visit->place->devid;
	finding.physical = visit->place->physical;
	finding.tree = visit->ref->tree;
	finding.level = 0;
	finding.has_key = key != NULL;
	if (key)
		finding.key = *key;
	scrub_finding_text(&finding, "item %d: %s", slot, text);
	scrub_add_finding(visit->run->report, &finding);
}

static void check_items(struct leaf_visit *visit, const void *leaf)
{
	struct scrub_counters *counters = scrub_device_counters(visit->run->report, visit->place->devid);
	struct btrfs_check_context ctx = visit->run->image->check;

	if (visit->ref->tree == BTRFS_TREE_LOG_OBJECTID)
		ctx.generation++;
	(void)btrfs_check_leaf(&ctx, leaf, report_item, visit, &counters->unknown_items);
	if (!visit->nr_bad)
		return;
	counters->items_bad += visit->nr_bad;
	counters->verify_errors += scrub_sectors_per_node(visit->run);
	counters->uncorrectable_errors += scrub_sectors_per_node(visit->run);
	scrub_tree_damaged(visit->run, visit->ref->tree);
}

static int visit_item(struct leaf_checker *checker, const struct btrfs_tree_root *root,
		      const struct csum_item_place *where, const void *leaf, u32 slot)
{
	const struct btrfs_key key = btrfs_item_key(leaf, slot);
	const void *item = btrfs_item_ptr(leaf, slot);
	const u32 size = btrfs_item_size(leaf, slot);
	struct scrub_accounting *accounting = &checker->run->accounting;

	switch (key.type) {
	case BTRFS_EXTENT_CSUM_KEY:
		if (root->objectid == BTRFS_CSUM_TREE_OBJECTID)
			csum_item_check(&checker->csum_items, &key, size, where);
		return 0;
	case BTRFS_INODE_ITEM_KEY:
		missing_csum_inode(&checker->missing, root, &key, item);
		return 0;
	case BTRFS_EXTENT_DATA_KEY:
		return missing_csum_extent(&checker->missing, root, &key, item);
	case BTRFS_BLOCK_GROUP_ITEM_KEY:
		scrub_account_block_group(accounting, &key, item);
		return 0;
	case BTRFS_DEV_EXTENT_KEY:
		if (root->objectid == BTRFS_DEV_TREE_OBJECTID)
			scrub_account_dev_extent(accounting, &key, item);
		return 0;
	default:
		return 0;
	}
}

int leaf_checker_add(struct leaf_checker *checker, const struct btrfs_tree_root *root,
		     const struct btrfs_block_ref *ref, const void *leaf, const struct btrfs_place *place)
{
	const struct csum_item_place where = { .ref = ref, .place = place };
	struct leaf_visit visit = { .run = checker->run, .ref = ref, .place = place };
	const u32 nr = btrfs_header_nritems(leaf);
	u32 slot;
	int ret = 0;

	check_items(&visit, leaf);
	for (slot = 0; slot < nr && !ret; slot++) {
		if (!(visit.bad[slot / 8] >> slot % 8 & 1))
			ret = visit_item(checker, root, &where, leaf, slot);
	}
	return ret;
}
