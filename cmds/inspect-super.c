// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `inspect super`: works on every single device, also where the filesystem does not open.
 */
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/inspect-json.h"
#include "cmds/inspect.h"
#include "cmds/print-super.h"
#include "reader/super.h"

static const char usage[] =
	"usage: btrfs-offline inspect super [-a] [-f] [--format text|json] DEVICE...\n"
	"\n"
	"Prints the superblock of each device: the primary copy if it is valid, else the newest\n"
	"valid one, else whatever is at the primary's place.\n"
	"\n"
	"  -a, --all             every copy that lies on the device\n"
	"  -f, --full            system chunk array and backup roots too\n"
	"      --format FORMAT   text (default) or json\n"
	"      --help            this text\n"
	"\n"
	"Exit status: 1 when a device has no valid superblock at all.\n";

struct super_options {
	struct inspect_options common;
	bool all;
	bool full;
};

/* Is there anything to print at this place? */
static bool copy_is_wanted(const struct btrfs_super_copies *copies, int index, bool all)
{
	const int chosen = MAX(copies->chosen, 0);

	return copies->copy[index].status != BTRFS_SUPER_ABSENT && (all || index == chosen);
}

static void print_copy(const struct io_device *device, const struct btrfs_super_copies *copies, int index,
		       bool full)
{
	const struct btrfs_super_copy *copy = &copies->copy[index];

	printf("superblock: device %s, copy %d at %llu: %s\n", device->path, index,
	       (unsigned long long)btrfs_sb_offset(index), copy->bad ? copy->reason.text : "valid");
	puts("---------------------------------------------------------");
	if (copy->status == BTRFS_SUPER_READ && copy->fault != BTRFS_SUPER_NO_MAGIC)
		print_super(&copy->block, full);
	putchar('\n');
}

static int print_device(const struct io_device *device, const struct btrfs_super_copies *copies,
			const struct super_options *options, json_t *array)
{
	int i;

	for (i = 0; i < BTRFS_SUPER_MIRROR_MAX; i++) {
		if (!copy_is_wanted(copies, i, options->all))
			continue;
		if (array)
			json_array_append_new(array, super_copy_to_json(device, copies, i));
		else
			print_copy(device, copies, i, options->full);
	}
	if (copies->chosen >= 0)
		return 0;
	error("%s: no valid btrfs superblock: %s", device->path,
	      btrfs_sb_copies(device->size) ? copies->copy[0].reason.text : "the device is too small");
	return 1;
}

/* Returns the exit status. */
static int print_devices(const struct io_device_set *set, const struct super_options *options, json_t *array)
{
	struct btrfs_super_copies *copies = malloc(sizeof(*copies));
	int status = 0;
	unsigned i;

	if (!copies) {
		error("not enough memory");
		return 1;
	}
	for (i = 0; i < set->nr; i++) {
		if (btrfs_read_super_copies(&set->devices[i], copies)) {
			error("%s: not enough memory", set->devices[i].path);
			status = 1;
			break;
		}
		status |= print_device(&set->devices[i], copies, options, array);
	}
	free(copies);
	return status;
}

/* Returns 0, 1 for --help, or -EINVAL after a message. */
static int parse_options(int argc, char **argv, struct super_options *options)
{
	static const struct option long_options[] = {
		{ "all", no_argument, NULL, 'a' },
		{ "full", no_argument, NULL, 'f' },
		{ "format", required_argument, NULL, 'F' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	optind = 0;
	while ((c = getopt_long(argc, argv, "af", long_options, NULL)) != -1) {
		switch (c) {
		case 'a':
			options->all = true;
			break;
		case 'f':
			options->full = true;
			break;
		case 'F':
			if (inspect_parse_format(optarg, &options->common))
				return -EINVAL;
			break;
		case 'h':
			return 1;
		default:
			return -EINVAL;
		}
	}
	return 0;
}

int inspect_super(int argc, char **argv)
{
	struct super_options options = { 0 };
	struct io_device_set set = { 0 };
	json_t *array = NULL;
	int ret = parse_options(argc, argv, &options);

	if (ret > 0) {
		fputs(usage, stdout);
		return 0;
	}
	if (ret)
		return 1;
	if (optind >= argc) {
		error("no device given, see --help");
		return 1;
	}
	if (io_device_set_open_read(&set, argv + optind, (unsigned)(argc - optind), IO_DIRECT_NEVER, true))
		return 1;
	if (options.common.json)
		array = json_array();
	ret = print_devices(&set, &options, array);
	if (array)
		inspect_print_json(array);
	json_decref(array);
	io_device_set_close(&set);
	return ret;
}
