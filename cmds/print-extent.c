// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Items of the extent tree: see print-item.h.
 */
#include <stdio.h>

#include "cmds/print-item.h"
#include "cmds/print-text.h"

static const struct flag_name extent_flags[] = {
	{ BTRFS_EXTENT_FLAG_DATA, "DATA" },
	{ BTRFS_EXTENT_FLAG_TREE_BLOCK, "TREE_BLOCK" },
	{ BTRFS_BLOCK_FLAG_FULL_BACKREF, "FULL_BACKREF" },
	{ 0, NULL },
};

static void print_data_ref(const struct btrfs_extent_data_ref *ref)
{
	printf("extent data backref root %llu objectid %llu offset %llu count %u\n",
	       (unsigned long long)le64_to_cpu(ref->root), (unsigned long long)le64_to_cpu(ref->objectid),
	       (unsigned long long)le64_to_cpu(ref->offset), le32_to_cpu(ref->count));
}

/* Bytes of an inline reference of @type, 0 for unknown types. */
static u32 inline_ref_size(u8 type)
{
	switch (type) {
	case BTRFS_TREE_BLOCK_REF_KEY:
	case BTRFS_SHARED_BLOCK_REF_KEY:
	case BTRFS_EXTENT_OWNER_REF_KEY:
		return sizeof(struct btrfs_extent_inline_ref);
	case BTRFS_EXTENT_DATA_REF_KEY:
		return 1 + sizeof(struct btrfs_extent_data_ref);
	case BTRFS_SHARED_DATA_REF_KEY:
		return sizeof(struct btrfs_extent_inline_ref) + sizeof(struct btrfs_shared_data_ref);
	default:
		return 0;
	}
}

static void print_one_inline_ref(const u8 *pos, u8 type)
{
	const struct btrfs_extent_inline_ref *ref = (const void *)pos;
	const unsigned long long offset = get_unaligned_le64(&ref->offset);

	fputs("\t\tinline ref: ", stdout);
	switch (type) {
	case BTRFS_TREE_BLOCK_REF_KEY:
		printf("tree block backref root %llu\n", offset);
		break;
	case BTRFS_SHARED_BLOCK_REF_KEY:
		printf("shared block backref parent %llu\n", offset);
		break;
	case BTRFS_EXTENT_OWNER_REF_KEY:
		printf("extent owner root %llu\n", offset);
		break;
	case BTRFS_EXTENT_DATA_REF_KEY:
		print_data_ref((const void *)(pos + 1));
		break;
	default:
		printf("shared data backref parent %llu count %u\n", offset,
		       get_unaligned_le32(pos + sizeof(*ref)));
	}
}

static void print_inline_refs(const u8 *pos, u32 left)
{
	while (left) {
		const u32 size = inline_ref_size(*pos);

		if (!size || size > left) {
			printf("\t\tinline ref: type %u unknown or cut off, %u bytes left\n", *pos, left);
			return;
		}
		print_one_inline_ref(pos, *pos);
		pos += size;
		left -= size;
	}
}

static void print_extent_item(const struct item_view *item)
{
	const struct btrfs_extent_item *extent = (const void *)item->data;
	const u64 flags = le64_to_cpu(extent->flags);
	const u8 *pos = item->data + sizeof(*extent);
	u32 left = item->size - (u32)sizeof(*extent);

	printf("\t\trefs %llu gen %llu flags ", (unsigned long long)le64_to_cpu(extent->refs),
	       (unsigned long long)le64_to_cpu(extent->generation));
	print_flags(flags, extent_flags);
	putchar('\n');
	if (item->key.type == BTRFS_METADATA_ITEM_KEY) {
		printf("\t\ttree block skinny level %llu\n", (unsigned long long)item->key.offset);
	} else if ((flags & BTRFS_EXTENT_FLAG_TREE_BLOCK) && left >= sizeof(struct btrfs_tree_block_info)) {
		const struct btrfs_tree_block_info *info = (const void *)pos;
		const struct btrfs_key key = btrfs_disk_key_to_cpu(&info->key);

		printf("\t\ttree block key %s level %u\n", btrfs_format_key(&key).text, info->level);
		pos += sizeof(*info);
		left -= (u32)sizeof(*info);
	}
	print_inline_refs(pos, left);
}

static void print_bare_ref(const struct item_view *item)
{
	printf("\t\t%s\n", item->key.type == BTRFS_TREE_BLOCK_REF_KEY ? "tree block backref"
								       : "shared block backref");
}

static void print_keyed_data_ref(const struct item_view *item)
{
	fputs("\t\t", stdout);
	print_data_ref((const void *)item->data);
}

static void print_keyed_shared_data_ref(const struct item_view *item)
{
	printf("\t\tshared data backref count %u\n", get_unaligned_le32(item->data));
}

static void print_owner_ref(const struct item_view *item)
{
	printf("\t\textent owner root %llu\n", (unsigned long long)get_unaligned_le64(item->data));
}

static void print_block_group(const struct item_view *item)
{
	const struct btrfs_block_group_item *group = (const void *)item->data;

	printf("\t\tblock group used %llu chunk_objectid %llu flags ",
	       (unsigned long long)le64_to_cpu(group->used),
	       (unsigned long long)le64_to_cpu(group->chunk_objectid));
	print_bg_flags(le64_to_cpu(group->flags));
	putchar('\n');
}

const struct item_printer extent_item_printers[] = {
	{ BTRFS_EXTENT_ITEM_KEY, sizeof(struct btrfs_extent_item), print_extent_item },
	{ BTRFS_METADATA_ITEM_KEY, sizeof(struct btrfs_extent_item), print_extent_item },
	{ BTRFS_TREE_BLOCK_REF_KEY, 0, print_bare_ref },
	{ BTRFS_SHARED_BLOCK_REF_KEY, 0, print_bare_ref },
	{ BTRFS_EXTENT_DATA_REF_KEY, sizeof(struct btrfs_extent_data_ref), print_keyed_data_ref },
	{ BTRFS_SHARED_DATA_REF_KEY, sizeof(struct btrfs_shared_data_ref), print_keyed_shared_data_ref },
	{ BTRFS_EXTENT_OWNER_REF_KEY, sizeof(__le64), print_owner_ref },
	{ BTRFS_BLOCK_GROUP_ITEM_KEY, sizeof(struct btrfs_block_group_item), print_block_group },
	{ 0, 0, NULL },
};
