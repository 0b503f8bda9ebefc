// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What mkfs shows: the progress line and the summary, as text and as JSON.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <uuid/uuid.h>

#include "cmds/mkfs-options.h"
#include "common/escape.h"
#include "common/message.h"
#include "common/units.h"
#include "kernel-shared/volumes.h"
#include "reader/features.h"

static const char *const mode_names[] = { "auto", "inline", "offload", "overlap" };
static const char *const kind_names[] = { "Data", "Metadata", "System" };

static double rate(u64 bytes, double seconds)
{
	return seconds > 0 ? (double)bytes / seconds / 1e6 : 0;
}

void mkfs_print_progress(void *arg, const struct mkfs_progress *progress)
{
	double left = 0;
	int percent = 100;

	(void)arg;
	if (progress->bytes_total) {
		double share = (double)progress->bytes_done / (double)progress->bytes_total;

		percent = (int)(share * 100);
		if (share > 0)
			left = progress->seconds / share - progress->seconds;
	}
	message_progress("%3d%%  %s of %s  %llu of %llu files  %.0f MB/s (%.0f on each of %u devices)  %.0f s left",
			 percent, format_size(progress->bytes_done).text, format_size(progress->bytes_total).text,
			 (unsigned long long)progress->entries_done, (unsigned long long)progress->entries_total,
			 rate(progress->bytes_done, progress->seconds),
			 rate(progress->bytes_done / progress->nr_devices, progress->seconds), progress->nr_devices,
			 left);
	if (progress->last)
		message_progress_end();
}

/* Calls @each with the name of every feature bit, and of that which has none. */
static void each_feature(const struct mkfs_report *report, void (*each)(void *arg, const char *name), void *arg)
{
	unsigned bit;

	for (bit = 0; bit < 64; bit++) {
		if ((report->incompat >> bit & 1) && btrfs_incompat_bit_name(bit))
			each(arg, btrfs_incompat_bit_name(bit));
	}
	if (report->quota == MKFS_QUOTA_HIERARCHY)
		each(arg, "quota");
	for (bit = 0; bit < 64; bit++) {
		if ((report->compat_ro >> bit & 1) && btrfs_compat_ro_bit_name(bit))
			each(arg, btrfs_compat_ro_bit_name(bit));
	}
}

static void print_word(void *arg, const char *name)
{
	const char **separator = arg;

	printf("%s%s", *separator, name);
	*separator = ", ";
}

static bool is_mixed(const struct mkfs_report *report)
{
	return report->incompat & BTRFS_FEATURE_INCOMPAT_MIXED_GROUPS;
}

static void print_groups(const struct mkfs_report *report)
{
	int i;

	for (i = 0; i < MKFS_NR_GROUP_KINDS; i++) {
		const char *name = kind_names[i];

		if (is_mixed(report) && i == 1)
			continue;
		if (is_mixed(report) && i == 0)
			name = "Data+Metadata";
		printf("  %-14s%-9s %10s\n", name, btrfs_raid_attr(report->profiles[i])->name,
		       format_size(report->chunk_bytes[i]).text);
	}
}

static void print_devices(const struct mkfs_report *report, bool dry_run)
{
	unsigned i;

	printf("Devices:            %u\n", report->nr_devices);
	for (i = 0; i < report->nr_devices; i++) {
		const struct mkfs_device_report *device = &report->devices[i];
		char *path = escape_bytes(device->path, strlen(device->path), NULL);

		printf("  %3llu  %10s", (unsigned long long)device->devid, format_size(device->size).text);
		if (!dry_run)
			printf("  written %10s  %7.0f MB/s", format_size(device->bytes_written).text,
			       rate(device->bytes_written, report->seconds));
		printf("  %s\n", path ? path : "?");
		free(path);
	}
}

