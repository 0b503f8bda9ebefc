// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Builder of root items: see root-item.h.
 */
#include <sys/stat.h>

#include "kernel-shared/inode-item.h"
#include "kernel-shared/root-item.h"

/* The inode inside a root item says little, but the kernel writes these values. */
static void fill_embedded_inode(struct btrfs_inode_item *inode, u32 nodesize)
{
	memset(inode, 0, sizeof(*inode));
	inode->generation = cpu_to_le64(1);
	inode->size = cpu_to_le64(3);
	inode->nlink = cpu_to_le32(1);
	inode->nbytes = cpu_to_le64(nodesize);
	inode->mode = cpu_to_le32(S_IFDIR | 0755);
}

void btrfs_fill_root_item(struct btrfs_root_item *item, const struct btrfs_root_meta *meta)
{
	memset(item, 0, sizeof(*item));
	fill_embedded_inode(&item->inode, meta->nodesize);
	if (meta->uuid)
		item->inode.flags = cpu_to_le64(BTRFS_INODE_ROOT_ITEM_INIT);
	item->generation = cpu_to_le64(meta->generation);
	item->generation_v2 = cpu_to_le64(meta->generation);
	item->root_dirid = cpu_to_le64(meta->root_dirid);
	item->bytenr = cpu_to_le64(meta->bytenr);
	item->bytes_used = cpu_to_le64(meta->bytes_used);
	item->refs = cpu_to_le32(1);
	if (meta->read_only)
		item->flags = cpu_to_le64(BTRFS_ROOT_SUBVOL_RDONLY);
	item->level = meta->level;
	if (meta->uuid) {
		memcpy(item->uuid, meta->uuid, BTRFS_UUID_SIZE);
		item->otime = btrfs_make_timespec(meta->otime);
		item->ctime = item->otime;
		item->ctransid = cpu_to_le64(meta->generation);
		item->otransid = cpu_to_le64(meta->generation);
	}
}

void btrfs_fill_root_ref(struct btrfs_root_ref *ref, u64 dirid, u64 index, u16 name_len)
{
	ref->dirid = cpu_to_le64(dirid);
	ref->sequence = cpu_to_le64(index);
	ref->name_len = cpu_to_le16(name_len);
}

struct btrfs_key btrfs_uuid_key(const u8 uuid[BTRFS_UUID_SIZE], u8 type)
{
	return (struct btrfs_key){
		.objectid = get_unaligned_le64(uuid),
		.type = type,
		.offset = get_unaligned_le64(uuid + 8),
	};
}
