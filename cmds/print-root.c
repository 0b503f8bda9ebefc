// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Items of the root and UUID trees: see print-item.h.
 */
#include <stdio.h>

#include "cmds/print-item.h"
#include "cmds/print-text.h"
#include "kernel-shared/root-item.h"

static void print_root_place(const struct btrfs_root_item *root)
{
	static const struct flag_name names[] = {
		{ BTRFS_ROOT_SUBVOL_RDONLY, "RDONLY" },
		{ BTRFS_ROOT_SUBVOL_DEAD, "DEAD" },
		{ 0, NULL },
	};
	const struct btrfs_key progress = btrfs_disk_key_to_cpu(&root->drop_progress);

	printf("\t\tgeneration %llu root_dirid %llu bytenr %llu byte_limit %llu bytes_used %llu\n",
	       (unsigned long long)le64_to_cpu(root->generation),
	       (unsigned long long)le64_to_cpu(root->root_dirid),
	       (unsigned long long)le64_to_cpu(root->bytenr),
	       (unsigned long long)le64_to_cpu(root->byte_limit),
	       (unsigned long long)le64_to_cpu(root->bytes_used));
	printf("\t\tlast_snapshot %llu flags ", (unsigned long long)le64_to_cpu(root->last_snapshot));
	print_flags(le64_to_cpu(root->flags), names);
	printf(" refs %u\n", le32_to_cpu(root->refs));
	printf("\t\tdrop_progress key %s drop_level %u\n", btrfs_format_key(&progress).text,
	       root->drop_level);
	printf("\t\tlevel %u generation_v2 ", root->level);
}

static void print_named_uuid(const char *name, const u8 *uuid)
{
	printf("\t\t%s ", name);
	print_uuid(uuid);
	putchar('\n');
}

static void print_named_time(const char *name, const struct btrfs_timespec *time, u64 transid)
{
	printf("\t\t%s ", name);
	print_timespec(time);
	printf(" transid %llu\n", (unsigned long long)transid);
}

static void print_root_item(const struct item_view *item)
{
	const struct btrfs_root_item *root = (const void *)item->data;

	print_root_place(root);
	if (item->size < sizeof(*root)) {
		puts("(not stored)");
		return;
	}
	printf("%llu\n", (unsigned long long)le64_to_cpu(root->generation_v2));
	print_named_uuid("uuid", root->uuid);
	print_named_uuid("parent_uuid", root->parent_uuid);
	print_named_uuid("received_uuid", root->received_uuid);
	print_named_time("ctime", &root->ctime, le64_to_cpu(root->ctransid));
	print_named_time("otime", &root->otime, le64_to_cpu(root->otransid));
	print_named_time("stime", &root->stime, le64_to_cpu(root->stransid));
	print_named_time("rtime", &root->rtime, le64_to_cpu(root->rtransid));
}

/* ROOT_REF and ROOT_BACKREF have the same payload. */
static void print_root_ref(const struct item_view *item)
{
	const struct btrfs_root_ref *ref = (const void *)item->data;
	const u32 len = le16_to_cpu(ref->name_len);
	const u32 room = item->size - (u32)sizeof(*ref);

	printf("\t\troot %s key dirid %llu sequence %llu name ",
	       item->key.type == BTRFS_ROOT_REF_KEY ? "ref" : "backref",
	       (unsigned long long)le64_to_cpu(ref->dirid), (unsigned long long)le64_to_cpu(ref->sequence));
	print_bytes(ref + 1, MIN(len, room), room);
	putchar('\n');
}

static void print_uuid_item(const struct item_view *item)
{
	u32 at;

	for (at = 0; at + sizeof(__le64) <= item->size; at += (u32)sizeof(__le64))
		printf("\t\tsubvol_id %llu\n", (unsigned long long)get_unaligned_le64(item->data + at));
}

const struct item_printer root_item_printers[] = {
	{ BTRFS_ROOT_ITEM_KEY, BTRFS_ROOT_ITEM_SIZE_V1, print_root_item },
	{ BTRFS_ROOT_REF_KEY, sizeof(struct btrfs_root_ref), print_root_ref },
	{ BTRFS_ROOT_BACKREF_KEY, sizeof(struct btrfs_root_ref), print_root_ref },
	{ BTRFS_UUID_KEY_SUBVOL, 0, print_uuid_item },
	{ BTRFS_UUID_KEY_RECEIVED_SUBVOL, 0, print_uuid_item },
	{ 0, 0, NULL },
};