static void print_dry_run(const struct mkfs_report *report)
{
	printf("Smallest size:      %llu bytes (%s)%s\n", (unsigned long long)report->smallest,
	       format_size(report->smallest).text, report->nr_devices > 1 ? " on each of so many equal devices" : "");
	printf("Nothing is written: this is what would be made\n");
}

void mkfs_print_text(const struct mkfs_command *command, const struct mkfs_report *report)
{
	const char *separator = "", *label = command->options.label ? command->options.label : "";
	char fsid[UUID_STR_LEN], *printable = escape_bytes(label, strlen(label), NULL);

	uuid_unparse(report->fsid, fsid);
	printf("Label:              %s\n", *label && printable ? printable : "(none)");
	printf("UUID:               %s\n", fsid);
	printf("Node size:          %u\nSector size:        %u\n", report->nodesize, report->sectorsize);
	printf("Checksum:           %s (%s, %u threads)\n", command->options.csum->name, mode_names[report->csum_mode],
	       report->csum_threads);
	printf("Filesystem size:    %s, %s used\n", format_size(report->total_bytes).text,
	       format_size(report->bytes_used).text);
	print_groups(report);
	printf("Features:           ");
	each_feature(report, print_word, &separator);
	putchar('\n');
	printf("Content:            %llu entries: %llu files, %llu directories, %llu further hard links; %s of data\n",
	       (unsigned long long)report->entries, (unsigned long long)report->files,
	       (unsigned long long)report->directories, (unsigned long long)report->hard_links,
	       format_size(report->data_bytes).text);
	if (report->subvolumes)
		printf("Subvolumes:         %llu; the default is id %llu\n", (unsigned long long)report->subvolumes,
		       (unsigned long long)report->default_subvolume);
	if (report->split_links)
		printf("Hard links split:   %llu more files than in the source, by borders of subvolumes\n",
		       (unsigned long long)report->split_links);
	if (report->changed_files)
		printf("Changed meanwhile:  %llu files, named above\n", (unsigned long long)report->changed_files);
	if (command->options.compress.type || report->compressed_bytes)
		printf("Compressed:         %s to %s\n", format_size(report->compressed_bytes).text,
		       format_size(report->compressed_to).text);
	if (command->options.reflink && !command->options.dry_run)
		printf("Reflinked:          %s on all devices\n", format_size(report->reflinked_bytes).text);
	if (command->options.dedupe)
		printf("Shared:             %s%s\n", format_size(report->shared_bytes).text,
		       report->dedupe_full ? "; --dedupe-memory was full, there may be more" : "");
	print_devices(report, command->options.dry_run);
	if (command->verify)
		printf("Verified:           %s read back in %.2f s, no errors found\n",
		       format_size(command->verified_bytes).text, report->verify_seconds);
	if (command->options.dry_run)
		print_dry_run(report);
	else
		printf("Time:               %.2f s, %.0f MB/s; %.2f s of it flushing; %s, %s I/O\n", report->seconds,
		       rate(report->data_bytes, report->seconds), report->flush_seconds, report->ring,
		       report->direct ? "direct" : "buffered");
	free(printable);
}

static void append_word(void *arg, const char *name)
{
	json_array_append_new(arg, json_string(name));
}

/* Bytes of any encoding as a valid JSON string. */
static json_t *json_bytes(const char *text)
{
	char *printable = escape_bytes(text, strlen(text), NULL);
	json_t *value = printable ? json_string(printable) : NULL;

	free(printable);
	return value ? value : json_null();
}

static json_t *json_uuid(const u8 *uuid)
{
	char text[UUID_STR_LEN];

	uuid_unparse(uuid, text);
	return json_string(text);
}

static json_t *json_devices(const struct mkfs_report *report)
{
	json_t *list = json_array();
	unsigned i;

	for (i = 0; i < report->nr_devices; i++) {
		const struct mkfs_device_report *device = &report->devices[i];

		json_array_append_new(list, json_pack("{s:I, s:o, s:o, s:I, s:I}", "devid", (json_int_t)device->devid,
						      "uuid", json_uuid(device->uuid), "path", json_bytes(device->path),
						      "size", (json_int_t)device->size, "bytes_written",
						      (json_int_t)device->bytes_written));
	}
	return list;
}

