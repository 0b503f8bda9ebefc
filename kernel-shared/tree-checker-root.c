// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checks of root items and of the small items of the root, quota and uuid trees.
 */
#include <inttypes.h>

#include "kernel-shared/qgroup-item.h"
#include "kernel-shared/root-item.h"
#include "kernel-shared/tree-checker-item.h"

static int check_root_key(const struct checked_item *item)
{
	if (!item->key.objectid)
		return item_fault(item, "root item of tree 0");
	if (item->key.objectid == BTRFS_TREE_RELOC_OBJECTID && !item->key.offset)
		return item_fault(item, "relocation tree of tree 0");
	return 0;
}

static int check_root_generations(const struct checked_item *item, const struct btrfs_root_item *root)
{
	int ret;

	ret = check_generation(item, "generation", le64_to_cpu(root->generation));
	if (!ret)
		ret = check_generation(item, "last_snapshot", le64_to_cpu(root->last_snapshot));
	if (!ret && item->size >= sizeof(*root))
		ret = check_generation(item, "generation_v2", le64_to_cpu(root->generation_v2));
	return ret;
}

int check_root_item(const struct checked_item *item)
{
	const u64 known_flags = BTRFS_ROOT_SUBVOL_RDONLY | BTRFS_ROOT_SUBVOL_DEAD;
	const struct btrfs_root_item *root = (const void *)item->data;
	u64 flags;
	int ret;

	ret = check_root_key(item);
	if (ret)
		return ret;
	if (item->size != sizeof(*root) && item->size != BTRFS_ROOT_ITEM_SIZE_V1)
		return item_fault(item, "item of %u bytes, must be %zu or %zu", item->size, sizeof(*root),
				  BTRFS_ROOT_ITEM_SIZE_V1);
	ret = check_root_generations(item, root);
	if (!ret)
		ret = check_aligned(item, "bytenr", le64_to_cpu(root->bytenr));
	if (ret)
		return ret;
	if (root->level >= BTRFS_MAX_LEVEL)
		return item_fault(item, "level %u, must be below %u", root->level, BTRFS_MAX_LEVEL);
	if (root->drop_level >= BTRFS_MAX_LEVEL)
		return item_fault(item, "drop_level %u, must be below %u", root->drop_level, BTRFS_MAX_LEVEL);
	flags = le64_to_cpu(root->flags);
	if (flags & ~known_flags)
		return item_fault(item, "root flags 0x%" PRIx64 ", unknown are 0x%" PRIx64, flags,
				  flags & ~known_flags);
	return 0;
}

/* ROOT_REF and ROOT_BACKREF: one name. */
int check_root_ref(const struct checked_item *item)
{
	const struct btrfs_root_ref *ref = (const void *)item->data;
	const u8 *name = (const u8 *)(ref + 1);
	u32 len;
	int ret;

	if (item->size < sizeof(*ref))
		return item_fault(item, "item of %u bytes, must be at least %zu", item->size, sizeof(*ref));
	len = le16_to_cpu(ref->name_len);
	ret = check_name(item, name, len, item->size - (u32)sizeof(*ref));
	if (!ret && memchr(name, '/', len))
		return item_fault(item, "subvolume name contains a slash");
	if (!ret)
		ret = check_item_size(item, sizeof(*ref) + len);
	return ret;
}

/* Ids of the subvolumes with this uuid. */
int check_uuid_item(const struct checked_item *item)
{
	if (!item->size || item->size % sizeof(__le64))
		return item_fault(item, "item of %u bytes, must be a positive multiple of %zu", item->size,
				  sizeof(__le64));
	return 0;
}

/* Everything about a quota group has its id in the key's offset, and nothing else in the key. */
static int check_qgroup_key(const struct checked_item *item)
{
	if (item->key.objectid)
		return item_fault(item, "objectid %" PRIu64 ", must be 0", (u64)item->key.objectid);
	return 0;
}

int check_qgroup_status(const struct checked_item *item)
{
	const struct btrfs_qgroup_status_v2 *status = (const void *)item->data;
	bool simple;
	int ret = check_qgroup_key(item);

	if (ret)
		return ret;
	if (item->size != sizeof(*status) && item->size != BTRFS_QGROUP_STATUS_SIZE_V1)
		return item_fault(item, "item of %u bytes, must be %zu or %zu", item->size,
				  BTRFS_QGROUP_STATUS_SIZE_V1, sizeof(*status));
	if (le64_to_cpu(status->version) != BTRFS_QGROUP_STATUS_VERSION)
		return item_fault(item, "version %" PRIu64 ", must be %u", (u64)le64_to_cpu(status->version),
				  BTRFS_QGROUP_STATUS_VERSION);
	simple = le64_to_cpu(status->flags) & BTRFS_QGROUP_STATUS_FLAG_SIMPLE_MODE;
	if (simple && item->size != sizeof(*status))
		return item_fault(item, "item of %u bytes, must be %zu for simple quotas", item->size,
				  sizeof(*status));
	ret = check_generation(item, "generation", le64_to_cpu(status->generation));
	if (!ret && simple)
		ret = check_generation(item, "enable_gen", le64_to_cpu(status->enable_gen));
	return ret;
}

int check_qgroup_info(const struct checked_item *item)
{
	const int ret = check_qgroup_key(item);

	return ret ? ret : check_item_size(item, sizeof(struct btrfs_qgroup_info_item));
}

int check_qgroup_limit(const struct checked_item *item)
{
	const int ret = check_qgroup_key(item);

	return ret ? ret : check_item_size(item, sizeof(struct btrfs_qgroup_limit_item));
}

int check_qgroup_relation(const struct checked_item *item)
{
	return check_item_size(item, 0);
}

/* The state of a balance; other users of this key type are not known. */
int check_temporary_item(const struct checked_item *item)
{
	if (item->key.objectid != BTRFS_BALANCE_OBJECTID)
		return 0;
	return check_item_size(item, sizeof(struct btrfs_balance_item));
}

/* The error counters of a device: more may come. */
int check_persistent_item(const struct checked_item *item)
{
	if (item->key.objectid != BTRFS_DEV_STATS_OBJECTID)
		return 0;
	if (!item->size || item->size % sizeof(__le64))
		return item_fault(item, "item of %u bytes, must be a positive multiple of %zu", item->size,
				  sizeof(__le64));
	return 0;
}

int check_dev_replace(const struct checked_item *item)
{
	return check_item_size(item, sizeof(struct btrfs_dev_replace_item));
}
