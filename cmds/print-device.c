// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Items of the chunk and device trees: see print-item.h.
 */
#include <stdio.h>

#include "cmds/print-item.h"
#include "cmds/print-text.h"

static void print_dev_item(const struct item_view *item)
{
	const struct btrfs_dev_item *dev = (const void *)item->data;

	printf("\t\tdevid %llu total_bytes %llu bytes_used %llu\n",
	       (unsigned long long)le64_to_cpu(dev->devid), (unsigned long long)le64_to_cpu(dev->total_bytes),
	       (unsigned long long)le64_to_cpu(dev->bytes_used));
	printf("\t\tio_align %u io_width %u sector_size %u type %llu\n", le32_to_cpu(dev->io_align),
	       le32_to_cpu(dev->io_width), le32_to_cpu(dev->sector_size),
	       (unsigned long long)le64_to_cpu(dev->type));
	printf("\t\tgeneration %llu start_offset %llu dev_group %u seek_speed %u bandwidth %u\n",
	       (unsigned long long)le64_to_cpu(dev->generation),
	       (unsigned long long)le64_to_cpu(dev->start_offset), le32_to_cpu(dev->dev_group),
	       dev->seek_speed, dev->bandwidth);
	fputs("\t\tuuid ", stdout);
	print_uuid(dev->uuid);
	fputs("\n\t\tfsid ", stdout);
	print_uuid(dev->fsid);
	putchar('\n');
}

static void print_stripes(const struct item_view *item, const struct btrfs_chunk *chunk)
{
	const size_t room = (item->size - offsetof(struct btrfs_chunk, stripe)) / sizeof(struct btrfs_stripe);
	const struct btrfs_stripe *stripes = &chunk->stripe;
	size_t i;

	for (i = 0; i < le16_to_cpu(chunk->num_stripes) && i < room; i++) {
		printf("\t\t\tstripe %zu devid %llu offset %llu dev_uuid ", i,
		       (unsigned long long)le64_to_cpu(stripes[i].devid),
		       (unsigned long long)le64_to_cpu(stripes[i].offset));
		print_uuid(stripes[i].dev_uuid);
		putchar('\n');
	}
}

static void print_chunk_item(const struct item_view *item)
{
	const struct btrfs_chunk *chunk = (const void *)item->data;

	printf("\t\tlength %llu owner %llu stripe_len %llu type ",
	       (unsigned long long)le64_to_cpu(chunk->length), (unsigned long long)le64_to_cpu(chunk->owner),
	       (unsigned long long)le64_to_cpu(chunk->stripe_len));
	print_bg_flags(le64_to_cpu(chunk->type));
	printf("\n\t\tio_align %u io_width %u sector_size %u\n", le32_to_cpu(chunk->io_align),
	       le32_to_cpu(chunk->io_width), le32_to_cpu(chunk->sector_size));
	printf("\t\tnum_stripes %u sub_stripes %u\n", le16_to_cpu(chunk->num_stripes),
	       le16_to_cpu(chunk->sub_stripes));
	print_stripes(item, chunk);
}

static void print_dev_extent(const struct item_view *item)
{
	const struct btrfs_dev_extent *extent = (const void *)item->data;

	printf("\t\tdev extent chunk_tree %llu chunk_objectid %llu chunk_offset %llu length %llu\n",
	       (unsigned long long)le64_to_cpu(extent->chunk_tree),
	       (unsigned long long)le64_to_cpu(extent->chunk_objectid),
	       (unsigned long long)le64_to_cpu(extent->chunk_offset),
	       (unsigned long long)le64_to_cpu(extent->length));
	fputs("\t\tchunk_tree_uuid ", stdout);
	print_uuid(extent->chunk_tree_uuid);
	putchar('\n');
}

/* PERSISTENT_ITEM: error counters of a device, the only kind in use. */
static void print_dev_stats(const struct item_view *item)
{
	static const char *const names[] = {
		"write_errs", "read_errs", "flush_errs", "corruption_errs", "generation_errs",
	};
	size_t i;

	fputs("\t\tdevice stats", stdout);
	for (i = 0; i < ARRAY_SIZE(names) && (i + 1) * sizeof(__le64) <= item->size; i++)
		printf(" %s %llu", names[i],
		       (unsigned long long)get_unaligned_le64(item->data + i * sizeof(__le64)));
	putchar('\n');
}

static void print_dev_replace(const struct item_view *item)
{
	const struct btrfs_dev_replace_item *replace = (const void *)item->data;

	printf("\t\tsrc devid %llu cursor left %llu cursor right %llu mode %llu state %llu\n",
	       (unsigned long long)get_unaligned_le64(&replace->src_devid),
	       (unsigned long long)get_unaligned_le64(&replace->cursor_left),
	       (unsigned long long)get_unaligned_le64(&replace->cursor_right),
	       (unsigned long long)get_unaligned_le64(&replace->cont_reading_from_srcdev_mode),
	       (unsigned long long)get_unaligned_le64(&replace->replace_state));
}

/* TEMPORARY_ITEM: a balance that was interrupted, the only kind in use. */
static void print_balance(const struct item_view *item)
{
	static const struct flag_name names[] = {
		{ BTRFS_BALANCE_DATA, "DATA" },
		{ BTRFS_BALANCE_SYSTEM, "SYSTEM" },
		{ BTRFS_BALANCE_METADATA, "METADATA" },
		{ BTRFS_BALANCE_FORCE, "FORCE" },
		{ BTRFS_BALANCE_RESUME, "RESUME" },
		{ 0, NULL },
	};

	fputs("\t\tbalance flags ", stdout);
	print_flags(get_unaligned_le64(item->data), names);
	putchar('\n');
}

const struct item_printer device_item_printers[] = {
	{ BTRFS_DEV_ITEM_KEY, sizeof(struct btrfs_dev_item), print_dev_item },
	{ BTRFS_CHUNK_ITEM_KEY, sizeof(struct btrfs_chunk), print_chunk_item },
	{ BTRFS_DEV_EXTENT_KEY, sizeof(struct btrfs_dev_extent), print_dev_extent },
	{ BTRFS_PERSISTENT_ITEM_KEY, 0, print_dev_stats },
	{ BTRFS_DEV_REPLACE_KEY, sizeof(struct btrfs_dev_replace_item), print_dev_replace },
	{ BTRFS_TEMPORARY_ITEM_KEY, sizeof(__le64), print_balance },
	{ 0, 0, NULL },
};
