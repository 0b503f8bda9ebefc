// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opens and closes a filesystem; the order of the steps is the order of trust: see fs.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/chunk-tree.h"
#include "reader/fs.h"
#include "reader/members.h"
#include "reader/roots.h"

const struct btrfs_device *btrfs_find_device(const struct btrfs_image *image, u64 devid)
{
	unsigned i;

	for (i = 0; i < image->nr_devices; i++) {
		if (image->devices[i].devid == devid)
			return &image->devices[i];
	}
	return NULL;
}

static int load_chunks(struct btrfs_image *image, const struct btrfs_open_options *options)
{
	struct btrfs_dev_records devices = { 0 };
	int ret;

	ret = btrfs_load_chunk_tree(image, &devices, &options->findings);
	if (!ret)
		ret = btrfs_match_devices(image, &devices, options);
	if (!ret)
		ret = btrfs_check_chunk_places(image, &devices, &options->findings);
	btrfs_dev_records_release(&devices);
	return ret;
}

/* The generations that the superblock remembers, for the message when the tree root is lost (R-SB4). */
static void describe_backups(const struct btrfs_super_block *super, char *text, size_t size)
{
	size_t used = 0;
	int i;

	text[0] = 0;
	for (i = 0; i < BTRFS_NUM_BACKUP_ROOTS && used < size; i++) {
		const unsigned long long generation = le64_to_cpu(super->super_roots[i].tree_root_gen);

		if (generation)
			used += (size_t)snprintf(text + used, size - used, " %llu", generation);
	}
}

/* Without one good copy of the tree of trees there is nothing to read. */
static int check_root_tree(const struct btrfs_image *image)
{
	const struct btrfs_tree_root root = btrfs_root_tree_root(image);
	const struct btrfs_block_ref ref = btrfs_root_ref(&root);
	const int copies = btrfs_nr_ways(image, ref.bytenr, image->check.nodesize);
	struct btrfs_reason first = { { 0 } };
	struct btrfs_copy_result result;
	void *buf = btrfs_block_buffer(image->check.nodesize);
	char backups[120];
	int copy = 0;

	if (!buf)
		return -ENOMEM;
	do {
		if (btrfs_read_block_copy(image, &ref, copy, buf, &result) == BTRFS_COPY_GOOD) {
			free(buf);
			return 0;
		}
		if (!copy)
			first = result.reason;
	} while (++copy < copies);
	free(buf);
	describe_backups(&image->super, backups, sizeof(backups));
	error("%s: tree root at %llu (generation %llu) cannot be used: %s; backup roots are of generation%s",
	      image->devices[image->super_device].io->path, (unsigned long long)ref.bytenr,
	      (unsigned long long)ref.generation, first.text, backups[0] ? backups : ": none");
	return -EUCLEAN;
}

int btrfs_image_open(struct btrfs_image **out, char *const *paths, unsigned nr,
		     const struct btrfs_open_options *options)
{
	struct btrfs_image *image = calloc(1, sizeof(*image));
	int ret = image ? 0 : -ENOMEM;
	bool set_open = false;

	if (!ret) {
		ret = options->held ? io_device_set_reopen(&image->set, options->held, options->direct) :
				      io_device_set_open_read(&image->set, paths, nr, options->direct,
							      options->allow_busy);
		set_open = !ret;
	}
	if (!ret)
		ret = btrfs_read_members(image);
	if (!ret)
		ret = btrfs_choose_super(image, options);
	if (!ret) {
		btrfs_report_members(image, &options->findings);
		ret = load_chunks(image, options);
	}
	if (!ret)
		ret = check_root_tree(image);
	if (!ret) {
		*out = image;
		return 0;
	}
	if (ret == -ENOMEM)
		error("%s: not enough memory to open the filesystem", paths[0]);
	if (set_open)
		btrfs_image_close(image);
	else
		free(image);
	return ret;
}

void btrfs_image_close(struct btrfs_image *image)
{
	unsigned i;

	if (!image)
		return;
	btrfs_chunk_table_release(&image->chunks);
	free(image->fsids);
	free(image->missing);
	for (i = 0; i < image->nr_devices; i++)
		free(image->devices[i].supers);
	free(image->devices);
	io_device_set_close(&image->set);
	free(image);
}
