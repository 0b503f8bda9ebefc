// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Builds the JSON of `inspect`: see inspect-json.h.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cmds/inspect-json.h"
#include "cmds/print-super.h"
#include "common/escape.h"
#include "reader/features.h"
#include "reader/uuid-text.h"

json_t *json_u64(u64 value)
{
	char text[24];

	if (value <= INT64_MAX)
		return json_integer((json_int_t)value);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return json_string(text);
}

json_t *json_hex(const u8 *bytes, size_t len)
{
	char text[2 * BTRFS_CSUM_SIZE + 1] = "";
	size_t i;

	for (i = 0; i < MIN(len, (size_t)BTRFS_CSUM_SIZE); i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return json_string(text);
}

json_t *json_bytes(const void *bytes, size_t len)
{
	char *text = escape_bytes(bytes, len, NULL);
	json_t *value = text ? json_string(text) : NULL;

	free(text);
	return value;
}

static void set_u64(json_t *object, const char *name, u64 value)
{
	json_object_set_new(object, name, json_u64(value));
}

static void set_uuid(json_t *object, const char *name, const u8 *uuid)
{
	json_object_set_new(object, name, json_string(btrfs_format_uuid(uuid).text));
}

/* Names of the bits that are set; "bit N" for those without. */
static json_t *bits_to_json(u64 bits, const char *(*bit_name)(unsigned bit))
{
	json_t *array = json_array();
	unsigned bit;

	for (bit = 0; bit < 64; bit++) {
		const char *name = bit_name(bit);
		char text[16];

		if (!(bits >> bit & 1))
			continue;
		snprintf(text, sizeof(text), "bit %u", bit);
		json_array_append_new(array, json_string(name ? name : text));
	}
	return array;
}

static json_t *dev_item_to_json(const struct btrfs_dev_item *dev)
{
	json_t *object = json_object();

	set_u64(object, "devid", le64_to_cpu(dev->devid));
	set_uuid(object, "uuid", dev->uuid);
	set_uuid(object, "fsid", dev->fsid);
	set_u64(object, "total_bytes", le64_to_cpu(dev->total_bytes));
	set_u64(object, "bytes_used", le64_to_cpu(dev->bytes_used));
	set_u64(object, "sector_size", le32_to_cpu(dev->sector_size));
	set_u64(object, "generation", le64_to_cpu(dev->generation));
	return object;
}

static void set_roots(json_t *object, const struct btrfs_super_block *super)
{
	set_u64(object, "generation", le64_to_cpu(super->generation));
	set_u64(object, "root", le64_to_cpu(super->root));
	set_u64(object, "root_level", super->root_level);
	set_u64(object, "chunk_root", le64_to_cpu(super->chunk_root));
	set_u64(object, "chunk_root_level", super->chunk_root_level);
	set_u64(object, "chunk_root_generation", le64_to_cpu(super->chunk_root_generation));
	set_u64(object, "log_root", le64_to_cpu(super->log_root));
	set_u64(object, "log_root_level", super->log_root_level);
	set_u64(object, "cache_generation", le64_to_cpu(super->cache_generation));
	set_u64(object, "uuid_tree_generation", le64_to_cpu(super->uuid_tree_generation));
}

static json_t *super_to_json(const struct btrfs_super_block *super)
{
	const struct csum_algorithm *csum = csum_by_type(le16_to_cpu(super->csum_type));
	json_t *object = json_object();

	json_object_set_new(object, "csum", json_hex(super->csum, csum ? csum->size : BTRFS_CSUM_SIZE));
	set_u64(object, "csum_type", le16_to_cpu(super->csum_type));
	json_object_set_new(object, "csum_name", json_string(csum ? csum->name : "unknown"));
	set_u64(object, "bytenr", le64_to_cpu(super->bytenr));
	set_uuid(object, "fsid", super->fsid);
	set_uuid(object, "metadata_uuid", super->metadata_uuid);
	json_object_set_new(object, "label", json_bytes(super->label, super_label_len(super)));
	set_roots(object, super);
	set_u64(object, "total_bytes", le64_to_cpu(super->total_bytes));
	set_u64(object, "bytes_used", le64_to_cpu(super->bytes_used));
	set_u64(object, "num_devices", le64_to_cpu(super->num_devices));
	set_u64(object, "sectorsize", le32_to_cpu(super->sectorsize));
	set_u64(object, "nodesize", le32_to_cpu(super->nodesize));
	json_object_set_new(object, "flags",
			    bits_to_json(le64_to_cpu(super->flags), btrfs_super_flag_bit_name));
	json_object_set_new(object, "compat_ro_flags",
			    bits_to_json(le64_to_cpu(super->compat_ro_flags), btrfs_compat_ro_bit_name));
	json_object_set_new(object, "incompat_flags",
			    bits_to_json(le64_to_cpu(super->incompat_flags), btrfs_incompat_bit_name));
	json_object_set_new(object, "dev_item", dev_item_to_json(&super->dev_item));
	return object;
}

json_t *super_copy_to_json(const struct io_device *device, const struct btrfs_super_copies *copies, int index)
{
	const struct btrfs_super_copy *copy = &copies->copy[index];
	json_t *object = json_object();

	json_object_set_new(object, "path", json_bytes(device->path, strlen(device->path)));
	set_u64(object, "copy", (u64)index);
	set_u64(object, "offset", btrfs_sb_offset(index));
	json_object_set_new(object, "status", json_string(copy->bad ? "bad" : "valid"));
	if (copy->bad)
		json_object_set_new(object, "reason", json_string(copy->reason.text));
	if (copy->status == BTRFS_SUPER_READ && copy->fault != BTRFS_SUPER_NO_MAGIC)
		json_object_set_new(object, "superblock", super_to_json(&copy->block));
	return object;
}

json_t *chunk_to_json(const struct btrfs_chunk_map *map)
{
	json_t *object = json_object();
	json_t *stripes = json_array();
	unsigned i;

	set_u64(object, "logical", map->start);
	set_u64(object, "length", map->length);
	json_object_set_new(object, "type", json_string(btrfs_bg_type_name(map->type)));
	json_object_set_new(object, "profile", json_string(btrfs_raid_attr(map->type)->name));
	set_u64(object, "stripe_size", map->stripe_size);
	for (i = 0; i < map->num_stripes; i++) {
		json_t *stripe = json_object();

		set_u64(stripe, "devid", map->stripes[i].devid);
		set_u64(stripe, "physical", map->stripes[i].physical);
		set_uuid(stripe, "dev_uuid", map->stripes[i].dev_uuid);
		json_array_append_new(stripes, stripe);
	}
	json_object_set_new(object, "stripes", stripes);
	return object;
}

void inspect_print_json(const json_t *value)
{
	json_dumpf(value, stdout, JSON_INDENT(2));
	putchar('\n');
}
