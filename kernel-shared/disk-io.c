// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checksums and identity of superblocks and tree blocks: see disk-io.h.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "common/checked.h"
#include "kernel-shared/disk-io.h"

void btrfs_set_reason(struct btrfs_reason *reason, const char *fmt, ...)
{
	va_list args;

	if (!reason)
		return;
	va_start(args, fmt);
	vsnprintf(reason->text, sizeof(reason->text), fmt, args);
	va_end(args);
}

struct uuid_text {
	char text[40];
};

static struct uuid_text format_uuid(const u8 *uuid)
{
	struct uuid_text out = { "" };
	char *pos = out.text;
	int i;

	for (i = 0; i < BTRFS_UUID_SIZE; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*pos++ = '-';
		snprintf(pos, 3, "%02x", uuid[i]);
		pos += 2;
	}
	return out;
}

static bool csum_matches(const struct csum_algorithm *algo, const void *block, size_t size)
{
	const u8 *bytes = block;
	u8 digest[CSUM_MAX_SIZE];

	algo->digest(bytes + BTRFS_CSUM_SIZE, size - BTRFS_CSUM_SIZE, digest);
	return !memcmp(digest, bytes, algo->size);
}

/* Bytes of the field behind a short checksum are zero. */
static void sign(const struct csum_algorithm *algo, void *block, size_t size)
{
	u8 *bytes = block;

	memset(bytes, 0, BTRFS_CSUM_SIZE);
	algo->digest(bytes + BTRFS_CSUM_SIZE, size - BTRFS_CSUM_SIZE, bytes);
}

/* ---- superblocks ---- */

int btrfs_sb_copies(u64 device_size)
{
	int mirror;

	for (mirror = 0; mirror < BTRFS_SUPER_MIRROR_MAX; mirror++) {
		if (range_exceeds(btrfs_sb_offset(mirror), BTRFS_SUPER_INFO_SIZE, device_size))
			break;
	}
	return mirror;
}

bool btrfs_overlaps_super(u64 physical, u64 len)
{
	int mirror;

	for (mirror = 0; mirror < BTRFS_SUPER_MIRROR_MAX; mirror++) {
		const u64 copy = btrfs_sb_offset(mirror);

		if (physical < copy + SZ_64K && range_exceeds(physical, len, copy))
			return true;
	}
	return false;
}

void btrfs_sign_super(const struct csum_algorithm *algo, struct btrfs_super_block *super, int mirror)
{
	super->bytenr = cpu_to_le64(btrfs_sb_offset(mirror));
	sign(algo, super, BTRFS_SUPER_INFO_SIZE);
}

const u8 *btrfs_super_metadata_uuid(const struct btrfs_super_block *super)
{
	if (le64_to_cpu(super->incompat_flags) & BTRFS_FEATURE_INCOMPAT_METADATA_UUID)
		return super->metadata_uuid;
	return super->fsid;
}

static bool block_size_is_sane(u32 size, u32 min)
{
	return is_power_of_2(size) && size >= min && size <= BTRFS_MAX_METADATA_BLOCKSIZE;
}

static bool check_super_sizes(const struct btrfs_super_block *super, struct btrfs_reason *reason)
{
	const u32 sectorsize = le32_to_cpu(super->sectorsize);
	const u32 nodesize = le32_to_cpu(super->nodesize);
	const u32 stripesize = le32_to_cpu(super->stripesize);
	const u32 array = le32_to_cpu(super->sys_chunk_array_size);
	const size_t min_array = sizeof(struct btrfs_disk_key) + sizeof(struct btrfs_chunk);

	if (!block_size_is_sane(sectorsize, SZ_4K))
		btrfs_set_reason(reason, "sectorsize %u, must be a power of two from 4096 to 65536",
				 sectorsize);
	else if (!block_size_is_sane(nodesize, sectorsize))
		btrfs_set_reason(reason,
				 "nodesize %u, must be a power of two from the sectorsize %u to 65536",
				 nodesize, sectorsize);
	else if (!block_size_is_sane(stripesize, SZ_4K))
		btrfs_set_reason(reason, "stripesize %u, must be a power of two from 4096 to 65536",
				 stripesize);
	else if (array < min_array || array > BTRFS_SYSTEM_CHUNK_ARRAY_SIZE)
		btrfs_set_reason(reason, "system chunk array of %u bytes, must be %zu to %u", array,
				 min_array, BTRFS_SYSTEM_CHUNK_ARRAY_SIZE);
	else
		return true;
	return false;
}

struct super_root {
	const char *name;
	u64 bytenr;
	u8 level;
	bool optional;
};

static bool check_super_root(const struct super_root *root, u32 sectorsize, struct btrfs_reason *reason)
{
	if (!root->bytenr && !root->optional)
		btrfs_set_reason(reason, "%s is 0", root->name);
	else if (!IS_ALIGNED(root->bytenr, sectorsize))
		btrfs_set_reason(reason, "%s %" PRIu64 " is not aligned to the sectorsize %u", root->name,
				 root->bytenr, sectorsize);
	else if (root->level >= BTRFS_MAX_LEVEL)
		btrfs_set_reason(reason, "%s level %u, must be below %u", root->name, root->level,
				 BTRFS_MAX_LEVEL);
	else
		return true;
	return false;
}

