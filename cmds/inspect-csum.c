// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `inspect csum`: the checksums that are stored for a range, or only whether there is one.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/inspect-json.h"
#include "cmds/inspect.h"
#include "cmds/print-text.h"
#include "common/checked.h"
#include "common/units.h"
#include "reader/csum-lookup.h"

static const char usage[] =
	"usage: btrfs-offline inspect csum [--exists] [--degraded] [--format text|json]\n"
	"                                  LOGICAL[+LEN] DEVICE...\n"
	"\n"
	"Prints the checksum that the csum tree has for each sector of a range of logical\n"
	"addresses. LEN is one sector unless given. Both take suffixes k, m, g, t.\n"
	"\n"
	"      --exists          print nothing, only tell by the exit status; stops at the first\n"
	"      --degraded        go on when devices are missing\n"
	"      --format FORMAT   text (default) or json\n"
	"      --help            this text\n"
	"\n"
	"Exit status: 0 success (--exists: there is a checksum in the range), 1 failure,\n"
	"3 (--exists only) there is none.\n";

struct csum_options {
	struct inspect_options common;
	bool exists;
	u64 logical;
	u64 len;	/* 0: one sector */
};

struct csum_printer {
	const struct btrfs_image *image;
	u64 position;	/* everything below it was printed */
	json_t *array;	/* NULL: text */
};

static void print_none(struct csum_printer *printer, u64 end)
{
	if (printer->position < end && !printer->array)
		printf("%llu+%llu none\n", (unsigned long long)printer->position,
		       (unsigned long long)(end - printer->position));
	printer->position = end;
}

static void print_sum(struct csum_printer *printer, u64 logical, const u8 *sum)
{
	const u16 size = printer->image->check.csum_size;
	json_t *object;

	if (!printer->array) {
		printf("%llu 0x", (unsigned long long)logical);
		print_hex(sum, size);
		putchar('\n');
		return;
	}
	object = json_object();
	json_object_set_new(object, "logical", json_u64(logical));
	json_object_set_new(object, "csum", json_hex(sum, size));
	json_array_append_new(printer->array, object);
}

static int print_run(void *arg, const struct btrfs_csum_run *run)
{
	struct csum_printer *printer = arg;
	const struct btrfs_check_context *check = &printer->image->check;
	u32 i;

	print_none(printer, run->logical);
	for (i = 0; i < run->nr_sectors; i++)
		print_sum(printer, run->logical + (u64)i * check->sectorsize,
			  run->sums + (size_t)i * check->csum_size);
	printer->position = run->logical + (u64)run->nr_sectors * check->sectorsize;
	return ferror(stdout) ? -EIO : 0;
}

static int print_range(struct csum_printer *printer, struct btrfs_csum_lookup *lookup, u64 logical, u64 len)
{
	int ret;

	printer->position = logical;
	ret = btrfs_csum_collect(lookup, logical, len, print_run, printer);
	if (ret)
		return ret;
	print_none(printer, logical + len);
	if (printer->array)
		inspect_print_json(printer->array);
	return lookup->cursor.skipped_blocks ? -EUCLEAN : 0;
}

/* Returns the exit status. */
static int report_exists(struct btrfs_csum_lookup *lookup, u64 logical, u64 len)
{
	bool exists;
	int ret = btrfs_csum_exists(lookup, logical, len, &exists);

	if (!ret)
		return exists ? 0 : INSPECT_EXIT_NONE;
	if (ret == -EUCLEAN)
		error("none found, but a part of the csum tree is lost");
	else
		error("not enough memory");
	return 1;
}

/* Returns the exit status. */
static int look_up(const struct btrfs_image *image, const struct csum_options *options)
{
	const u64 sectorsize = image->check.sectorsize;
	const u64 logical = ALIGN_DOWN(options->logical, sectorsize);
	struct csum_printer printer = { .image = image };
	struct btrfs_csum_lookup lookup;
	struct btrfs_tree_root root;
	u64 end;
	int ret;

	if (check_add_overflow(options->logical, options->len ? options->len : 1, &end) ||
	    check_add_overflow(end, sectorsize - 1, &end)) {
		error("the range ends beyond the largest address");
		return 1;
	}
	end = ALIGN_DOWN(end, sectorsize);
	ret = btrfs_find_root(image, BTRFS_CSUM_TREE_OBJECTID, &root);
	if (ret) {
		error("the csum tree cannot be found: %s", strerror(-ret));
		return 1;
	}
	if (btrfs_csum_lookup_init(&lookup, image, &root)) {
		error("not enough memory");
		return 1;
	}
	if (options->exists) {
		ret = report_exists(&lookup, logical, end - logical);
	} else {
		printer.array = options->common.json ? json_array() : NULL;
		ret = print_range(&printer, &lookup, logical, end - logical);
		if (ret)
			error("the list is not complete: %s", strerror(-ret));
		json_decref(printer.array);
		ret = ret ? 1 : 0;
	}
	btrfs_csum_lookup_release(&lookup);
	return ret;
}

/* "LOGICAL" or "LOGICAL+LEN". Returns 0, or -EINVAL after a message. */
static int parse_range(const char *word, struct csum_options *options)
{
	char *text = strdup(word);
	char *plus;
	int ret = -EINVAL;

	if (!text)
		return -ENOMEM;
	plus = strchr(text, '+');
	if (plus)
		*plus++ = 0;
	if (!parse_size(text, &options->logical))
		ret = 0;
	if (!ret && plus && (parse_size(plus, &options->len) || !options->len))
		ret = -EINVAL;
	if (ret)
		error("%s is not a range, must be LOGICAL or LOGICAL+LEN", word);
	free(text);
	return ret;
}

/* Returns 0, 1 for --help, or -EINVAL after a message. */
static int parse_options(int argc, char **argv, struct csum_options *options)
{
	static const struct option long_options[] = {
		{ "exists", no_argument, NULL, 'e' },
		{ "degraded", no_argument, NULL, 'D' },
		{ "format", required_argument, NULL, 'F' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	optind = 0;
	while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		switch (c) {
		case 'e':
			options->exists = true;
			break;
		case 'D':
			options->common.degraded = true;
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
	if (optind >= argc) {
		error("no range given, see --help");
		return -EINVAL;
	}
	return parse_range(argv[optind++], options);
}

int inspect_csum(int argc, char **argv)
{
	struct csum_options options = { 0 };
	struct btrfs_image *image;
	int ret = parse_options(argc, argv, &options);

	if (ret > 0) {
		fputs(usage, stdout);
		return 0;
	}
	if (ret || inspect_open(&image, argv + optind, argc - optind, &options.common))
		return 1;
	ret = look_up(image, &options);
	btrfs_image_close(image);
	return ret;
}
