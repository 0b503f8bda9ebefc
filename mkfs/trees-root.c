// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Generators of the trees about trees: roots with the names of subvolumes, uuids of subvolumes, and the
 * empty tree that the kernel's relocation works in.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernel-shared/dir-item.h"
#include "kernel-shared/inode-item.h"
#include "kernel-shared/root-item.h"
#include "mkfs/metadata.h"

static const char default_name[] = "default";
#define DEFAULT_LEN	(sizeof(default_name) - 1)

/* @subvolume: NULL for a tree that is none. */
static int feed_root_item(const struct metadata *metadata, const struct tree_plan *plan,
			  const struct mkfs_subvolume *subvolume, item_sink each, void *arg)
{
	const struct mkfs_layout *layout = metadata->layout;
	const struct btrfs_key key = { .objectid = plan->owner, .type = BTRFS_ROOT_ITEM_KEY };
	const struct btrfs_root_meta meta = {
		.bytenr = tree_plan_root(plan),
		.generation = MKFS_GENERATION,
		.level = tree_plan_level(plan),
		.bytes_used = geometry_total(&plan->geometry) * layout->nodesize,
		.nodesize = layout->nodesize,
		.root_dirid = btrfs_is_fstree(plan->owner) ? BTRFS_FIRST_FREE_OBJECTID : 0,
		.uuid = subvolume ? subvolume->uuid : NULL,
		.read_only = subvolume && subvolume->read_only,
		.otime = layout->now,
	};
	struct btrfs_root_item item;

	btrfs_fill_root_item(&item, &meta);
	return each(arg, &key, &item, sizeof(item));
}

static int feed_root(const struct metadata *metadata, enum mkfs_tree tree, item_sink each, void *arg)
{
	if (!metadata->present[tree])
		return 0;
	return feed_root_item(metadata, &metadata->plans[tree], NULL, each, arg);
}

/* The name of a subvolume: at itself (ROOT_BACKREF) or at its parent (ROOT_REF). */
static int feed_root_ref(const struct mkfs_subvolume *subvolume, struct btrfs_key key, item_sink each, void *arg)
{
	struct {
		struct btrfs_root_ref ref;
		char name[BTRFS_NAME_LEN];
	} __attribute__((__packed__)) item;

	btrfs_fill_root_ref(&item.ref, subvolume->dirid, subvolume->dir_index, subvolume->name_len);
	memcpy(item.name, subvolume->name, subvolume->name_len);
	return each(arg, &key, &item, (u32)sizeof(item.ref) + subvolume->name_len);
}

/* A tree of files and where its name is, then the names of the subvolumes in it. */
static int feed_subvolume(const struct metadata *metadata, u32 number, item_sink each, void *arg)
{
	const struct mkfs_subvolume *list = metadata->import->subvolumes.list, *subvolume = &list[number];
	struct btrfs_key key = {
		.objectid = subvolume->id, .type = BTRFS_ROOT_BACKREF_KEY, .offset = list[subvolume->parent].id,
	};
	u32 child;
	int ret = feed_root_item(metadata, metadata_file_tree(metadata, number), subvolume, each, arg);

	if (!ret && number != SUBVOLUME_TOP)
		ret = feed_root_ref(subvolume, key, each, arg);
	key.type = BTRFS_ROOT_REF_KEY;
	for (child = subvolume->first_child; !ret && child; child = list[child].next_sibling) {
		key.offset = list[child].id;
		ret = feed_root_ref(&list[child], key, each, arg);
	}
	return ret;
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
static int feed_default(const struct metadata *metadata, item_sink each, void *arg)
{
	const u32 number = metadata->import->subvolumes.default_number;
	const struct btrfs_key key = {
		.objectid = BTRFS_ROOT_TREE_DIR_OBJECTID,
		.type = BTRFS_DIR_ITEM_KEY,
		.offset = btrfs_name_hash(default_name, DEFAULT_LEN),
	};
	/* offset: as the kernel writes it for subvolumes, and mkfs.btrfs for the top level */
	const struct btrfs_key location = {
		.objectid = mkfs_subvolume_id(number), .type = BTRFS_ROOT_ITEM_KEY,
		.offset = number == SUBVOLUME_TOP ? (u64)-1 : 0,
	};
	struct {
		struct btrfs_dir_item item;
		char name[DEFAULT_LEN];
	} __attribute__((__packed__)) entry;

	btrfs_fill_dir_item(&entry.item, &location, MKFS_GENERATION, BTRFS_FT_DIR, DEFAULT_LEN);
	memcpy(entry.name, default_name, DEFAULT_LEN);
	return each(arg, &key, &entry, sizeof(entry));
}

static int feed_root_directory(const struct metadata *metadata, item_sink each, void *arg)
{
	int ret = feed_directory(BTRFS_ROOT_TREE_DIR_OBJECTID, metadata->layout->now, each, arg);

	return ret ? ret : feed_default(metadata, each, arg);
}

static int feed_roots(const struct metadata *metadata, const enum mkfs_tree *trees, size_t nr, item_sink each,
		      void *arg)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < nr; i++)
		ret = feed_root(metadata, trees[i], each, arg);
	return ret;
}