static bool check_super_roots(const struct btrfs_super_block *super, struct btrfs_reason *reason)
{
	const struct super_root roots[] = {
		{ "root", le64_to_cpu(super->root), super->root_level, false },
		{ "chunk_root", le64_to_cpu(super->chunk_root), super->chunk_root_level, false },
		{ "log_root", le64_to_cpu(super->log_root), super->log_root_level, true },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(roots); i++) {
		if (!check_super_root(&roots[i], le32_to_cpu(super->sectorsize), reason))
			return false;
	}
	return true;
}

static bool check_super_totals(const struct btrfs_super_block *super, struct btrfs_reason *reason)
{
	const u64 min_used = 6 * (u64)le32_to_cpu(super->nodesize);
	const u64 used = le64_to_cpu(super->bytes_used);
	const u8 *uuid = btrfs_super_metadata_uuid(super);

	if (!super->total_bytes)
		btrfs_set_reason(reason, "total_bytes is 0");
	else if (!super->num_devices)
		btrfs_set_reason(reason, "num_devices is 0");
	else if (used < min_used)
		btrfs_set_reason(reason, "bytes_used %" PRIu64 ", must be at least 6 nodes (%" PRIu64 ")",
				 used, min_used);
	else if (memcmp(uuid, super->dev_item.fsid, BTRFS_FSID_SIZE))
		btrfs_set_reason(reason, "fsid %s, but the device item says %s", format_uuid(uuid).text,
				 format_uuid(super->dev_item.fsid).text);
	else
		return true;
	return false;
}

enum btrfs_super_fault btrfs_check_super(const struct btrfs_super_block *super, int mirror,
					 struct btrfs_reason *reason)
{
	const struct csum_algorithm *algo = csum_by_type(le16_to_cpu(super->csum_type));
	const u64 magic = le64_to_cpu(super->magic);
	const u64 bytenr = le64_to_cpu(super->bytenr);

	if (magic == BTRFS_MAGIC_TEMPORARY) {
		btrfs_set_reason(reason, "unfinished mkfs");
		return BTRFS_SUPER_UNFINISHED;
	}
	if (magic != BTRFS_MAGIC) {
		btrfs_set_reason(reason, "no btrfs superblock (wrong magic)");
		return BTRFS_SUPER_NO_MAGIC;
	}
	if (!algo) {
		btrfs_set_reason(reason, "unknown checksum type %u", le16_to_cpu(super->csum_type));
		return BTRFS_SUPER_BAD_CSUM_TYPE;
	}
	if (!csum_matches(algo, super, BTRFS_SUPER_INFO_SIZE)) {
		btrfs_set_reason(reason, "wrong checksum (%s)", algo->name);
		return BTRFS_SUPER_BAD_CSUM;
	}
	if (bytenr != btrfs_sb_offset(mirror)) {
		btrfs_set_reason(reason, "bytenr %" PRIu64 ", must be %" PRIu64, bytenr,
				 btrfs_sb_offset(mirror));
		return BTRFS_SUPER_BAD_BYTENR;
	}
	if (!check_super_sizes(super, reason) || !check_super_roots(super, reason) ||
	    !check_super_totals(super, reason))
		return BTRFS_SUPER_BAD_FIELD;
	return BTRFS_SUPER_OK;
}

/* ---- tree blocks ---- */

void btrfs_sign_tree_block(const struct csum_algorithm *algo, void *block, u32 nodesize)
{
	sign(algo, block, nodesize);
}

static bool fsid_is_expected(const u8 *fsid, const struct btrfs_block_expect *expect)
{
	unsigned i;

	for (i = 0; i < expect->nr_fsids; i++) {
		if (!memcmp(fsid, expect->fsids[i], BTRFS_FSID_SIZE))
			return true;
	}
	return false;
}

