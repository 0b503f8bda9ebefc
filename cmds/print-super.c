// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints superblocks: see print-super.h.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmds/print-super.h"
#include "cmds/print-text.h"
#include "kernel-shared/volumes.h"
#include "reader/features.h"

size_t super_label_len(const struct btrfs_super_block *super)
{
	return strnlen(super->label, sizeof(super->label));
}

static void print_number(const char *name, u64 value)
{
	printf("%-26s %llu\n", name, (unsigned long long)value);
}

static void print_uuid_field(const char *name, const u8 *uuid)
{
	printf("%-26s ", name);
	print_uuid(uuid);
	putchar('\n');
}

/* "0x361 (mixed-backref, big-metadata, ...)"; bits without a name by number. */
static void print_bits(const char *name, u64 bits, const char *(*bit_name)(unsigned bit))
{
	bool any = false;
	unsigned bit;

	printf("%-26s 0x%llx", name, (unsigned long long)bits);
	for (bit = 0; bit < 64; bit++) {
		const char *text;

		if (!(bits >> bit & 1))
			continue;
		text = bit_name ? bit_name(bit) : NULL;
		fputs(any ? ", " : " (", stdout);
		if (text)
			fputs(text, stdout);
		else
			printf("bit %u", bit);
		any = true;
	}
	puts(any ? ")" : "");
}

static void print_csum(const struct btrfs_super_block *super)
{
	const u16 type = le16_to_cpu(super->csum_type);
	const struct csum_algorithm *csum = csum_by_type(type);

	printf("%-26s %u (%s)\n", "csum_type", type, csum ? csum->name : "unknown");
	print_number("csum_size", csum ? csum->size : 0);
	printf("%-26s 0x", "csum");
	print_hex(super->csum, csum ? csum->size : BTRFS_CSUM_SIZE);
	putchar('\n');
}

static void print_identity(const struct btrfs_super_block *super)
{
	print_csum(super);
	print_number("bytenr", le64_to_cpu(super->bytenr));
	print_bits("flags", le64_to_cpu(super->flags), btrfs_super_flag_bit_name);
	printf("%-26s ", "magic");
	print_bytes(&super->magic, sizeof(super->magic), sizeof(super->magic));
	putchar('\n');
	print_uuid_field("fsid", super->fsid);
	print_uuid_field("metadata_uuid", super->metadata_uuid);
	printf("%-26s ", "label");
	print_bytes(super->label, super_label_len(super), sizeof(super->label));
	putchar('\n');
	print_number("generation", le64_to_cpu(super->generation));
}

static void print_roots(const struct btrfs_super_block *super)
{
	print_number("root", le64_to_cpu(super->root));
	print_number("root_level", super->root_level);
	print_number("chunk_root", le64_to_cpu(super->chunk_root));
	print_number("chunk_root_level", super->chunk_root_level);
	print_number("chunk_root_generation", le64_to_cpu(super->chunk_root_generation));
	print_number("log_root", le64_to_cpu(super->log_root));
	print_number("log_root_level", super->log_root_level);
	print_number("log_root_transid (unused)", le64_to_cpu(super->__unused_log_root_transid));
	print_number("root_dir_objectid", le64_to_cpu(super->root_dir_objectid));
	print_number("cache_generation", le64_to_cpu(super->cache_generation));
	print_number("uuid_tree_generation", le64_to_cpu(super->uuid_tree_generation));
}

static void print_sizes(const struct btrfs_super_block *super)
{
	print_number("total_bytes", le64_to_cpu(super->total_bytes));
	print_number("bytes_used", le64_to_cpu(super->bytes_used));
	print_number("num_devices", le64_to_cpu(super->num_devices));
	print_number("sectorsize", le32_to_cpu(super->sectorsize));
	print_number("nodesize", le32_to_cpu(super->nodesize));
	print_number("leafsize (unused)", le32_to_cpu(super->__unused_leafsize));
	print_number("stripesize", le32_to_cpu(super->stripesize));
	print_number("sys_chunk_array_size", le32_to_cpu(super->sys_chunk_array_size));
	print_bits("compat_flags", le64_to_cpu(super->compat_flags), NULL);
	print_bits("compat_ro_flags", le64_to_cpu(super->compat_ro_flags), btrfs_compat_ro_bit_name);
	print_bits("incompat_flags", le64_to_cpu(super->incompat_flags), btrfs_incompat_bit_name);
}

