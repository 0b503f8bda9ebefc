// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The set of verified blocks: see seen-blocks.h. Open addressing with linear probing.
 */
#include <errno.h>
#include <stdlib.h>

#include "scrub/seen-blocks.h"

struct seen_block {
	u64 bytenr;
	u32 state;		/* digest of level and generation; FREE and BAD are no digests */
	u16 key;		/* digest of the first key */
	u16 owner;		/* digest of the owner */
};

#define STATE_FREE	0
#define STATE_BAD	1

static u64 mix(u64 value)
{
	value ^= value >> 32;
	value *= 0x9E3779B97F4A7C15ULL;
	value ^= value >> 29;
	value *= 0xBF58476D1CE4E5B9ULL;
	return value ^ value >> 32;
}

static u32 digest_state(int level, u64 generation)
{
	const u32 digest = (u32)mix(generation * 8 + (u64)level);

	return digest > STATE_BAD ? digest : digest + 2;
}

static u16 digest_key(const struct btrfs_key *key)
{
	return (u16)mix(mix(mix(key->objectid) ^ key->type) ^ key->offset);
}

/* A block of one file tree may be part of any other. */
static u16 digest_owner(u64 owner)
{
	return (u16)mix(btrfs_is_fstree(owner) ? BTRFS_FS_TREE_OBJECTID : owner);
}

static bool any_owner(u64 tree)
{
	return !tree || tree == BTRFS_TREE_LOG_OBJECTID || tree == BTRFS_TREE_RELOC_OBJECTID;
}

static struct seen_block *find_slot(const struct seen_blocks *seen, u64 bytenr)
{
	size_t index = (size_t)mix(bytenr) & (seen->capacity - 1);

	while (seen->slots[index].state != STATE_FREE && seen->slots[index].bytenr != bytenr)
		index = (index + 1) & (seen->capacity - 1);
	return &seen->slots[index];
}

static int grow(struct seen_blocks *seen)
{
	struct seen_blocks larger = { .nr = seen->nr };
	size_t i;

	larger.capacity = seen->capacity ? seen->capacity * 2 : 1024;
	larger.slots = calloc(larger.capacity, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (i = 0; i < seen->capacity; i++) {
		if (seen->slots[i].state != STATE_FREE)
			*find_slot(&larger, seen->slots[i].bytenr) = seen->slots[i];
	}
	free(seen->slots);
	*seen = larger;
	return 0;
}

enum seen_verdict seen_blocks_find(const struct seen_blocks *seen, const struct btrfs_block_ref *ref)
{
	const struct seen_block *slot;

	if (!seen->capacity)
		return SEEN_NEVER;
	slot = find_slot(seen, ref->bytenr);
	if (slot->state == STATE_FREE)
		return SEEN_NEVER;
	if (slot->state == STATE_BAD)
		return SEEN_BAD;
	if (ref->generation && ref->level >= 0 &&
	    slot->state != digest_state(ref->level, ref->generation))
		return SEEN_OTHER;
	if (ref->has_first_key && slot->key != digest_key(&ref->first_key))
		return SEEN_OTHER;
	return any_owner(ref->tree) || slot->owner == digest_owner(ref->tree) ? SEEN_GOOD : SEEN_OTHER;
}

bool seen_blocks_has(const struct seen_blocks *seen, u64 bytenr)
{
	return seen->capacity && find_slot(seen, bytenr)->state != STATE_FREE;
}

int seen_blocks_add(struct seen_blocks *seen, const struct btrfs_block_ref *ref, const void *block)
{
	struct seen_block *slot;

	if (seen->nr >= seen->capacity / 4 * 3 && grow(seen))
		return -ENOMEM;
	slot = find_slot(seen, ref->bytenr);
	if (slot->state == STATE_FREE)
		seen->nr++;
	*slot = (struct seen_block){ .bytenr = ref->bytenr, .state = STATE_BAD };
	if (block) {
		const struct btrfs_header *header = block;

		slot->state = digest_state(header->level, le64_to_cpu(header->generation));
		slot->owner = digest_owner(le64_to_cpu(header->owner));
		if (btrfs_header_nritems(block)) {
			const struct btrfs_key key = btrfs_slot_key(block, 0);

			slot->key = digest_key(&key);
		}
	}
	return 0;
}

void seen_blocks_release(struct seen_blocks *seen)
{
	free(seen->slots);
	*seen = (struct seen_blocks){ 0 };
}
