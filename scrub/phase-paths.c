// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which files do bad bytes belong to? One pass over the trees of files, and only when data is bad: every EXTENT_DATA
 * item is held against the bad ranges, so that nothing depends on back references, which may be hurt themselves. Blocks
 * that several subvolumes share are gone through once, unless something bad is below them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel-shared/tree-checker.h"
#include "reader/bytenr-set.h"
#include "reader/inode-paths.h"
#include "reader/tree-walk.h"
#include "scrub/run.h"

/* Files of one range that are asked for their names; the others count as one name each. */
#define MAX_HITS	4096

/* A file that has part of a bad range. */
struct hit {
	struct btrfs_inode_number inode;
	u64 offset;		/* in the file, bytes: where the first bad byte is */
};

struct bad_range {
	u64 start;
	u64 end;
	struct hit *hits;
	size_t nr_hits;
	size_t capacity;
	u64 more;		/* hits that were not kept */
	struct btrfs_inode_number last;	/* hit */
};

struct path_scan {
	struct scrub *run;
	struct bad_range *ranges;	/* ascending, without overlap */
	size_t nr_ranges;
	u64 rootid;			/* of the tree that is walked */
	u64 nr_hits;			/* so far */
	u64 nr_lost;			/* blocks that cannot be read */
	struct bytenr_set clean;	/* blocks with nothing bad below them */
	struct {
		u64 bytenr;		/* 0: none */
		u64 hits_before;
	} open[BTRFS_MAX_LEVEL];	/* blocks on the way to where the walk is */
};

/* ---- ranges ---- */

