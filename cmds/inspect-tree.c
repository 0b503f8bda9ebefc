// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `inspect tree`: blocks, keys and items of one tree or all of them.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmds/inspect.h"
#include "cmds/print-item.h"
#include "cmds/print-text.h"
#include "common/units.h"
#include "reader/tree-walk.h"

static const char usage[] =
	"usage: btrfs-offline inspect tree [-t NAME|ID] [-b BYTENR] [--degraded] DEVICE...\n"
	"\n"
	"Prints every block, key and item of a tree, or of all trees.\n"
	"\n"
	"  -t, --tree NAME|ID    one tree: root, extent, chunk, dev, fs, csum, quota, uuid,\n"
	"                        free_space, block_group, data_reloc, tree_log, or a number\n"
	"  -b, --block BYTENR    only the block at this logical address\n"
	"      --degraded        go on when devices are missing\n"
	"      --help            this text\n";

struct tree_options {
	struct inspect_options common;
	bool one_tree;
	u64 tree;
	bool one_block;
	u64 block;
};

/* What one run prints with. */
struct tree_printer {
	const struct btrfs_image *image;
	u64 failures;	/* blocks without any good copy, items that make no sense */
};

static void print_header(const struct tree_printer *printer, const void *block)
{
	static const struct flag_name names[] = {
		{ BTRFS_HEADER_FLAG_WRITTEN, "WRITTEN" },
		{ BTRFS_HEADER_FLAG_RELOC, "RELOC" },
		{ 0, NULL },
	};
	const struct btrfs_header *header = btrfs_block_header(block);
	const u64 flags = le64_to_cpu(header->flags);
	const u64 owner = le64_to_cpu(header->owner);
	const char *name = btrfs_tree_name(owner);

	printf("%s %llu level %u items %u generation %llu owner ", header->level ? "node" : "leaf",
	       (unsigned long long)le64_to_cpu(header->bytenr), header->level, le32_to_cpu(header->nritems),
	       (unsigned long long)le64_to_cpu(header->generation));
	if (name)
		puts(name);
	else
		printf("%llu\n", (unsigned long long)owner);
	fputs("flags ", stdout);
	print_flags(flags & (((u64)1 << BTRFS_HEADER_FLAG_REV_SHIFT) - 1), names);
	printf(" backref revision %llu\n", (unsigned long long)(flags >> BTRFS_HEADER_FLAG_REV_SHIFT));
	fputs("checksum ", stdout);
	print_hex(header->csum, printer->image->check.csum_size);
	fputs("\nfs uuid ", stdout);
	print_uuid(header->fsid);
	fputs("\nchunk uuid ", stdout);
	print_uuid(header->chunk_tree_uuid);
	putchar('\n');
}

static int print_node(void *arg, const struct btrfs_block_ref *ref, const void *node)
{
	u32 slot;

	(void)ref;
	print_header(arg, node);
	for (slot = 0; slot < btrfs_header_nritems(node); slot++) {
		const struct btrfs_key_ptr *ptr = btrfs_node_ptr(node, slot);
		const struct btrfs_key key = btrfs_node_key(node, slot);

		printf("\tkey %s block %llu gen %llu\n", btrfs_format_key(&key).text,
		       (unsigned long long)le64_to_cpu(ptr->blockptr),
		       (unsigned long long)le64_to_cpu(ptr->generation));
	}
	return 0;
}

static void print_complaint(void *arg, int slot, const struct btrfs_key *key, const char *text)
{
	struct tree_printer *printer = arg;

	(void)slot;
	(void)key;
	printer->failures++;
	printf("\t\tBAD ITEM: %s\n", text);
}

static int print_leaf(void *arg, const struct btrfs_block_ref *ref, const void *leaf)
{
	struct tree_printer *printer = arg;
	struct btrfs_check_context check = printer->image->check;
	u32 slot;

	if (ref->tree == BTRFS_TREE_LOG_OBJECTID)
		check.generation++;
	print_header(printer, leaf);
	for (slot = 0; slot < btrfs_header_nritems(leaf); slot++) {
		const struct item_view item = {
			.check = &check,
			.key = btrfs_item_key(leaf, slot),
			.data = btrfs_item_ptr(leaf, slot),
			.size = btrfs_item_size(leaf, slot),
		};

		printf("\titem %u key %s itemoff %u itemsize %u\n", slot, btrfs_format_key(&item.key).text,
		       le32_to_cpu(btrfs_leaf_item(leaf, slot)->offset), item.size);
		btrfs_check_item(&check, leaf, slot, print_complaint, printer);
		print_item(&item);
	}
	return ferror(stdout) ? -EIO : 0;
}

static int read_block(void *arg, const struct btrfs_block_ref *ref, void *buf)
{
	struct tree_printer *printer = arg;
	struct btrfs_copy_result result;
	int ret = btrfs_read_block(printer->image, ref, buf, &result);

	if (ret != -EUCLEAN)
		return ret;
	printer->failures++;
	error("block %llu of tree %lld: %s", (unsigned long long)ref->bytenr, (long long)ref->tree,
	      result.reason.text);
	return BTRFS_WALK_SKIP;
}

