// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the printer of an item, and prints the kinds that fit nowhere else: see print-item.h.
 */
#include <stdio.h>

#include "cmds/print-item.h"
#include "cmds/print-text.h"
#include "kernel-shared/qgroup-item.h"

static void print_free_space_info(const struct item_view *item)
{
	static const struct flag_name names[] = {
		{ BTRFS_FREE_SPACE_USING_BITMAPS, "USING_BITMAPS" },
		{ 0, NULL },
	};
	const struct btrfs_free_space_info *info = (const void *)item->data;

	printf("\t\tfree space info extent_count %u flags ", le32_to_cpu(info->extent_count));
	print_flags(le32_to_cpu(info->flags), names);
	putchar('\n');
}

static void print_free_space_extent(const struct item_view *item)
{
	(void)item;
	puts("\t\tfree space extent");
}

static void print_free_space_bitmap(const struct item_view *item)
{
	u64 bits = 0;
	u32 i;

	for (i = 0; i < item->size; i++)
		bits += (u64)__builtin_popcount(item->data[i]);
	printf("\t\tfree space bitmap, %llu sectors free\n", (unsigned long long)bits);
}

static void print_csum_item(const struct item_view *item)
{
	const u64 sectors = item->size / item->check->csum_size;
	const u64 bytes = sectors * item->check->sectorsize;

	printf("\t\trange start %llu end %llu length %llu\n", (unsigned long long)item->key.offset,
	       (unsigned long long)(item->key.offset + bytes), (unsigned long long)bytes);
}

static void print_qgroup_status(const struct item_view *item)
{
	static const struct flag_name names[] = {
		{ BTRFS_QGROUP_STATUS_FLAG_ON, "ON" },
		{ BTRFS_QGROUP_STATUS_FLAG_RESCAN, "SCANNING" },
		{ BTRFS_QGROUP_STATUS_FLAG_INCONSISTENT, "INCONSISTENT" },
		{ BTRFS_QGROUP_STATUS_FLAG_SIMPLE_MODE, "SIMPLE_MODE" },
		{ 0, NULL },
	};
	const struct btrfs_qgroup_status_v2 *status = (const void *)item->data;

	printf("\t\tversion %llu generation %llu scan %llu flags ",
	       (unsigned long long)le64_to_cpu(status->version),
	       (unsigned long long)le64_to_cpu(status->generation),
	       (unsigned long long)le64_to_cpu(status->rescan));
	print_flags(le64_to_cpu(status->flags), names);
	if (item->size >= sizeof(*status))
		printf(" enable_gen %llu", (unsigned long long)le64_to_cpu(status->enable_gen));
	putchar('\n');
}

static void print_qgroup_info(const struct item_view *item)
{
	const struct btrfs_qgroup_info_item *info = (const void *)item->data;

	printf("\t\tgeneration %llu\n", (unsigned long long)le64_to_cpu(info->generation));
	printf("\t\treferenced %llu referenced_compressed %llu\n",
	       (unsigned long long)le64_to_cpu(info->rfer), (unsigned long long)le64_to_cpu(info->rfer_cmpr));
	printf("\t\texclusive %llu exclusive_compressed %llu\n", (unsigned long long)le64_to_cpu(info->excl),
	       (unsigned long long)le64_to_cpu(info->excl_cmpr));
}

static void print_qgroup_limit(const struct item_view *item)
{
	const struct btrfs_qgroup_limit_item *limit = (const void *)item->data;

	printf("\t\tflags 0x%llx max_referenced %llu max_exclusive %llu\n",
	       (unsigned long long)le64_to_cpu(limit->flags),
	       (unsigned long long)le64_to_cpu(limit->max_rfer),
	       (unsigned long long)le64_to_cpu(limit->max_excl));
	printf("\t\trsv_referenced %llu rsv_exclusive %llu\n",
	       (unsigned long long)le64_to_cpu(limit->rsv_rfer),
	       (unsigned long long)le64_to_cpu(limit->rsv_excl));
}

static void print_qgroup_relation(const struct item_view *item)
{
	(void)item;
	puts("\t\tqgroup relation");
}

static void print_string(const struct item_view *item)
{
	fputs("\t\tstring ", stdout);
	print_bytes(item->data, item->size, 256);
	putchar('\n');
}

/* Type 0 means the header of the old free space cache under the object that has its name. */
static void print_untyped(const struct item_view *item)
{
	const struct btrfs_free_space_header *header = (const void *)item->data;
	struct btrfs_key location;

	if (item->key.objectid != BTRFS_FREE_SPACE_OBJECTID) {
		printf("\t\tuntyped, %u bytes\n", item->size);
		return;
	}
	location = btrfs_disk_key_to_cpu(&header->location);
	printf("\t\tlocation key %s\n", btrfs_format_key(&location).text);
	printf("\t\tcache generation %llu entries %llu bitmaps %llu\n",
	       (unsigned long long)le64_to_cpu(header->generation),
	       (unsigned long long)le64_to_cpu(header->num_entries),
	       (unsigned long long)le64_to_cpu(header->num_bitmaps));
}

const struct item_printer other_item_printers[] = {
	{ BTRFS_FREE_SPACE_INFO_KEY, sizeof(struct btrfs_free_space_info), print_free_space_info },
	{ BTRFS_FREE_SPACE_EXTENT_KEY, 0, print_free_space_extent },
	{ BTRFS_FREE_SPACE_BITMAP_KEY, 0, print_free_space_bitmap },
	{ BTRFS_EXTENT_CSUM_KEY, 0, print_csum_item },
	{ BTRFS_QGROUP_STATUS_KEY, BTRFS_QGROUP_STATUS_SIZE_V1, print_qgroup_status },
	{ BTRFS_QGROUP_INFO_KEY, sizeof(struct btrfs_qgroup_info_item), print_qgroup_info },
	{ BTRFS_QGROUP_LIMIT_KEY, sizeof(struct btrfs_qgroup_limit_item), print_qgroup_limit },
	{ BTRFS_QGROUP_RELATION_KEY, 0, print_qgroup_relation },
	{ BTRFS_STRING_ITEM_KEY, 0, print_string },
	{ 0, sizeof(struct btrfs_free_space_header), print_untyped },
	{ 0, 0, NULL },
};

static const struct item_printer *find_printer(u8 type)
{
	static const struct item_printer *const tables[] = {
		inode_item_printers, extent_item_printers, device_item_printers, root_item_printers,
		other_item_printers,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		const struct item_printer *printer;

		for (printer = tables[i]; printer->print; printer++) {
			if (printer->type == type)
				return printer;
		}
	}
	return NULL;
}

void print_item(const struct item_view *item)
{
	const struct item_printer *printer = find_printer(item->key.type);

	if (!printer)
		printf("\t\tunknown type %u, %u bytes\n", item->key.type, item->size);
	else if (item->size < printer->min_size)
		printf("\t\ttoo short: %u bytes, must be at least %u\n", item->size, printer->min_size);
	else
		printer->print(item);
}
