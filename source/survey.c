// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts a tree before anything is written, and finds out early that a file cannot be read: see
 * source_survey() in source.h. It opens directories, and files that have holes.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source/link-set.h"
#include "source/path.h"
#include "source/source.h"
#include "source/tree-walk.h"

struct survey {
	u32 sectorsize;
	u32 max_inline;
	bool may_fail;		/* this user may not read everything */
	struct link_set links;
	const struct source_options *options;
	struct source_totals *totals;
};

/* A target inside the tree would be read while it is written. */
static int check_not_target(const struct survey *survey, const struct walk_item *item)
{
	const struct source_options *options = survey->options;
	unsigned i;

	if (!item->data.st_ino)
		return 0;
	for (i = 0; i < options->nr_skip; i++) {
		if (options->skip[i].dev != item->data.st_dev || options->skip[i].ino != item->data.st_ino)
			continue;
		source_path_refuse(item->parent, item->name, item->name_len,
				   "a target of this run lies inside the source tree; put it elsewhere");
		return -EINVAL;
	}
	return 0;
}

static int check_readable(const struct walk_item *item)
{
	/* The answer for the user whose rights open() takes. */
	int flags = getuid() == geteuid() && getgid() == getegid() ? 0 : AT_EACCESS;
	int err;

	if (item->entry && item->entry->content) {
		if (faccessat(AT_FDCWD, item->entry->content, R_OK, flags) == 0)
			return 0;
	} else if (faccessat(item->at_fd, item->at_name, R_OK, flags) == 0) {
		return 0;
	}
	err = errno;
	/* Gone, or not to be asked: the run itself will see. */
	if (err != EACCES && err != EPERM)
		return 0;
	return source_path_error(item->parent, item->name, item->name_len, "cannot read the file", -err);
}

/* What is data, when some of it is holes; in the units in which it is read. False: there is no telling. */
static bool count_ranges(const struct survey *survey, const struct walk_item *item, u64 *bytes)
{
	const u64 size = (u64)item->st.st_size, unit = survey->sectorsize;
	off_t start, end = 0;
	bool known = true;
	int fd;

	if (item->made || (item->entry && item->entry->content))
		return false;
	fd = openat(item->at_fd, item->at_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return false;
	*bytes = 0;
	while ((u64)end < size) {
		start = lseek(fd, end, SEEK_DATA);
		if (start < 0) {
			known = errno == ENXIO;		/* only a hole is left */
			break;
		}
		start = MAX(ALIGN_DOWN(start, (off_t)unit), end);
		end = lseek(fd, start, SEEK_HOLE);
		if (end <= start || (u64)start >= size)
			break;
		end = (off_t)MIN(ALIGN_UP((u64)end, unit), size);
		*bytes += (u64)(end - start);
		survey->totals->ranges++;
	}
	close(fd);
	return known;
}

static void count_bytes(const struct survey *survey, const struct walk_item *item)
{
	const struct stat *st = &item->st;
	struct source_totals *totals = survey->totals;
	const u64 size = (u64)st->st_size;
	u64 bytes = size;

	/* Half of the 64 bits are enough for any number of blocks that a file can have. */
	if ((u64)st->st_blocks < size / 512 && size > survey->max_inline && !count_ranges(survey, item, &bytes))
		bytes = (u64)st->st_blocks * 512;
	totals->bytes += bytes;
	if (size <= survey->max_inline)
		totals->inline_bytes += size;
	else
		totals->data_sectors += bytes / survey->sectorsize + (bytes % survey->sectorsize != 0);
}

/* Hashes of 32 bytes for blocks of 4 KiB, as fs-verity does it by default; and hashes of these. */
static void count_verity(const struct survey *survey, const struct walk_item *item)
{
	const u64 size = (u64)item->st.st_size;
	struct statx stx;

	if (!survey->options->rules || !survey->options->rules->copy_verity || item->made ||
	    statx(item->at_fd, item->at_name, AT_SYMLINK_NOFOLLOW, STATX_SIZE, &stx) < 0 ||
	    !(stx.stx_attributes & STATX_ATTR_VERITY))
		return;
	survey->totals->verity_bytes += SZ_4K + size / SZ_4K * 32 + size / SZ_4K / 4;
}

static int count_file(struct survey *survey, const struct walk_item *item)
{
	const struct stat *st = &item->st;

	if (st->st_nlink > 1) {
		int ret = link_set_add(&survey->links, item->dev, item->found.st_ino, item->parent->subvolume);

		if (ret < 0)
			return source_path_error(item->parent, item->name, item->name_len,
						 "cannot remember its hard links", ret);
		if (ret == 0)
			return 0;
	}
	survey->totals->files++;
	if (survey->may_fail && st->st_size) {
		int ret = check_readable(item);

		if (ret < 0)
			return ret;
	}
	count_bytes(survey, item);
	count_verity(survey, item);
	return 0;
}

static int count_item(struct survey *survey, const struct walk_item *item)
{
	int ret = check_not_target(survey, item);

	if (ret)
		return ret;
	survey->totals->entries++;
	survey->totals->name_bytes += item->name_len;
	if (item->dir)
		survey->totals->directories++;
	if (item->is_subvolume)
		survey->totals->subvolumes++;
	return S_ISREG(item->st.st_mode) ? count_file(survey, item) : 0;
}

int source_survey(const struct source_options *options, u32 sectorsize, u32 max_inline,
		  struct source_totals *totals)
{
	struct survey survey = {
		.sectorsize = sectorsize,
		.max_inline = max_inline,
		.may_fail = geteuid() != 0,
		.options = options,
		.totals = totals,
	};
	struct source_options walked = *options;
	const struct walk_item *item;
	struct tree_walk walk;
	int ret;

	memset(totals, 0, sizeof(*totals));
	walked.nr_skip = 0;
	ret = tree_walk_init(&walk, &walked, true);
	if (ret < 0)
		return ret;
	while ((ret = tree_walk_next(&walk, &item)) > 0) {
		ret = options->stop && *options->stop ? -EINTR : count_item(&survey, item);
		if (ret < 0)
			break;
	}
	if (ret == 0)
		ret = overlay_finish(&walk.overlay);
	link_set_release(&survey.links);
	tree_walk_release(&walk);
	return ret;
}
