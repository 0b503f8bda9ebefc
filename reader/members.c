// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Identifies the given devices and chooses the superblock that counts: see members.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/members.h"
#include "reader/uuid-text.h"

static int refuse_without_super(const struct io_device *io, const struct btrfs_super_copies *supers)
{
	char text[600] = "";
	size_t used = 0;
	int i;

	if (!btrfs_sb_copies(io->size)) {
		error("%s: too small for a btrfs superblock (%llu bytes)", io->path,
		      (unsigned long long)io->size);
		return -EUCLEAN;
	}
	if (supers->unfinished) {
		error("%s: unfinished mkfs: the filesystem was never completed, make it again", io->path);
		return -EUCLEAN;
	}
	for (i = 0; i < BTRFS_SUPER_MIRROR_MAX && used < sizeof(text); i++) {
		const struct btrfs_super_copy *copy = &supers->copy[i];

		if (copy->status != BTRFS_SUPER_ABSENT)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s copy %d: %s",
						 i ? ";" : "", i, copy->reason.text);
	}
	error("%s: no valid btrfs superblock:%s", io->path, text);
	return -EUCLEAN;
}

static int read_member(struct btrfs_device *device, const struct io_device *io)
{
	const struct btrfs_super_block *super;
	int ret;

	device->io = io;
	device->supers = malloc(sizeof(*device->supers));
	if (!device->supers)
		return -ENOMEM;
	ret = btrfs_read_super_copies(io, device->supers);
	if (ret)
		return ret;
	if (device->supers->chosen < 0)
		return refuse_without_super(io, device->supers);
	super = &device->supers->copy[device->supers->chosen].block;
	device->devid = le64_to_cpu(super->dev_item.devid);
	device->generation = le64_to_cpu(super->generation);
	memcpy(device->uuid, super->dev_item.uuid, BTRFS_UUID_SIZE);
	memcpy(device->fsid, super->fsid, BTRFS_FSID_SIZE);
	return 0;
}

int btrfs_read_members(struct btrfs_image *image)
{
	unsigned i;

	image->devices = calloc(image->set.nr, sizeof(*image->devices));
	if (!image->devices)
		return -ENOMEM;
	for (i = 0; i < image->set.nr; i++) {
		int ret;

		image->nr_devices++;
		ret = read_member(&image->devices[i], &image->set.devices[i]);
		if (ret)
			return ret;
	}
	return 0;
}

static const struct btrfs_super_block *chosen_super(const struct btrfs_device *device)
{
	return &device->supers->copy[device->supers->chosen].block;
}

static bool is_seeding(const struct btrfs_device *device)
{
	return le64_to_cpu(chosen_super(device)->flags) & BTRFS_SUPER_FLAG_SEEDING;
}

static int check_member_features(const struct btrfs_device *device, const struct btrfs_open_options *options)
{
	const struct btrfs_super_block *super = chosen_super(device);
	struct btrfs_feature_verdict verdict;

	btrfs_check_features(super, &verdict);
	if (!verdict.readable && options->any_features) {
		warning("%s: %s", device->io->path, verdict.reason);
	} else if (!verdict.readable) {
		error("%s: %s", device->io->path, verdict.reason);
		return -EOPNOTSUPP;
	}
	if (device->io->is_block && (le64_to_cpu(super->incompat_flags) & BTRFS_FEATURE_INCOMPAT_ZONED)) {
		error("%s: zoned block devices are not supported, only image files are", device->io->path);
		return -EOPNOTSUPP;
	}
	return 0;
}

static int check_duplicates(const struct btrfs_image *image, unsigned nr)
{
	const struct btrfs_device *device = &image->devices[nr];
	unsigned i;

	for (i = 0; i < nr; i++) {
		const struct btrfs_device *other = &image->devices[i];
		const bool same_uuid = !memcmp(device->uuid, other->uuid, BTRFS_UUID_SIZE);

		if (device->devid != other->devid && !same_uuid)
			continue;
		if (memcmp(device->fsid, other->fsid, BTRFS_FSID_SIZE)) {
			error("%s: belongs to filesystem %s, %s to %s, and neither is the seed of the other",
			      device->io->path, btrfs_format_uuid(device->fsid).text, other->io->path,
			      btrfs_format_uuid(other->fsid).text);
			return -EINVAL;
		}
		error("%s and %s: both are device %llu%s of a filesystem, give only the right one",
		      other->io->path, device->io->path, (unsigned long long)device->devid,
		      same_uuid ? " with the same uuid" : "");
		return -EEXIST;
	}
	return 0;
}

/* The first device that is no seed says which filesystem is meant; the first of all where all are seeds. */
static unsigned leading_member(const struct btrfs_image *image)
{
	unsigned i;

	for (i = 0; i < image->nr_devices; i++) {
		if (!is_seeding(&image->devices[i]))
			return i;
	}
	return 0;
}