/* Is this the block that was written to this place by this filesystem? */
static enum btrfs_block_fault check_block_identity(const struct btrfs_header *header,
						   const struct btrfs_block_expect *expect,
						   struct btrfs_reason *reason)
{
	if (le64_to_cpu(header->bytenr) != expect->bytenr) {
		btrfs_set_reason(reason, "bytenr %" PRIu64 ", wanted %" PRIu64,
				 (u64)le64_to_cpu(header->bytenr), expect->bytenr);
		return BTRFS_BLOCK_BAD_BYTENR;
	}
	if (!fsid_is_expected(header->fsid, expect)) {
		btrfs_set_reason(reason, "fsid %s, wanted %s", format_uuid(header->fsid).text,
				 expect->nr_fsids ? format_uuid(expect->fsids[0]).text : "none");
		return BTRFS_BLOCK_BAD_FSID;
	}
	if (expect->chunk_tree_uuid &&
	    memcmp(header->chunk_tree_uuid, expect->chunk_tree_uuid, BTRFS_UUID_SIZE)) {
		btrfs_set_reason(reason, "chunk tree uuid %s, wanted %s",
				 format_uuid(header->chunk_tree_uuid).text,
				 format_uuid(expect->chunk_tree_uuid).text);
		return BTRFS_BLOCK_BAD_CHUNK_TREE_UUID;
	}
	if (!(le64_to_cpu(header->flags) & BTRFS_HEADER_FLAG_WRITTEN)) {
		btrfs_set_reason(reason, "not marked as written (flags 0x%" PRIx64 ")",
				 (u64)le64_to_cpu(header->flags));
		return BTRFS_BLOCK_NOT_WRITTEN;
	}
	return BTRFS_BLOCK_OK;
}

/* File trees share blocks with their snapshots, so any file tree may be the owner of such a block. */
static bool owner_is_expected(u64 owner, u64 expected)
{
	return !expected || owner == expected || (btrfs_is_fstree(expected) && btrfs_is_fstree(owner));
}

/* Is it the block that its parent means? */
static enum btrfs_block_fault check_block_place(const struct btrfs_header *header,
						const struct btrfs_block_expect *expect,
						struct btrfs_reason *reason)
{
	const u64 generation = le64_to_cpu(header->generation);
	const u64 owner = le64_to_cpu(header->owner);

	if (header->level >= BTRFS_MAX_LEVEL) {
		btrfs_set_reason(reason, "level %u, must be below %u", header->level, BTRFS_MAX_LEVEL);
		return BTRFS_BLOCK_BAD_LEVEL;
	}
	if (expect->level >= 0 && header->level != expect->level) {
		btrfs_set_reason(reason, "level %u, wanted %d", header->level, expect->level);
		return BTRFS_BLOCK_BAD_LEVEL;
	}
	if (expect->generation && generation != expect->generation) {
		btrfs_set_reason(reason, "generation %" PRIu64 ", wanted %" PRIu64, generation,
				 expect->generation);
		return BTRFS_BLOCK_BAD_GENERATION;
	}
	if (expect->max_generation && generation > expect->max_generation) {
		btrfs_set_reason(reason, "generation %" PRIu64 ", at most %" PRIu64 " possible", generation,
				 expect->max_generation);
		return BTRFS_BLOCK_BAD_GENERATION;
	}
	if (!owner_is_expected(owner, expect->owner)) {
		btrfs_set_reason(reason, "owner %" PRIu64 ", wanted %" PRIu64, owner, expect->owner);
		return BTRFS_BLOCK_BAD_OWNER;
	}
	return BTRFS_BLOCK_OK;
}

static enum btrfs_block_fault check_block_slots(const void *block, u32 nodesize,
						const struct btrfs_block_expect *expect,
						struct btrfs_reason *reason)
{
	const bool leaf = btrfs_block_header(block)->level == 0;
	const u32 nritems = btrfs_header_nritems(block);
	const u32 max = leaf ? btrfs_max_nr_items(nodesize) : btrfs_max_nr_ptrs(nodesize);
	struct btrfs_key first;

	if (nritems > max || (!leaf && !nritems)) {
		btrfs_set_reason(reason, "nritems %u, must be %d to %u", nritems, leaf ? 0 : 1, max);
		return BTRFS_BLOCK_BAD_NRITEMS;
	}
	if (!expect->first_key)
		return BTRFS_BLOCK_OK;
	if (!nritems) {
		btrfs_set_reason(reason, "empty, wanted first key %s",
				 btrfs_format_key(expect->first_key).text);
		return BTRFS_BLOCK_BAD_FIRST_KEY;
	}
	first = leaf ? btrfs_item_key(block, 0) : btrfs_node_key(block, 0);
	if (btrfs_comp_cpu_keys(&first, expect->first_key)) {
		btrfs_set_reason(reason, "first key %s, wanted %s", btrfs_format_key(&first).text,
				 btrfs_format_key(expect->first_key).text);
		return BTRFS_BLOCK_BAD_FIRST_KEY;
	}
	return BTRFS_BLOCK_OK;
}

enum btrfs_block_fault btrfs_check_tree_block(const struct csum_algorithm *algo, const void *block,
					      u32 nodesize, const struct btrfs_block_expect *expect,
					      struct btrfs_reason *reason)
{
	const struct btrfs_header *header = block;
	enum btrfs_block_fault fault;

	if (!csum_matches(algo, block, nodesize)) {
		btrfs_set_reason(reason, "wrong checksum (%s)", algo->name);
		return BTRFS_BLOCK_BAD_CSUM;
	}
	fault = check_block_identity(header, expect, reason);
	if (!fault)
		fault = check_block_place(header, expect, reason);
	if (!fault)
		fault = check_block_slots(block, nodesize, expect, reason);
	return fault;
}
