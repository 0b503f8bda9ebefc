// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of trees, key types and object ids: see ctree.h. The spelling is the one
 * that `btrfs inspect-internal dump-tree` prints, so that output can be compared.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

#include "kernel-shared/ctree.h"

struct id_name {
	u64 id;
	const char *name;
};

static const struct id_name tree_names[] = {
	{ BTRFS_ROOT_TREE_OBJECTID, "ROOT_TREE" },
	{ BTRFS_EXTENT_TREE_OBJECTID, "EXTENT_TREE" },
	{ BTRFS_CHUNK_TREE_OBJECTID, "CHUNK_TREE" },
	{ BTRFS_DEV_TREE_OBJECTID, "DEV_TREE" },
	{ BTRFS_FS_TREE_OBJECTID, "FS_TREE" },
	{ BTRFS_CSUM_TREE_OBJECTID, "CSUM_TREE" },
	{ BTRFS_QUOTA_TREE_OBJECTID, "QUOTA_TREE" },
	{ BTRFS_UUID_TREE_OBJECTID, "UUID_TREE" },
	{ BTRFS_FREE_SPACE_TREE_OBJECTID, "FREE_SPACE_TREE" },
	{ BTRFS_BLOCK_GROUP_TREE_OBJECTID, "BLOCK_GROUP_TREE" },
	{ BTRFS_RAID_STRIPE_TREE_OBJECTID, "RAID_STRIPE_TREE" },
	{ BTRFS_TREE_LOG_OBJECTID, "TREE_LOG" },
	{ BTRFS_TREE_RELOC_OBJECTID, "TREE_RELOC" },
	{ BTRFS_DATA_RELOC_TREE_OBJECTID, "DATA_RELOC_TREE" },
};

/* Object ids that are no tree and mean the same in every tree. */
static const struct id_name object_names[] = {
	{ BTRFS_ROOT_TREE_DIR_OBJECTID, "ROOT_TREE_DIR" },
	{ BTRFS_BALANCE_OBJECTID, "BALANCE" },
	{ BTRFS_ORPHAN_OBJECTID, "ORPHAN" },
	{ BTRFS_TREE_LOG_FIXUP_OBJECTID, "LOG_FIXUP" },
	{ BTRFS_EXTENT_CSUM_OBJECTID, "EXTENT_CSUM" },
	{ BTRFS_FREE_SPACE_OBJECTID, "FREE_SPACE" },
	{ BTRFS_FREE_INO_OBJECTID, "FREE_INO" },
	{ BTRFS_MULTIPLE_OBJECTIDS, "MULTIPLE" },
};

static const struct id_name key_type_names[] = {
	{ 0, "UNTYPED" },
	{ BTRFS_INODE_ITEM_KEY, "INODE_ITEM" },
	{ BTRFS_INODE_REF_KEY, "INODE_REF" },
	{ BTRFS_INODE_EXTREF_KEY, "INODE_EXTREF" },
	{ BTRFS_XATTR_ITEM_KEY, "XATTR_ITEM" },
	{ BTRFS_VERITY_DESC_ITEM_KEY, "VERITY_DESC_ITEM" },
	{ BTRFS_VERITY_MERKLE_ITEM_KEY, "VERITY_MERKLE_ITEM" },
	{ BTRFS_ORPHAN_ITEM_KEY, "ORPHAN_ITEM" },
	{ BTRFS_DIR_LOG_ITEM_KEY, "DIR_LOG_ITEM" },
	{ BTRFS_DIR_LOG_INDEX_KEY, "DIR_LOG_INDEX" },
	{ BTRFS_DIR_ITEM_KEY, "DIR_ITEM" },
	{ BTRFS_DIR_INDEX_KEY, "DIR_INDEX" },
	{ BTRFS_EXTENT_DATA_KEY, "EXTENT_DATA" },
	{ BTRFS_EXTENT_CSUM_KEY, "EXTENT_CSUM" },
	{ BTRFS_ROOT_ITEM_KEY, "ROOT_ITEM" },
	{ BTRFS_ROOT_BACKREF_KEY, "ROOT_BACKREF" },
	{ BTRFS_ROOT_REF_KEY, "ROOT_REF" },
	{ BTRFS_EXTENT_ITEM_KEY, "EXTENT_ITEM" },
	{ BTRFS_METADATA_ITEM_KEY, "METADATA_ITEM" },
	{ BTRFS_EXTENT_OWNER_REF_KEY, "EXTENT_OWNER_REF" },
	{ BTRFS_TREE_BLOCK_REF_KEY, "TREE_BLOCK_REF" },
	{ BTRFS_EXTENT_DATA_REF_KEY, "EXTENT_DATA_REF" },
	{ BTRFS_EXTENT_REF_V0_KEY, "EXTENT_REF_V0" },
	{ BTRFS_SHARED_BLOCK_REF_KEY, "SHARED_BLOCK_REF" },
	{ BTRFS_SHARED_DATA_REF_KEY, "SHARED_DATA_REF" },
	{ BTRFS_BLOCK_GROUP_ITEM_KEY, "BLOCK_GROUP_ITEM" },
	{ BTRFS_FREE_SPACE_INFO_KEY, "FREE_SPACE_INFO" },
	{ BTRFS_FREE_SPACE_EXTENT_KEY, "FREE_SPACE_EXTENT" },
	{ BTRFS_FREE_SPACE_BITMAP_KEY, "FREE_SPACE_BITMAP" },
	{ BTRFS_DEV_EXTENT_KEY, "DEV_EXTENT" },
	{ BTRFS_DEV_ITEM_KEY, "DEV_ITEM" },
	{ BTRFS_CHUNK_ITEM_KEY, "CHUNK_ITEM" },
	{ BTRFS_QGROUP_STATUS_KEY, "QGROUP_STATUS" },
	{ BTRFS_QGROUP_INFO_KEY, "QGROUP_INFO" },
	{ BTRFS_QGROUP_LIMIT_KEY, "QGROUP_LIMIT" },
	{ BTRFS_QGROUP_RELATION_KEY, "QGROUP_RELATION" },
	{ BTRFS_TEMPORARY_ITEM_KEY, "TEMPORARY_ITEM" },
	{ BTRFS_PERSISTENT_ITEM_KEY, "PERSISTENT_ITEM" },
	{ BTRFS_DEV_REPLACE_KEY, "DEV_REPLACE" },
	{ BTRFS_UUID_KEY_SUBVOL, "UUID_KEY_SUBVOL" },
	{ BTRFS_UUID_KEY_RECEIVED_SUBVOL, "UUID_KEY_RECEIVED_SUBVOL" },
	{ BTRFS_STRING_ITEM_KEY, "STRING_ITEM" },
};

