// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares DEV_ITEMs with devices: see dev-records.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/dev-records.h"
#include "reader/uuid-text.h"

int btrfs_dev_records_add(struct btrfs_dev_records *list, const struct btrfs_dev_item *item)
{
	struct btrfs_dev_record *record;

	if (list->nr == list->capacity) {
		const size_t capacity = list->capacity ? list->capacity * 2 : 16;

		record = reallocarray(list->records, capacity, sizeof(*record));
		if (!record)
			return -ENOMEM;
		list->records = record;
		list->capacity = capacity;
	}
	record = &list->records[list->nr++];
	record->devid = le64_to_cpu(item->devid);
	record->total_bytes = le64_to_cpu(item->total_bytes);
	record->bytes_used = le64_to_cpu(item->bytes_used);
	memcpy(record->uuid, item->uuid, BTRFS_UUID_SIZE);
	memcpy(record->fsid, item->fsid, BTRFS_FSID_SIZE);
	return 0;
}

static int compare_devid(const void *a, const void *b)
{
	const struct btrfs_dev_record *left = a;
	const struct btrfs_dev_record *right = b;

	return left->devid < right->devid ? -1 : left->devid > right->devid;
}

const struct btrfs_dev_record *btrfs_dev_records_find(const struct btrfs_dev_records *list, u64 devid)
{
	const struct btrfs_dev_record wanted = { .devid = devid };

	if (!list->nr)
		return NULL;
	return bsearch(&wanted, list->records, list->nr, sizeof(wanted), compare_devid);
}

void btrfs_dev_records_release(struct btrfs_dev_records *list)
{
	free(list->records);
	*list = (struct btrfs_dev_records){ 0 };
}

static struct btrfs_finding about_device(enum btrfs_finding_kind kind, u64 devid)
{
	return (struct btrfs_finding){
		.kind = kind,
		.devid = devid,
		.physical = BTRFS_FINDING_NO_ADDRESS,
		.logical = BTRFS_FINDING_NO_ADDRESS,
	};
}

static void compare_device(const struct btrfs_device *device, const struct btrfs_dev_record *record,
			   const struct btrfs_finding_sink *sink)
{
	if (memcmp(device->uuid, record->uuid, BTRFS_UUID_SIZE))
		btrfs_report_finding(sink, about_device(BTRFS_FINDING_DEVICE, device->devid),
				     "the device's uuid is %s, its DEV_ITEM says %s",
				     btrfs_format_uuid(device->uuid).text,
				     btrfs_format_uuid(record->uuid).text);
	if (device->io->size < record->total_bytes)
		btrfs_report_finding(sink, about_device(BTRFS_FINDING_NOTE, device->devid),
				     "the device has %llu bytes, its DEV_ITEM says %llu",
				     (unsigned long long)device->io->size,
				     (unsigned long long)record->total_bytes);
}

/* A device that the chunk tree does not know. */
static int judge_stranger(const struct btrfs_image *image, const struct btrfs_device *device,
			  const struct btrfs_finding_sink *sink)
{
	if (device->seed) {
		error("%s: belongs to filesystem %s, which is no seed of %s", device->io->path,
		      btrfs_format_uuid(device->fsid).text, btrfs_format_uuid(image->super.fsid).text);
		return -EINVAL;
	}
	/* With a damaged chunk tree its item may be among what is lost. */
	if (!image->chunk_tree_damaged)
		btrfs_report_finding(sink, about_device(BTRFS_FINDING_DEVICE, device->devid),
				     "the chunk tree has no DEV_ITEM for this device");
	return 0;
}

static int match_given(struct btrfs_image *image, const struct btrfs_dev_records *list,
		       const struct btrfs_finding_sink *sink)
{
	unsigned i;

	for (i = 0; i < image->nr_devices; i++) {
		struct btrfs_device *device = &image->devices[i];
		const struct btrfs_dev_record *record = btrfs_dev_records_find(list, device->devid);

		if (!record || (device->seed && memcmp(device->uuid, record->uuid, BTRFS_UUID_SIZE))) {
			int ret = judge_stranger(image, device, sink);

			if (ret)
				return ret;
			continue;
		}
		device->known = true;
		device->item_bytes = record->total_bytes;
		device->item_bytes_used = record->bytes_used;
		compare_device(device, record, sink);
	}
	return 0;
}

/* DEV_ITEMs of seeds carry the seed's fsid: blocks on any device may have it. */
static int add_fsid(struct btrfs_image *image, const u8 *fsid)
{
	u8 (*bigger)[BTRFS_FSID_SIZE];
	unsigned i;

	for (i = 0; i < image->nr_fsids; i++) {
		if (!memcmp(image->fsids[i], fsid, BTRFS_FSID_SIZE))
			return 0;
	}
	bigger = reallocarray(image->fsids, image->nr_fsids + 1, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	memcpy(bigger[image->nr_fsids], fsid, BTRFS_FSID_SIZE);
	image->fsids = bigger;
	image->nr_fsids++;
	return 0;
}

static int collect_missing(struct btrfs_image *image, const struct btrfs_dev_records *list)
{
	size_t i;

	image->missing = calloc(list->nr ? list->nr : 1, sizeof(*image->missing));
	if (!image->missing)
		return -ENOMEM;
	for (i = 0; i < list->nr; i++) {
		int ret = add_fsid(image, list->records[i].fsid);

		if (ret)
			return ret;
		if (!btrfs_find_device(image, list->records[i].devid))
			image->missing[image->nr_missing++] = list->records[i].devid;
	}
	return 0;
}

static int judge_missing(const struct btrfs_image *image, const struct btrfs_open_options *options)
{
	const char *path = image->devices[image->super_device].io->path;
	char text[200] = "";
	size_t used = 0;
	unsigned i;

	for (i = 0; i < image->nr_missing; i++) {
		if (used < sizeof(text) - 24)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " %llu",
						 (unsigned long long)image->missing[i]);
		else if (text[used - 1] != '.')
			used += (size_t)snprintf(text + used, sizeof(text) - used, " ...");
		if (options->degraded)
			btrfs_report_finding(&options->findings,
					     about_device(BTRFS_FINDING_MISSING_DEVICE, image->missing[i]),
					     "device is missing");
	}
	if (!image->nr_missing || options->degraded)
		return 0;
	error("%s: %u of %llu devices are missing, devid%s: give all devices, or go on with --degraded", path,
	      image->nr_missing, (unsigned long long)le64_to_cpu(image->super.num_devices), text);
	return -ENODEV;
}

int btrfs_match_devices(struct btrfs_image *image, const struct btrfs_dev_records *list,
			const struct btrfs_open_options *options)
{
	const u64 claimed = le64_to_cpu(image->super.num_devices);
	int ret;

	ret = match_given(image, list, &options->findings);
	if (!ret)
		ret = collect_missing(image, list);
	if (!ret)
		ret = judge_missing(image, options);
	if (ret)
		return ret;
	if (!image->chunk_tree_damaged && claimed != list->nr)
		btrfs_report_finding(&options->findings,
				     about_device(BTRFS_FINDING_DEVICE, BTRFS_FINDING_NO_DEVICE),
				     "the superblock says %llu devices, the chunk tree has %zu",
				     (unsigned long long)claimed, list->nr);
	return 0;
}
