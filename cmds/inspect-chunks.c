// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `inspect chunks`: the chunk map as a table.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>

#include "cmds/inspect-json.h"
#include "cmds/inspect.h"
#include "common/message.h"

static const char usage[] =
	"usage: btrfs-offline inspect chunks [--degraded] [--format text|json] DEVICE...\n"
	"\n"
	"Prints for every chunk its logical address and length, type and profile, and where each\n"
	"stripe lies: devid:physical offset.\n"
	"\n"
	"      --degraded        go on when devices are missing\n"
	"      --format FORMAT   text (default) or json\n"
	"      --help            this text\n";

static void print_chunk(const struct btrfs_chunk_map *map)
{
	unsigned i;

	printf("%16llu %14llu  %-13s %-8s", (unsigned long long)map->start, (unsigned long long)map->length,
	       btrfs_bg_type_name(map->type), btrfs_raid_attr(map->type)->name);
	for (i = 0; i < map->num_stripes; i++)
		printf(" %llu:%llu", (unsigned long long)map->stripes[i].devid,
		       (unsigned long long)map->stripes[i].physical);
	putchar('\n');
}

static void print_table(const struct btrfs_image *image)
{
	size_t i;

	printf("%16s %14s  %-13s %-8s %s\n", "LOGICAL", "LENGTH", "TYPE", "PROFILE", "STRIPES");
	for (i = 0; i < image->chunks.nr; i++)
		print_chunk(image->chunks.maps[i]);
}

static void print_json(const struct btrfs_image *image)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < image->chunks.nr; i++)
		json_array_append_new(array, chunk_to_json(image->chunks.maps[i]));
	inspect_print_json(array);
	json_decref(array);
}

/* Returns 0, 1 for --help, or -EINVAL after a message. */
static int parse_options(int argc, char **argv, struct inspect_options *options)
{
	static const struct option long_options[] = {
		{ "degraded", no_argument, NULL, 'D' },
		{ "format", required_argument, NULL, 'F' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	optind = 0;
	while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		switch (c) {
		case 'D':
			options->degraded = true;
			break;
		case 'F':
			if (inspect_parse_format(optarg, options))
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

int inspect_chunks(int argc, char **argv)
{
	struct inspect_options options = { 0 };
	struct btrfs_image *image;
	int ret = parse_options(argc, argv, &options);
	bool damaged;

	if (ret > 0) {
		fputs(usage, stdout);
		return 0;
	}
	if (ret || inspect_open(&image, argv + optind, argc - optind, &options))
		return 1;
	if (options.json)
		print_json(image);
	else
		print_table(image);
	damaged = image->nr_bad_chunks || image->chunk_tree_damaged;
	if (damaged)
		error("the list is not complete: %llu bad chunk items%s",
		      (unsigned long long)image->nr_bad_chunks,
		      image->chunk_tree_damaged ? ", and blocks of the chunk tree are lost" : "");
	btrfs_image_close(image);
	return damaged ? 1 : 0;
}