/* Mixed groups: "data" is what holds both, "metadata" has the profile and no size of its own. */
static json_t *json_groups(const struct mkfs_report *report)
{
	static const char *const keys[] = { "data", "metadata", "system" };
	json_t *groups = json_object();
	int i;

	for (i = 0; i < MKFS_NR_GROUP_KINDS; i++)
		json_object_set_new(groups, keys[i], json_pack("{s:s, s:I}", "profile",
							       btrfs_raid_attr(report->profiles[i])->name,
							       "size", (json_int_t)report->chunk_bytes[i]));
	return groups;
}

int mkfs_print_json(const struct mkfs_command *command, const struct mkfs_report *report)
{
	const char *label = command->options.label ? command->options.label : "";
	json_t *features = json_array(), *object;
	int ret;

	each_feature(report, append_word, features);
	object = json_pack("{s:s, s:i, s:o, s:o, s:i, s:i, s:s, s:s, s:i, s:I, s:I, s:I, s:I, s:o, s:o, s:o}",
			   "tool", "btrfs-offline mkfs", "format", 1, "fsid", json_uuid(report->fsid),
			   "label", json_bytes(label), "nodesize", (int)report->nodesize,
			   "sectorsize", (int)report->sectorsize, "csum", command->options.csum->name,
			   "csum_mode", mode_names[report->csum_mode], "csum_threads", (int)report->csum_threads,
			   "total_bytes", (json_int_t)report->total_bytes, "bytes_used", (json_int_t)report->bytes_used,
			   "data_bytes", (json_int_t)report->data_bytes,
			   "metadata_bytes", (json_int_t)report->metadata_bytes,
			   "features", features, "block_groups", json_groups(report), "devices", json_devices(report));
	if (!object)
		return -ENOMEM;
	json_object_set_new(object, "entries", json_integer((json_int_t)report->entries));
	json_object_set_new(object, "files", json_integer((json_int_t)report->files));
	json_object_set_new(object, "directories", json_integer((json_int_t)report->directories));
	json_object_set_new(object, "hard_links", json_integer((json_int_t)report->hard_links));
	json_object_set_new(object, "split_hard_links", json_integer((json_int_t)report->split_links));
	json_object_set_new(object, "subvolumes", json_integer((json_int_t)report->subvolumes));
	json_object_set_new(object, "default_subvolume", json_integer((json_int_t)report->default_subvolume));
	json_object_set_new(object, "compressed_bytes", json_integer((json_int_t)report->compressed_bytes));
	json_object_set_new(object, "compressed_to_bytes", json_integer((json_int_t)report->compressed_to));
	json_object_set_new(object, "shared_bytes", json_integer((json_int_t)report->shared_bytes));
	json_object_set_new(object, "reflinked_bytes", json_integer((json_int_t)report->reflinked_bytes));
	json_object_set_new(object, "changed_files", json_integer((json_int_t)report->changed_files));
	json_object_set_new(object, "io", json_pack("{s:s, s:b}", "engine", report->ring, "direct", report->direct));
	if (command->options.dry_run) {
		json_object_set_new(object, "dry_run", json_true());
		json_object_set_new(object, "smallest_size", json_integer((json_int_t)report->smallest));
	}
	if (command->verify) {
		json_object_set_new(object, "verified_bytes", json_integer((json_int_t)command->verified_bytes));
		json_object_set_new(object, "verify_seconds", json_real(report->verify_seconds));
	}
	json_object_set_new(object, "seconds", json_real(report->seconds));
	json_object_set_new(object, "flush_seconds", json_real(report->flush_seconds));
	ret = json_dumpf(object, stdout, JSON_INDENT(2)) ? -EIO : 0;
	putchar('\n');
	json_decref(object);
	return ret;
}