static int check_same_filesystem(struct btrfs_image *image, unsigned leader)
{
	const struct btrfs_device *first = &image->devices[leader];
	unsigned i;

	for (i = 0; i < image->nr_devices; i++) {
		struct btrfs_device *device = &image->devices[i];

		if (!memcmp(device->fsid, first->fsid, BTRFS_FSID_SIZE))
			continue;
		if (is_seeding(device)) {
			device->seed = true;
			continue;
		}
		error("%s: belongs to filesystem %s, but %s to %s", device->io->path,
		      btrfs_format_uuid(device->fsid).text, first->io->path,
		      btrfs_format_uuid(first->fsid).text);
		return -EINVAL;
	}
	return 0;
}

static void find_newest(struct btrfs_image *image, unsigned leader)
{
	unsigned newest = leader;
	unsigned i;

	for (i = 0; i < image->nr_devices; i++) {
		const struct btrfs_device *device = &image->devices[i];

		if (!device->seed && device->generation > image->devices[newest].generation)
			newest = i;
	}
	for (i = 0; i < image->nr_devices; i++)
		image->devices[i].stale = !image->devices[i].seed &&
					  image->devices[i].generation < image->devices[newest].generation;
	image->super_device = newest;
	image->super = *chosen_super(&image->devices[newest]);
}

/* Block headers carry the metadata uuid of the filesystem, or of the seed that wrote them. */
static int collect_fsids(struct btrfs_image *image)
{
	unsigned i;

	image->fsids = calloc(1 + image->nr_devices, sizeof(*image->fsids));
	if (!image->fsids)
		return -ENOMEM;
	memcpy(image->fsids[0], btrfs_super_metadata_uuid(&image->super), BTRFS_FSID_SIZE);
	image->nr_fsids = 1;
	for (i = 0; i < image->nr_devices; i++) {
		const struct btrfs_device *device = &image->devices[i];

		if (device->seed)
			memcpy(image->fsids[image->nr_fsids++],
			       btrfs_super_metadata_uuid(chosen_super(device)), BTRFS_FSID_SIZE);
	}
	return 0;
}

static void describe(struct btrfs_image *image)
{
	const struct btrfs_super_block *super = &image->super;

	btrfs_check_features(super, &image->features);
	image->csum = csum_by_type(le16_to_cpu(super->csum_type));
	image->check = (struct btrfs_check_context){
		.nodesize = le32_to_cpu(super->nodesize),
		.sectorsize = le32_to_cpu(super->sectorsize),
		.csum_size = image->csum->size,
		.generation = le64_to_cpu(super->generation),
		.incompat_flags = le64_to_cpu(super->incompat_flags),
		.total_bytes = le64_to_cpu(super->total_bytes),
	};
}

int btrfs_choose_super(struct btrfs_image *image, const struct btrfs_open_options *options)
{
	const unsigned leader = leading_member(image);
	unsigned i;
	int ret;

	for (i = 0; i < image->nr_devices; i++) {
		ret = check_member_features(&image->devices[i], options);
		if (ret)
			return ret;
	}
	ret = check_same_filesystem(image, leader);
	for (i = 0; i < image->nr_devices && !ret; i++)
		ret = check_duplicates(image, i);
	if (ret)
		return ret;
	find_newest(image, leader);
	describe(image);
	return collect_fsids(image);
}

static void report_copies(const struct btrfs_device *device, const struct btrfs_finding_sink *sink)
{
	int i;

	for (i = 0; i < BTRFS_SUPER_MIRROR_MAX; i++) {
		const struct btrfs_super_copy *copy = &device->supers->copy[i];
		const struct btrfs_finding finding = {
			.kind = BTRFS_FINDING_SUPER,
			.devid = device->devid,
			.physical = btrfs_sb_offset(i),
			.logical = BTRFS_FINDING_NO_ADDRESS,
		};

		if (copy->bad)
			btrfs_report_finding(sink, finding, "superblock copy %d: %s", i, copy->reason.text);
	}
}

void btrfs_report_members(const struct btrfs_image *image, const struct btrfs_finding_sink *sink)
{
	unsigned i;

	for (i = 0; i < image->nr_devices; i++) {
		const struct btrfs_device *device = &image->devices[i];
		const struct btrfs_finding finding = {
			.kind = BTRFS_FINDING_STALE_DEVICE,
			.devid = device->devid,
			.physical = BTRFS_FINDING_NO_ADDRESS,
			.logical = BTRFS_FINDING_NO_ADDRESS,
		};

		report_copies(device, sink);
		if (device->stale)
			btrfs_report_finding(sink, finding,
					     "stale device: generation %llu, the newest is %llu",
					     (unsigned long long)device->generation,
					     (unsigned long long)btrfs_image_generation(image));
	}
}
