// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a run says about itself when it is over: struct mkfs_report.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mkfs/writer-internal.h"

static void report_chunks(const struct writer *writer, struct mkfs_report *report)
{
	size_t i;

	for (i = 0; i < writer->alloc.chunks.nr; i++) {
		const struct btrfs_chunk_map *map = writer->alloc.chunks.maps[i];
		int kind = map->type & BTRFS_BLOCK_GROUP_DATA ? 0 : map->type & BTRFS_BLOCK_GROUP_METADATA ? 1 : 2;

		report->chunk_bytes[kind] += map->length;
	}
	report->profiles[0] = writer->layout.data_type & BTRFS_BLOCK_GROUP_PROFILE_MASK;
	report->profiles[1] = writer->layout.metadata_type & BTRFS_BLOCK_GROUP_PROFILE_MASK;
	report->profiles[2] = writer->layout.system_type & BTRFS_BLOCK_GROUP_PROFILE_MASK;
}

static int report_devices(const struct writer *writer, struct mkfs_report *report)
{
	unsigned i;

	report->devices = calloc(writer->set.nr, sizeof(*report->devices));
	if (!report->devices)
		return -ENOMEM;
	report->nr_devices = writer->set.nr;
	report->direct = true;
	for (i = 0; i < writer->set.nr; i++) {
		struct mkfs_device_report *device = &report->devices[i];

		device->path = writer->options->devices[i];
		device->devid = i + 1;
		device->size = writer->sizes[i];
		device->bytes_written = writer->imagined ? 0 : write_stage_bytes(writer->write, i);
		report->reflinked_bytes += write_stage_cloned(writer->write, i);
		memcpy(device->uuid, writer->layout.device_uuids[i], sizeof(device->uuid));
		report->direct = report->direct && writer->set.devices[i].direct;
	}
	return 0;
}

int writer_fill_report(const struct writer *writer, struct mkfs_report *report)
{
	const struct import_result *import = importer_result(writer->importer);

	memcpy(report->fsid, writer->layout.fsid, sizeof(report->fsid));
	report->nodesize = writer->layout.nodesize;
	report->sectorsize = writer->layout.sectorsize;
	report->total_bytes = writer->alloc.total_bytes;
	report->bytes_used = metadata_bytes_used(&writer->metadata);
	report->data_bytes = writer->data.total;
	report->metadata_bytes = metadata_tree_bytes(&writer->metadata);
	report->entries = import->entries;
	report->files = import->files;
	report->directories = import->directories;
	report->hard_links = import->hard_links;
	report->split_links = import->split_links;
	report->subvolumes = import->subvolumes.nr - 1;
	report->default_subvolume = mkfs_subvolume_id(import->subvolumes.default_number);
	report->changed_files = import->changed_files;
	report->shared_bytes = import->shared_bytes;
	report->compressed_bytes = import->compressed_bytes;
	report->compressed_to = import->compressed_to;
	report->reflink_error = write_stage_clone_error(writer->write);
	report->dedupe_full = writer->dedupe && dedupe_table_full(writer->dedupe);
	report->incompat = writer->layout.incompat;
	report->compat_ro = writer->layout.compat_ro;
	report->smallest = writer->smallest;
	report->quota = writer->layout.quota;
	report->ring = write_stage_ring_name(writer->write);
	report->seconds = seconds_since(&writer->start);
	report_chunks(writer, report);
	return report_devices(writer, report);
}

void mkfs_report_release(struct mkfs_report *report)
{
	free(report->devices);
	report->devices = NULL;
}