/* In the order of tree ids: the top level is 5, the root directory 6, subvolumes begin at 256. */
int generate_root_tree(const struct metadata *metadata, item_sink each, void *arg)
{
	static const enum mkfs_tree first[] = { MKFS_TREE_EXTENT, MKFS_TREE_DEV };
	static const enum mkfs_tree middle[] = {
		MKFS_TREE_CSUM, MKFS_TREE_QUOTA, MKFS_TREE_UUID, MKFS_TREE_FREE_SPACE, MKFS_TREE_BLOCK_GROUP,
	};
	const struct btrfs_key ref = {
		.objectid = BTRFS_FS_TREE_OBJECTID,
		.type = BTRFS_INODE_REF_KEY,
		.offset = BTRFS_ROOT_TREE_DIR_OBJECTID,
	};
	u32 n;
	int ret = feed_roots(metadata, first, ARRAY_SIZE(first), each, arg);

	if (!ret)
		ret = feed_ref(ref, default_name, DEFAULT_LEN, each, arg);
	if (!ret)
		ret = feed_subvolume(metadata, SUBVOLUME_TOP, each, arg);
	if (!ret)
		ret = feed_root_directory(metadata, each, arg);
	if (!ret)
		ret = feed_roots(metadata, middle, ARRAY_SIZE(middle), each, arg);
	for (n = 1; !ret && n <= metadata->nr_subvolumes; n++)
		ret = feed_subvolume(metadata, n, each, arg);
	return ret ? ret : feed_root(metadata, MKFS_TREE_DATA_RELOC, each, arg);
}

/* ---- uuids ---- */

struct uuid_entry {
	struct btrfs_key key;
	u64 id;
};

static int by_key(const void *a, const void *b)
{
	const struct uuid_entry *x = a, *y = b;

	return btrfs_comp_cpu_keys(&x->key, &y->key);
}

int generate_uuid_tree(const struct metadata *metadata, item_sink each, void *arg)
{
	const struct mkfs_subvolumes *subvolumes = &metadata->import->subvolumes;
	struct uuid_entry *entries = calloc(subvolumes->nr, sizeof(*entries));
	u32 n;
	int ret = 0;

	if (!entries)
		return -ENOMEM;
	for (n = 0; n < subvolumes->nr; n++)
		entries[n] = (struct uuid_entry){
			.key = btrfs_uuid_key(subvolumes->list[n].uuid, BTRFS_UUID_KEY_SUBVOL),
			.id = subvolumes->list[n].id,
		};
	qsort(entries, subvolumes->nr, sizeof(*entries), by_key);
	for (n = 0; !ret && n < subvolumes->nr; n++) {
		const __le64 id = cpu_to_le64(entries[n].id);

		ret = each(arg, &entries[n].key, &id, sizeof(id));
	}
	free(entries);
	return ret;
}

int generate_data_reloc_tree(const struct metadata *metadata, item_sink each, void *arg)
{
	return feed_directory(BTRFS_FIRST_FREE_OBJECTID, metadata->layout->now, each, arg);
}
