// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Generators of the small trees: the tree of roots, subvolume uuids, and the empty tree that
 * the kernel's relocation works in.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "kernel-shared/dir-item.h"
#include "kernel-shared/inode-item.h"
#include "kernel-shared/root-item.h"
#include "mkfs/metadata.h"

static const char default_name[] = "default";
#define DEFAULT_LEN	(sizeof(default_name) - 1)

static int feed_root(const struct metadata *metadata, enum mkfs_tree tree, item_sink each, void *arg)
{
	const struct mkfs_layout *layout = metadata->layout;
	const struct tree_plan *plan = &metadata->plans[tree];
	const struct btrfs_key key = { .objectid = plan->owner, .type = BTRFS_ROOT_ITEM_KEY };
	const bool files = tree == MKFS_TREE_FS || tree == MKFS_TREE_DATA_RELOC;
	const struct btrfs_root_meta meta = {
		.bytenr = tree_plan_root(plan),
		.generation = MKFS_GENERATION,
		.level = tree_plan_level(plan),
		.bytes_used = geometry_total(&plan->geometry) * layout->nodesize,
		.nodesize = layout->nodesize,
		.root_dirid = files ? BTRFS_FIRST_FREE_OBJECTID : 0,
		.uuid = tree == MKFS_TREE_FS ? layout->subvolume_uuid : NULL,
		.otime = layout->now,
	};
	struct btrfs_root_item item;

	if (!metadata->present[tree])
		return 0;
	btrfs_fill_root_item(&item, &meta);
	return each(arg, &key, &item, sizeof(item));
}

static int feed_ref(struct btrfs_key key, const char *name, u16 len, item_sink each, void *arg)
{
	struct {
		struct btrfs_inode_ref ref;
		char name[16];
	} __attribute__((__packed__)) item = { .ref.name_len = cpu_to_le16(len) };

	memcpy(item.name, name, len);
	return each(arg, &key, &item, btrfs_inode_ref_size(len));
}

static int feed_directory(u64 ino, struct timespec time, item_sink each, void *arg)
{
	const struct btrfs_key key = { .objectid = ino, .type = BTRFS_INODE_ITEM_KEY };
	const struct btrfs_inode_meta meta = {
		.generation = MKFS_GENERATION, .nlink = 1, .mode = S_IFDIR | 0755,
		.atime = time, .ctime = time, .mtime = time, .otime = time,
	};
	struct btrfs_inode_item item;
	int ret;

	btrfs_fill_inode_item(&item, &meta);
	ret = each(arg, &key, &item, sizeof(item));
	if (ret)
		return ret;
	return feed_ref((struct btrfs_key){ .objectid = ino, .type = BTRFS_INODE_REF_KEY, .offset = ino },
			"..", 2, each, arg);
}

/* The entry that names the subvolume to mount by default. */
static int feed_default(item_sink each, void *arg)
{
	const struct btrfs_key key = {
		.objectid = BTRFS_ROOT_TREE_DIR_OBJECTID,
		.type = BTRFS_DIR_ITEM_KEY,
		.offset = btrfs_name_hash(default_name, DEFAULT_LEN),
	};
	const struct btrfs_key location = {
		.objectid = BTRFS_FS_TREE_OBJECTID, .type = BTRFS_ROOT_ITEM_KEY, .offset = (u64)-1,
	};
	struct {
		struct btrfs_dir_item item;
		char name[DEFAULT_LEN];
	} __attribute__((__packed__)) entry;

	btrfs_fill_dir_item(&entry.item, 0, MKFS_GENERATION, BTRFS_FT_DIR, DEFAULT_LEN);
	entry.item.location = btrfs_cpu_key_to_disk(&location);
	memcpy(entry.name, default_name, DEFAULT_LEN);
	return each(arg, &key, &entry, sizeof(entry));
}

static int feed_root_directory(const struct metadata *metadata, item_sink each, void *arg)
{
	int ret = feed_directory(BTRFS_ROOT_TREE_DIR_OBJECTID, metadata->layout->now, each, arg);

	return ret ? ret : feed_default(each, arg);
}

int generate_root_tree(const struct metadata *metadata, item_sink each, void *arg)
{
	/* by tree id; the root directory (6) comes between the file tree (5) and the checksums (7) */
	static const enum mkfs_tree order[] = {
		MKFS_TREE_EXTENT, MKFS_TREE_DEV, MKFS_TREE_FS, MKFS_TREE_CSUM, MKFS_TREE_UUID,
		MKFS_TREE_FREE_SPACE, MKFS_TREE_BLOCK_GROUP, MKFS_TREE_DATA_RELOC,
	};
	const struct btrfs_key ref = {
		.objectid = BTRFS_FS_TREE_OBJECTID,
		.type = BTRFS_INODE_REF_KEY,
		.offset = BTRFS_ROOT_TREE_DIR_OBJECTID,
	};
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < ARRAY_SIZE(order); i++) {
		if (order[i] == MKFS_TREE_FS)
			ret = feed_ref(ref, default_name, DEFAULT_LEN, each, arg);
		if (!ret)
			ret = feed_root(metadata, order[i], each, arg);
		if (!ret && order[i] == MKFS_TREE_FS)
			ret = feed_root_directory(metadata, each, arg);
	}
	return ret;
}

int generate_uuid_tree(const struct metadata *metadata, item_sink each, void *arg)
{
	const struct btrfs_key key = btrfs_uuid_key(metadata->layout->subvolume_uuid, BTRFS_UUID_KEY_SUBVOL);
	const __le64 subvolume = cpu_to_le64(BTRFS_FS_TREE_OBJECTID);

	return each(arg, &key, &subvolume, sizeof(subvolume));
}

int generate_data_reloc_tree(const struct metadata *metadata, item_sink each, void *arg)
{
	return feed_directory(BTRFS_FIRST_FREE_OBJECTID, metadata->layout->now, each, arg);
}