static bool concerns_files(const struct scrub_finding *finding)
{
	return (finding->kind == SCRUB_DATA || finding->kind == SCRUB_READ || finding->kind == SCRUB_MISSING_CSUM) &&
	       !finding->of_metadata && finding->logical != SCRUB_NONE && finding->length &&
	       finding->length <= UINT64_MAX - finding->logical;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct bad_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* What copies and neighbours have in common is one range. */
static void merge_ranges(struct path_scan *scan)
{
	size_t i, nr = 0;

	qsort(scan->ranges, scan->nr_ranges, sizeof(*scan->ranges), compare_ranges);
	for (i = 0; i < scan->nr_ranges; i++) {
		struct bad_range *last = nr ? &scan->ranges[nr - 1] : NULL;

		if (last && scan->ranges[i].start < last->end)
			last->end = MAX(last->end, scan->ranges[i].end);
		else
			scan->ranges[nr++] = scan->ranges[i];
	}
	scan->nr_ranges = nr;
}

static int collect_ranges(struct path_scan *scan)
{
	const struct scrub_report *report = scan->run->report;
	size_t i;

	scan->ranges = calloc(MAX(report->nr_findings, (size_t)1), sizeof(*scan->ranges));
	if (!scan->ranges)
		return -ENOMEM;
	for (i = 0; i < report->nr_findings; i++) {
		const struct scrub_finding *finding = &report->findings[i];

		if (concerns_files(finding))
			scan->ranges[scan->nr_ranges++] = (struct bad_range){
				.start = finding->logical, .end = finding->logical + finding->length,
			};
	}
	merge_ranges(scan);
	return 0;
}

/* The first range that ends behind @logical. */
static size_t find_range(const struct path_scan *scan, u64 logical)
{
	size_t low = 0, high = scan->nr_ranges;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (scan->ranges[middle].end <= logical)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- the scan ---- */

static int add_hit(struct path_scan *scan, struct bad_range *range, const struct hit *hit)
{
	struct hit *grown;

	scan->nr_hits++;
	if (range->nr_hits && range->last.rootid == hit->inode.rootid && range->last.ino == hit->inode.ino)
		return 0;
	range->last = hit->inode;
	if (range->nr_hits == MAX_HITS) {
		range->more++;
		return 0;
	}
	if (range->nr_hits == range->capacity) {
		grown = reallocarray(range->hits, range->capacity * 2 + 4, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		range->hits = grown;
		range->capacity = range->capacity * 2 + 4;
	}
	range->hits[range->nr_hits++] = *hit;
	return 0;
}

/* Of compressed data every byte is needed for each other one; of plain data, the part that the file uses. */
static int compare_extent(struct path_scan *scan, const struct btrfs_key *key,
			  const struct btrfs_file_extent_item *item)
{
	const u64 extent = le64_to_cpu(item->disk_bytenr);
	const bool compressed = item->compression != 0;
	const u64 start = compressed ? extent : extent + le64_to_cpu(item->offset);
	const u64 end = start + le64_to_cpu(compressed ? item->disk_num_bytes : item->num_bytes);
	size_t i;
	int ret = 0;

	for (i = find_range(scan, start); !ret && i < scan->nr_ranges && scan->ranges[i].start < end; i++) {
		const u64 first = MAX(scan->ranges[i].start, start);
		const struct hit hit = {
			.inode = { .rootid = scan->rootid, .ino = key->objectid },
			.offset = key->offset + (compressed ? 0 : first - start),
		};

		ret = add_hit(scan, &scan->ranges[i], &hit);
	}
	return ret;
}

/* Blocks that the walk has left: what had nothing bad in it needs no second look. */
static int close_blocks(struct path_scan *scan, int level)
{
	int i, ret = 0;

	for (i = 0; ret >= 0 && i <= level; i++) {
		if (scan->open[i].bytenr && scan->open[i].hits_before == scan->nr_hits)
			ret = bytenr_set_add(&scan->clean, scan->open[i].bytenr);
		scan->open[i].bytenr = 0;
	}
	return MIN(ret, 0);
}

static int read_block(void *arg, const struct btrfs_block_ref *ref, void *buf)
{
	struct path_scan *scan = arg;
	int ret = scrub_stopped(scan->run);

	scrub_tick(scan->run, 0);
	if (!ret)
		ret = close_blocks(scan, ref->level);
	if (ret)
		return ret;
	if (bytenr_set_has(&scan->clean, ref->bytenr))
		return BTRFS_WALK_SKIP;
	ret = btrfs_walk_read_any(scan->run->image, ref, buf);
	if (ret) {
		scan->nr_lost += ret == BTRFS_WALK_SKIP;
		return ret;
	}
	scan->open[ref->level].bytenr = ref->bytenr;
	scan->open[ref->level].hits_before = scan->nr_hits;
	return BTRFS_WALK_CONTINUE;
}

static int visit_leaf(void *arg, const struct btrfs_block_ref *ref, const void *leaf)
{
	struct path_scan *scan = arg;
	const u32 nr = btrfs_header_nritems(leaf);
	u32 slot;
	int ret = 0;

	(void)ref;
	for (slot = 0; !ret && slot < nr; slot++) {
		const struct btrfs_key key = btrfs_item_key(leaf, slot);
		const struct btrfs_file_extent_item *item = btrfs_item_ptr(leaf, slot);

		if (key.type != BTRFS_EXTENT_DATA_KEY ||
		    btrfs_check_item(&scan->run->image->check, leaf, slot, NULL, NULL))
			continue;
		/* preallocated space reads as zeros, whatever is there */
		if (item->type == BTRFS_FILE_EXTENT_REG && item->disk_bytenr)
			ret = compare_extent(scan, &key, item);
	}
	return ret;
}

static int scan_tree(void *arg, const struct btrfs_tree_root *root)
{
	static const struct btrfs_walk_ops ops = { .read = read_block, .leaf = visit_leaf };
	struct path_scan *scan = arg;
	int ret;

	if (root->objectid == BTRFS_TREE_LOG_OBJECTID)
		scan->rootid = root->offset;
	else if (btrfs_is_fstree(root->objectid) && root->refs)
		scan->rootid = root->objectid;
	else	/* files of a subvolume that is being removed have no names any more */
		return 0;
	memset(scan->open, 0, sizeof(scan->open));
	ret = btrfs_walk_tree(scan->run->image, root, &ops, scan);
	return ret ? ret : close_blocks(scan, BTRFS_MAX_LEVEL - 1);
}

/* ---- names ---- */

struct name_list {
	struct scrub_paths *paths;
	const struct hit *hit;
};

static int add_path(void *arg, const char *bytes, size_t len, bool complete)
{
	struct name_list *list = arg;
	struct scrub_path *path = reallocarray(list->paths->list, list->paths->nr + 1, sizeof(*path));

	if (!path)
		return -ENOMEM;
	list->paths->list = path;
	path += list->paths->nr;
	path->bytes = malloc(len + 1);
	if (!path->bytes)
		return -ENOMEM;
	memcpy(path->bytes, bytes, len);
	path->bytes[len] = 0;
	path->len = len;
	path->complete = complete;
	path->rootid = list->hit->inode.rootid;
	path->ino = list->hit->inode.ino;
	path->offset = list->hit->offset;
	list->paths->nr++;
	return 0;
}

static int name_files(const struct bad_range *range, struct btrfs_path_finder *finder, size_t limit,
		      struct scrub_paths *paths)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < range->nr_hits; i++) {
		struct name_list list = { .paths = paths, .hit = &range->hits[i] };
		u64 total;

		ret = btrfs_inode_paths(finder, &list.hit->inode, limit - paths->nr, &total, add_path, &list);
		/* open when the machine stopped, and removed already: a file all the same */
		if (!ret && !total) {
			total = 1;
			if (paths->nr < limit)
				ret = add_path(&list, "", 0, false);
		}
		paths->total += total;
	}
	paths->total += range->more;
	return ret;
}

static int name_all(struct path_scan *scan)
{
	struct scrub_report *report = scan->run->report;
	struct btrfs_path_finder *finder;
	size_t i;
	int ret = btrfs_path_finder_create(&finder, scan->run->image);

	if (ret)
		return ret;
	report->paths = calloc(MAX(scan->nr_ranges, (size_t)1), sizeof(*report->paths));
	if (!report->paths)
		ret = -ENOMEM;
	for (i = 0; !ret && i < scan->nr_ranges; i++) {
		report->nr_paths++;
		report->paths[i].lost = scan->nr_lost > 0;
		ret = name_files(&scan->ranges[i], finder, scan->run->options->max_paths, &report->paths[i]);
		if (!ret)
			ret = scrub_stopped(scan->run);
	}
	btrfs_path_finder_destroy(finder);
	return ret;
}

static void attach_paths(struct path_scan *scan)
{
	struct scrub_report *report = scan->run->report;
	size_t i;

	for (i = 0; i < report->nr_findings; i++) {
		struct scrub_finding *finding = &report->findings[i];
		const size_t range = concerns_files(finding) ? find_range(scan, finding->logical) : report->nr_paths;

		if (range < report->nr_paths)
			finding->paths = &report->paths[range];
	}
}

int scrub_name_files(struct scrub *run)
{
	const struct btrfs_tree_root root_root = btrfs_root_tree_root(run->image);
	struct path_scan scan = { .run = run };
	struct btrfs_tree_root log_root;
	size_t i;
	int ret = run->options->max_paths ? collect_ranges(&scan) : 0;

	if (!ret && scan.nr_ranges) {
		ret = btrfs_each_root(run->image, &root_root, scan_tree, &scan);
		/* what was synced last is in the logs of subvolumes only, maybe without a name yet */
		if (!ret && btrfs_log_tree_root(run->image, &log_root))
			ret = btrfs_each_root(run->image, &log_root, scan_tree, &scan);
		if (!ret)
			ret = name_all(&scan);
		attach_paths(&scan);
	}
	for (i = 0; i < scan.nr_ranges; i++)
		free(scan.ranges[i].hits);
	free(scan.ranges);
	bytenr_set_release(&scan.clean);
	return ret;
}
