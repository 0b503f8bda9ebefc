// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads by logical address and judges tree blocks: see block.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/checked.h"
#include "reader/rebuild.h"

void *btrfs_block_buffer(size_t bytes)
{
	return aligned_alloc(SZ_4K, ALIGN_UP(bytes, (size_t)SZ_4K));
}

/* The chunk that maps all of the range, or NULL. */
static const struct btrfs_chunk_map *find_range(const struct btrfs_image *image, u64 logical, u64 len)
{
	const struct btrfs_chunk_map *map = btrfs_find_chunk(&image->chunks, logical);

	if (!map || range_exceeds(logical - map->start, len, map->length))
		return NULL;
	return map;
}

int btrfs_nr_copies(const struct btrfs_image *image, u64 logical, u64 len)
{
	const struct btrfs_chunk_map *map = find_range(image, logical, len);

	return map ? btrfs_chunk_copies(map) : -ENOENT;
}

int btrfs_nr_ways(const struct btrfs_image *image, u64 logical, u64 len)
{
	const struct btrfs_chunk_map *map = find_range(image, logical, len);

	return map ? btrfs_chunk_copies(map) + btrfs_nr_rebuilds(map) : -ENOENT;
}

/* As btrfs_locate(), with the number of bytes that stay together. */
static int locate_piece(const struct btrfs_image *image, u64 logical, int copy, struct btrfs_place *place,
			u64 *contiguous)
{
	const struct btrfs_chunk_map *map = btrfs_find_chunk(&image->chunks, logical);
	struct btrfs_io_stripe stripe;

	if (!map)
		return -ENOENT;
	if (copy < 0 || copy >= btrfs_chunk_copies(map))
		return -EINVAL;
	stripe = btrfs_map_logical(map, logical, copy, contiguous);
	place->devid = stripe.devid;
	place->physical = stripe.physical;
	place->device = btrfs_find_device(image, stripe.devid);
	return 0;
}

int btrfs_locate(const struct btrfs_image *image, u64 logical, int copy, struct btrfs_place *place)
{
	u64 contiguous;

	return locate_piece(image, logical, copy, place, &contiguous);
}

/* A place or buffer that direct I/O would refuse goes through a buffer of our own. */
static int read_unaligned(const struct io_device *io, void *buf, size_t len, u64 physical)
{
	const u64 start = ALIGN_DOWN(physical, SZ_4K);
	const size_t skip = (size_t)(physical - start);
	size_t whole = ALIGN_UP(skip + len, (size_t)SZ_4K);
	u8 *bounce;
	int ret;

	if (start + whole > io->size)
		whole = (size_t)(io->size - start);
	bounce = btrfs_block_buffer(whole);
	if (!bounce)
		return -ENOMEM;
	ret = io_device_pread(io, bounce, whole, start);
	if (!ret)
		memcpy(buf, bounce + skip, len);
	free(bounce);
	return ret;
}

int btrfs_read_place(const struct btrfs_place *place, void *buf, size_t len)
{
	const struct io_device *io;

	if (!place->device)
		return -ENODEV;
	io = place->device->io;
	if (range_exceeds(place->physical, len, io->size))
		return -ENODATA;
	if (!IS_ALIGNED(place->physical | len | (uintptr_t)buf, SZ_4K))
		return read_unaligned(io, buf, len, place->physical);
	return io_device_pread(io, buf, len, place->physical);
}

/*
 * The bytes at @logical that stay together, at most *len of them, which becomes how many these were. Copies
 * that do not exist are computed, as if they were at the place of the first.
 */
static int read_piece(const struct btrfs_image *image, u64 logical, int copy, struct btrfs_place *place,
		      struct iovec *piece)
{
	const struct btrfs_chunk_map *map = btrfs_find_chunk(&image->chunks, logical);
	const int way = map ? copy - btrfs_chunk_copies(map) : -1;
	const bool computed = way >= 0 && way < btrfs_nr_rebuilds(map);
	u64 contiguous = 0;
	int ret = locate_piece(image, logical, computed ? 0 : copy, place, &contiguous);

	if (ret)
		return ret;
	piece->iov_len = (size_t)MIN(contiguous, (u64)piece->iov_len);
	if (!piece->iov_len)
		return -EUCLEAN;
	if (computed)
		return btrfs_rebuild_piece(image, map, logical, (unsigned)way, piece);
	return btrfs_read_place(place, piece->iov_base, piece->iov_len);
}

int btrfs_read_copy(const struct btrfs_image *image, u64 logical, size_t len, int copy, void *buf,
		    struct btrfs_place *place)
{
	struct btrfs_place first = { .devid = BTRFS_FINDING_NO_DEVICE, .physical = BTRFS_FINDING_NO_ADDRESS };
	struct btrfs_place this = first;
	size_t done = 0;
	int ret = find_range(image, logical, len) ? 0 : -ENOENT;

	while (!ret && done < len) {
		struct iovec piece = { .iov_base = (u8 *)buf + done, .iov_len = len - done };

		ret = read_piece(image, logical + done, copy, &this, &piece);
		if (!ret && !done)
			first = this;
		done += piece.iov_len;
	}
	if (place)
		*place = ret ? this : first;
	return ret;
}

/* ---- tree blocks ---- */

/* Blocks of log and relocation trees may carry the id of the tree they were copied from. */
static u64 expected_owner(u64 tree)
{
	if (tree == BTRFS_TREE_LOG_OBJECTID || tree == BTRFS_TREE_RELOC_OBJECTID)
		return 0;
	return tree;
}

static bool last_key_below_limit(const struct btrfs_block_ref *ref, const void *block,
				 struct btrfs_reason *reason)
{
	const u32 nr = btrfs_header_nritems(block);
	struct btrfs_key last;