static void print_dev_item(const struct btrfs_dev_item *dev)
{
	print_number("dev_item.devid", le64_to_cpu(dev->devid));
	print_uuid_field("dev_item.uuid", dev->uuid);
	print_uuid_field("dev_item.fsid", dev->fsid);
	print_number("dev_item.total_bytes", le64_to_cpu(dev->total_bytes));
	print_number("dev_item.bytes_used", le64_to_cpu(dev->bytes_used));
	print_number("dev_item.io_align", le32_to_cpu(dev->io_align));
	print_number("dev_item.io_width", le32_to_cpu(dev->io_width));
	print_number("dev_item.sector_size", le32_to_cpu(dev->sector_size));
	print_number("dev_item.type", le64_to_cpu(dev->type));
	print_number("dev_item.generation", le64_to_cpu(dev->generation));
	print_number("dev_item.start_offset", le64_to_cpu(dev->start_offset));
	print_number("dev_item.dev_group", le32_to_cpu(dev->dev_group));
	print_number("dev_item.seek_speed", dev->seek_speed);
	print_number("dev_item.bandwidth", dev->bandwidth);
}

static void print_sys_chunks(const struct btrfs_super_block *super)
{
	struct btrfs_chunk_table table = { 0 };
	struct btrfs_reason reason;
	size_t i;
	unsigned s;
	int ret = btrfs_read_sys_array(super, &table, &reason);

	puts("sys_chunk_array:");
	for (i = 0; i < table.nr; i++) {
		const struct btrfs_chunk_map *map = table.maps[i];

		printf("\tchunk %llu length %llu type ", (unsigned long long)map->start,
		       (unsigned long long)map->length);
		print_bg_flags(map->type);
		printf(" num_stripes %u sub_stripes %u\n", map->num_stripes, map->sub_stripes);
		for (s = 0; s < map->num_stripes; s++)
			printf("\t\tstripe %u devid %llu offset %llu\n", s,
			       (unsigned long long)map->stripes[s].devid,
			       (unsigned long long)map->stripes[s].physical);
	}
	if (ret)
		printf("\t%s\n", ret == -EUCLEAN ? reason.text : "not enough memory");
	btrfs_chunk_table_release(&table);
}

static void print_backup_root(const char *name, u64 bytenr, u64 generation, u8 level)
{
	printf("\t\t%-12s %llu generation %llu level %u\n", name, (unsigned long long)bytenr,
	       (unsigned long long)generation, level);
}

static void print_backup(const struct btrfs_root_backup *backup, int index)
{
	printf("\tbackup %d: total_bytes %llu bytes_used %llu num_devices %llu\n", index,
	       (unsigned long long)le64_to_cpu(backup->total_bytes),
	       (unsigned long long)le64_to_cpu(backup->bytes_used),
	       (unsigned long long)le64_to_cpu(backup->num_devices));
	print_backup_root("tree_root", le64_to_cpu(backup->tree_root), le64_to_cpu(backup->tree_root_gen),
			  backup->tree_root_level);
	print_backup_root("chunk_root", le64_to_cpu(backup->chunk_root), le64_to_cpu(backup->chunk_root_gen),
			  backup->chunk_root_level);
	print_backup_root("extent_root", le64_to_cpu(backup->extent_root),
			  le64_to_cpu(backup->extent_root_gen), backup->extent_root_level);
	print_backup_root("fs_root", le64_to_cpu(backup->fs_root), le64_to_cpu(backup->fs_root_gen),
			  backup->fs_root_level);
	print_backup_root("dev_root", le64_to_cpu(backup->dev_root), le64_to_cpu(backup->dev_root_gen),
			  backup->dev_root_level);
	print_backup_root("csum_root", le64_to_cpu(backup->csum_root), le64_to_cpu(backup->csum_root_gen),
			  backup->csum_root_level);
}

void print_super(const struct btrfs_super_block *super, bool full)
{
	int i;

	print_identity(super);
	print_roots(super);
	print_sizes(super);
	print_dev_item(&super->dev_item);
	if (!full)
		return;
	print_sys_chunks(super);
	puts("backup_roots:");
	for (i = 0; i < BTRFS_NUM_BACKUP_ROOTS; i++)
		print_backup(&super->super_roots[i], i);
}
