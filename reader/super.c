// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads all superblock copies of a device and picks the one that counts: see super.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel-shared/volumes.h"
#include "reader/super.h"

/* Every entry of the system chunk array has to be a valid chunk (R-SB2). */
static int check_sys_array(struct btrfs_super_copy *copy)
{
	struct btrfs_chunk_table table = { 0 };
	int ret = btrfs_read_sys_array(&copy->block, &table, &copy->reason);

	btrfs_chunk_table_release(&table);
	if (ret == -EUCLEAN) {
		copy->fault = BTRFS_SUPER_BAD_FIELD;
		return 0;
	}
	return ret;
}

static int read_one(const struct io_device *device, int mirror, void *buf, struct btrfs_super_copy *copy)
{
	int ret = 0;

	copy->read_error = io_device_pread(device, buf, BTRFS_SUPER_INFO_SIZE, btrfs_sb_offset(mirror));
	if (copy->read_error) {
		copy->status = BTRFS_SUPER_UNREADABLE;
		btrfs_set_reason(&copy->reason, "cannot be read: %s", strerror(-copy->read_error));
		return 0;
	}
	copy->status = BTRFS_SUPER_READ;
	memcpy(&copy->block, buf, BTRFS_SUPER_INFO_SIZE);
	copy->fault = btrfs_check_super(&copy->block, mirror, &copy->reason);
	if (!copy->fault)
		ret = check_sys_array(copy);
	if (!copy->fault)
		copy->generation = le64_to_cpu(copy->block.generation);
	return ret;
}

static bool copy_is_valid(const struct btrfs_super_copy *copy)
{
	return copy->status == BTRFS_SUPER_READ && copy->fault == BTRFS_SUPER_OK;
}

static int choose(const struct btrfs_super_copies *copies)
{
	int chosen = -1;
	int i;

	if (copy_is_valid(&copies->copy[0]))
		return 0;
	/* A new mkfs began here: what older copies describe is no longer there. */
	if (copies->copy[0].fault == BTRFS_SUPER_UNFINISHED)
		return -1;
	for (i = 1; i < BTRFS_SUPER_MIRROR_MAX; i++) {
		if (!copy_is_valid(&copies->copy[i]))
			continue;
		if (chosen < 0 || copies->copy[i].generation > copies->copy[chosen].generation)
			chosen = i;
	}
	return chosen;
}

/* A copy that is valid by itself also has to agree with the chosen one. */
static void compare_with_chosen(struct btrfs_super_copy *copy, const struct btrfs_super_copies *copies)
{
	const struct btrfs_super_copy *chosen;

	if (copies->chosen < 0) {
		copy->bad = true;
		btrfs_set_reason(&copy->reason, "older than the mkfs that began on this device");
		return;
	}
	chosen = &copies->copy[copies->chosen];
	if (copy->generation == chosen->generation)
		return;
	copy->bad = true;
	btrfs_set_reason(&copy->reason, "generation %llu, but copy %d has %llu",
			 (unsigned long long)copy->generation, copies->chosen,
			 (unsigned long long)chosen->generation);
}

/* The filesystem may use less than the device has: what lies behind is none of its copies. */
static void forget_copies_behind(struct btrfs_super_copies *copies)
{
	const struct btrfs_super_block *super = &copies->copy[copies->chosen].block;
	const int nr = btrfs_sb_copies(le64_to_cpu(super->dev_item.total_bytes));
	int i;

	for (i = MAX(nr, copies->chosen + 1); i < BTRFS_SUPER_MIRROR_MAX; i++) {
		if (!copy_is_valid(&copies->copy[i]))
			copies->copy[i].status = BTRFS_SUPER_ABSENT;
	}
}

static void judge(struct btrfs_super_copies *copies)
{
	int i;

	copies->chosen = choose(copies);
	if (copies->chosen >= 0)
		forget_copies_behind(copies);
	for (i = 0; i < BTRFS_SUPER_MIRROR_MAX; i++) {
		struct btrfs_super_copy *copy = &copies->copy[i];

		if (copy->status == BTRFS_SUPER_ABSENT)
			continue;
		if (copy_is_valid(copy)) {
			compare_with_chosen(copy, copies);
			continue;
		}
		copy->bad = true;
		if (copies->chosen < 0 && copy->fault == BTRFS_SUPER_UNFINISHED)
			copies->unfinished = true;
	}
}

int btrfs_read_super_copies(const struct io_device *device, struct btrfs_super_copies *copies)
{
	void *buf = aligned_alloc(SZ_4K, BTRFS_SUPER_INFO_SIZE);
	int nr = btrfs_sb_copies(device->size);
	int ret = 0;
	int i;

	if (!buf)
		return -ENOMEM;
	memset(copies, 0, sizeof(*copies));
	for (i = 0; i < nr && !ret; i++)
		ret = read_one(device, i, buf, &copies->copy[i]);
	if (!ret)
		judge(copies);
	free(buf);
	return ret;
}