	if (!ref->has_limit || !nr)
		return true;
	last = btrfs_slot_key(block, nr - 1);
	if (btrfs_comp_cpu_keys(&last, &ref->limit) < 0)
		return true;
	btrfs_set_reason(reason, "last key %s is not below %s, the next key of the parent",
			 btrfs_format_key(&last).text, btrfs_format_key(&ref->limit).text);
	return false;
}

enum btrfs_block_fault btrfs_check_identity(const struct btrfs_image *image,
					    const struct btrfs_block_ref *ref, const void *block,
					    struct btrfs_reason *reason)
{
	static const u8 no_uuid[BTRFS_UUID_SIZE];
	const bool uuid_known = memcmp(image->chunk_tree_uuid, no_uuid, sizeof(no_uuid)) != 0;
	const struct btrfs_block_expect expect = {
		.bytenr = ref->bytenr,
		.fsids = (const u8 (*)[BTRFS_FSID_SIZE])image->fsids,
		.nr_fsids = image->nr_fsids,
		.chunk_tree_uuid = uuid_known ? image->chunk_tree_uuid : NULL,
		.level = ref->level,
		.generation = ref->generation,
		.max_generation = ref->max_generation,
		.owner = expected_owner(ref->tree),
		.first_key = ref->has_first_key ? &ref->first_key : NULL,
	};
	enum btrfs_block_fault fault;

	fault = btrfs_check_tree_block(image->csum, block, image->check.nodesize, &expect, reason);
	if (!fault && !last_key_below_limit(ref, block, reason))
		fault = BTRFS_BLOCK_BAD_FIRST_KEY;
	return fault;
}

static void explain_read_error(struct btrfs_copy_result *result)
{
	switch (result->error) {
	case -ENOENT:
		result->status = BTRFS_COPY_UNMAPPED;
		btrfs_set_reason(&result->reason, "not inside any chunk");
		break;
	case -EOPNOTSUPP:
		result->status = BTRFS_COPY_UNMAPPED;
		btrfs_set_reason(&result->reason, "the profile of this chunk is not supported yet");
		break;
	case -ENODEV:
		result->status = BTRFS_COPY_MISSING;
		btrfs_set_reason(&result->reason, "device %llu is missing",
				 (unsigned long long)result->place.devid);
		break;
	case -ENODATA:
		result->status = BTRFS_COPY_UNREADABLE;
		btrfs_set_reason(&result->reason, "beyond the end of the device");
		break;
	default:
		result->status = BTRFS_COPY_UNREADABLE;
		btrfs_set_reason(&result->reason, "read failed: %s", strerror(-result->error));
	}
}

enum btrfs_copy_status btrfs_read_block_copy(const struct btrfs_image *image,
					     const struct btrfs_block_ref *ref, int copy, void *buf,
					     struct btrfs_copy_result *result)
{
	memset(result, 0, sizeof(*result));
	result->error = btrfs_read_copy(image, ref->bytenr, image->check.nodesize, copy, buf, &result->place);
	if (result->error) {
		explain_read_error(result);
		return result->status;
	}
	result->fault = btrfs_check_identity(image, ref, buf, &result->reason);
	if (result->fault)
		result->status = BTRFS_COPY_BAD;
	return result->status;
}

/* Keeps the first complaint of the tree-checker as the reason. */
static void first_complaint(void *arg, int slot, const struct btrfs_key *key, const char *text)
{
	struct btrfs_reason *reason = arg;

	(void)key;
	if (reason->text[0])
		return;
	if (slot < 0)
		btrfs_set_reason(reason, "%.150s", text);
	else
		btrfs_set_reason(reason, "slot %d: %.130s", slot, text);
}

static int check_table(const struct btrfs_image *image, const void *block, struct btrfs_copy_result *result)
{
	result->reason.text[0] = 0;
	if (btrfs_block_header(block)->level)
		return btrfs_check_node(&image->check, block, first_complaint, &result->reason);
	return btrfs_check_leaf_items(&image->check, block, first_complaint, &result->reason);
}

int btrfs_read_block(const struct btrfs_image *image, const struct btrfs_block_ref *ref, void *buf,
		     struct btrfs_copy_result *result)
{
	const int found = btrfs_nr_ways(image, ref->bytenr, image->check.nodesize);
	const int copies = MAX(found, 1);	/* one attempt names the reason where nothing is mapped */
	int copy;

	for (copy = 0; copy < copies; copy++) {
		struct btrfs_copy_result this;

		if (!btrfs_read_block_copy(image, ref, copy, buf, &this) && !check_table(image, buf, &this))
			return 0;
		if (this.error == -ENOMEM)
			return -ENOMEM;
		if (!copy && result)
			*result = this;
	}
	return -EUCLEAN;
}

struct btrfs_block_ref btrfs_child_ref(const struct btrfs_block_ref *ref, const void *node, u32 slot)
{
	const struct btrfs_key_ptr *ptr = btrfs_node_ptr(node, slot);
	struct btrfs_block_ref child = {
		.tree = ref->tree,
		.bytenr = le64_to_cpu(ptr->blockptr),
		.generation = le64_to_cpu(ptr->generation),
		.level = btrfs_block_header(node)->level - 1,
		.has_first_key = true,
		.first_key = btrfs_node_key(node, slot),
		.has_limit = ref->has_limit,
		.limit = ref->limit,
		.parent = ref->bytenr,
		.slot = (int)slot,
	};

	if (slot + 1 < btrfs_header_nritems(node)) {
		child.has_limit = true;
		child.limit = btrfs_node_key(node, slot + 1);
	}
	return child;
}