static void bad_shape(void *arg, const struct btrfs_block_ref *ref, const char *text)
{
	struct tree_printer *printer = arg;

	printer->failures++;
	error("block %llu of tree %lld: %s", (unsigned long long)ref->bytenr, (long long)ref->tree, text);
}

static int print_tree(void *arg, const struct btrfs_tree_root *root)
{
	static const struct btrfs_walk_ops ops = {
		.read = read_block,
		.node = print_node,
		.leaf = print_leaf,
		.bad_shape = bad_shape,
	};
	struct tree_printer *printer = arg;
	const char *name = btrfs_tree_name(root->objectid);

	printf("tree %s (%lld %lld) root %llu level %u generation %llu\n", name ? name : "FILE_TREE",
	       (long long)root->objectid, (long long)root->offset, (unsigned long long)root->bytenr,
	       root->level, (unsigned long long)root->generation);
	return btrfs_walk_tree(printer->image, root, &ops, printer);
}

static int print_log_trees(struct tree_printer *printer)
{
	struct btrfs_tree_root log;
	int ret;

	if (!btrfs_log_tree_root(printer->image, &log))
		return 0;
	ret = print_tree(printer, &log);
	return ret ? ret : btrfs_each_root(printer->image, &log, print_tree, printer);
}

static int print_all_trees(struct tree_printer *printer)
{
	const struct btrfs_tree_root chunk = btrfs_chunk_tree_root(printer->image);
	const struct btrfs_tree_root root = btrfs_root_tree_root(printer->image);
	int ret;

	ret = print_tree(printer, &chunk);
	if (!ret)
		ret = print_tree(printer, &root);
	if (!ret)
		ret = btrfs_each_root(printer->image, &root, print_tree, printer);
	return ret ? ret : print_log_trees(printer);
}

static int print_one_tree(struct tree_printer *printer, u64 objectid)
{
	struct btrfs_tree_root root;
	int ret;

	if (objectid == BTRFS_TREE_LOG_OBJECTID)
		return print_log_trees(printer);
	ret = btrfs_find_root(printer->image, objectid, &root);
	if (!ret)
		return print_tree(printer, &root);
	if (ret == -ENOENT)
		error("there is no tree %lld", (long long)objectid);
	else if (ret == -EUCLEAN)
		error("the root item of tree %lld is damaged or lost", (long long)objectid);
	return ret;
}

static int print_one_block(struct tree_printer *printer, u64 bytenr)
{
	const struct btrfs_block_ref ref = { .bytenr = bytenr, .level = -1 };
	struct btrfs_copy_result result;
	void *buf = btrfs_block_buffer(printer->image->check.nodesize);
	int ret = buf ? btrfs_read_block(printer->image, &ref, buf, &result) : -ENOMEM;

	if (ret == -EUCLEAN)
		error("block %llu: %s", (unsigned long long)bytenr, result.reason.text);
	if (!ret && btrfs_block_header(buf)->level)
		ret = print_node(printer, &ref, buf);
	else if (!ret)
		ret = print_leaf(printer, &ref, buf);
	free(buf);
	return ret;
}

static int parse_tree(const char *word, struct tree_options *options)
{
	options->one_tree = true;
	if (!parse_u64(word, &options->tree) || !btrfs_tree_by_name(word, &options->tree))
		return 0;
	error("unknown tree %s, see --help for the names", word);
	return -EINVAL;
}

/* Returns 0, 1 for --help, or -EINVAL after a message. */
static int parse_options(int argc, char **argv, struct tree_options *options)
{
	static const struct option long_options[] = {
		{ "tree", required_argument, NULL, 't' },
		{ "block", required_argument, NULL, 'b' },
		{ "degraded", no_argument, NULL, 'D' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	optind = 0;
	while ((c = getopt_long(argc, argv, "t:b:", long_options, NULL)) != -1) {
		switch (c) {
		case 't':
			if (parse_tree(optarg, options))
				return -EINVAL;
			break;
		case 'b':
			if (parse_size(optarg, &options->block)) {
				error("%s is not an address", optarg);
				return -EINVAL;
			}
			options->one_block = true;
			break;
		case 'D':
			options->common.degraded = true;
			break;
		case 'h':
			return 1;
		default:
			return -EINVAL;
		}
	}
	return 0;
}

int inspect_tree(int argc, char **argv)
{
	struct tree_options options = { 0 };
	struct tree_printer printer = { 0 };
	struct btrfs_image *image;
	int ret = parse_options(argc, argv, &options);

	if (ret > 0) {
		fputs(usage, stdout);
		return 0;
	}
	if (ret || inspect_open(&image, argv + optind, argc - optind, &options.common))
		return 1;
	printer.image = image;
	if (options.one_block)
		ret = print_one_block(&printer, options.block);
	else if (options.one_tree)
		ret = print_one_tree(&printer, options.tree);
	else
		ret = print_all_trees(&printer);
	if (ret == -ENOMEM)
		error("not enough memory");
	btrfs_image_close(image);
	return ret || printer.failures ? 1 : 0;
}