static const char *find_name(const struct id_name *table, size_t nr, u64 id)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (table[i].id == id)
			return table[i].name;
	}
	return NULL;
}

const char *btrfs_tree_name(u64 objectid)
{
	return find_name(tree_names, ARRAY_SIZE(tree_names), objectid);
}

const char *btrfs_key_type_name(u8 type)
{
	return find_name(key_type_names, ARRAY_SIZE(key_type_names), type);
}

/* Does @name spell @full, with or without its last five characters ("_TREE")? */
static bool tree_name_matches(const char *name, const char *full)
{
	const size_t len = strlen(full);

	if (!strcasecmp(name, full))
		return true;
	if (len <= 5 || strcmp(full + len - 5, "_TREE"))
		return false;
	return strlen(name) == len - 5 && !strncasecmp(name, full, len - 5);
}

int btrfs_tree_by_name(const char *name, u64 *objectid)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tree_names); i++) {
		if (tree_name_matches(name, tree_names[i].name)) {
			*objectid = tree_names[i].id;
			return 0;
		}
	}
	return -ENOENT;
}

/* The same small numbers name different things in different kinds of items. */
static const char *object_name(const struct btrfs_key *key)
{
	const char *name;

	switch (key->type) {
	case BTRFS_DEV_ITEM_KEY:
		return key->objectid == BTRFS_DEV_ITEMS_OBJECTID ? "DEV_ITEMS" : NULL;
	case BTRFS_CHUNK_ITEM_KEY:
		return key->objectid == BTRFS_FIRST_CHUNK_TREE_OBJECTID ? "FIRST_CHUNK_TREE" : NULL;
	case BTRFS_PERSISTENT_ITEM_KEY:
		return key->objectid == BTRFS_DEV_STATS_OBJECTID ? "DEV_STATS" : NULL;
	case BTRFS_DEV_EXTENT_KEY:
	case BTRFS_QGROUP_STATUS_KEY:
	case BTRFS_QGROUP_INFO_KEY:
	case BTRFS_QGROUP_LIMIT_KEY:
	case BTRFS_QGROUP_RELATION_KEY:
	case BTRFS_UUID_KEY_SUBVOL:
	case BTRFS_UUID_KEY_RECEIVED_SUBVOL:
		return NULL;
	default:
		break;
	}
	name = btrfs_tree_name(key->objectid);
	return name ? name : find_name(object_names, ARRAY_SIZE(object_names), key->objectid);
}

/* One of the key's two numbers, as far as it has no name: qgroups are "level/id", UUIDs are hex. */
static void format_number(char *text, size_t size, u8 type, u64 number, bool qgroup)
{
	const u64 id_mask = ((u64)1 << BTRFS_QGROUP_LEVEL_SHIFT) - 1;

	if (qgroup)
		snprintf(text, size, "%" PRIu64 "/%" PRIu64, number >> BTRFS_QGROUP_LEVEL_SHIFT,
			 number & id_mask);
	else if (type == BTRFS_UUID_KEY_SUBVOL || type == BTRFS_UUID_KEY_RECEIVED_SUBVOL)
		snprintf(text, size, "0x%016" PRIx64, number);
	else
		snprintf(text, size, "%" PRIu64, number);
}

struct btrfs_key_text btrfs_format_key(const struct btrfs_key *key)
{
	const char *object = object_name(key);
	const char *type = btrfs_key_type_name(key->type);
	const bool relation = key->type == BTRFS_QGROUP_RELATION_KEY;
	const bool qgroup = relation || key->type == BTRFS_QGROUP_INFO_KEY ||
			    key->type == BTRFS_QGROUP_LIMIT_KEY;
	struct btrfs_key_text out;
	char objectid[24];
	char offset[24];
	char unknown[24];

	if (!object) {
		format_number(objectid, sizeof(objectid), key->type, key->objectid, relation);
		object = objectid;
	}
	if (!type) {
		snprintf(unknown, sizeof(unknown), "UNKNOWN.%u", key->type);
		type = unknown;
	}
	if (key->type == BTRFS_ROOT_ITEM_KEY && key->offset == BTRFS_TREE_RELOC_OBJECTID)
		snprintf(offset, sizeof(offset), "TREE_RELOC");
	else
		format_number(offset, sizeof(offset), key->type, key->offset, qgroup);
	snprintf(out.text, sizeof(out.text), "(%s %s %s)", object, type, offset);
	return out;
}
