// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sorting and cutting of references: see extent-refs.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel-shared/extent-item.h"
#include "mkfs/extent-refs.h"

int extent_refs_add(struct extent_refs *refs, u64 root, u64 ino, u64 offset)
{
	if (refs->nr == refs->capacity) {
		const size_t more = refs->capacity ? refs->capacity * 2 : 64;
		struct extent_ref *grown = reallocarray(refs->list, more, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		refs->list = grown;
		refs->capacity = more;
	}
	refs->list[refs->nr++] = (struct extent_ref){ .root = root, .ino = ino, .offset = offset, .count = 1 };
	return 0;
}

void extent_refs_release(struct extent_refs *refs)
{
	free(refs->list);
	*refs = (struct extent_refs){ 0 };
}

static int compare(u64 a, u64 b)
{
	return (a > b) - (a < b);
}

/* Larger hashes first, as references inside an extent item are ordered. */
static int by_hash(const void *a, const void *b)
{
	const struct extent_ref *x = a, *y = b;
	int order = compare(y->hash, x->hash);

	if (!order)
		order = compare(x->root, y->root);
	if (!order)
		order = compare(x->ino, y->ino);
	return order ? order : compare(x->offset, y->offset);
}

/* A file that refers to an extent several times at the same distance is one reference. */
static void sort_and_count(struct extent_refs *refs)
{
	size_t i, nr = 0;

	for (i = 0; i < refs->nr; i++)
		refs->list[i].hash = btrfs_hash_extent_data_ref(refs->list[i].root, refs->list[i].ino,
								refs->list[i].offset);
	qsort(refs->list, refs->nr, sizeof(*refs->list), by_hash);
	for (i = 0; i < refs->nr; i++) {
		if (nr && !by_hash(&refs->list[nr - 1], &refs->list[i]))
			refs->list[nr - 1].count += refs->list[i].count;
		else
			refs->list[nr++] = refs->list[i];
	}
	refs->nr = nr;
}

static struct btrfs_extent_data_ref disk_ref(const struct extent_ref *ref)
{
	return (struct btrfs_extent_data_ref){
		.root = cpu_to_le64(ref->root),
		.objectid = cpu_to_le64(ref->ino),
		.offset = cpu_to_le64(ref->offset),
		.count = cpu_to_le32(ref->count),
	};
}

static u64 count_all(const struct extent_refs *refs)
{
	u64 count = 0;
	size_t i;

	for (i = 0; i < refs->nr; i++)
		count += refs->list[i].count;
	return count;
}

static int feed_extent_item(const struct extent_refs *refs, size_t nr_inline, struct btrfs_extent_item head,
			    const struct btrfs_key *key, item_sink each, void *arg)
{
	const struct btrfs_extent_inline_ref owner = {
		.type = BTRFS_EXTENT_OWNER_REF_KEY, .offset = cpu_to_le64(refs->owner),
	};
	const size_t size = sizeof(head) + sizeof(owner) + nr_inline * BTRFS_INLINE_DATA_REF_SIZE;
	u8 *item = malloc(size), *to = item;
	size_t i;
	int ret;

	if (!item)
		return -ENOMEM;
	memcpy(to, &head, sizeof(head));
	to += sizeof(head);
	if (refs->owner) {
		memcpy(to, &owner, sizeof(owner));
		to += sizeof(owner);
	}
	for (i = 0; i < nr_inline; i++) {
		const struct btrfs_extent_data_ref ref = disk_ref(&refs->list[i]);

		*to++ = BTRFS_EXTENT_DATA_REF_KEY;
		memcpy(to, &ref, sizeof(ref));
		to += sizeof(ref);
	}
	ret = each(arg, key, item, (u32)(to - item));
	free(item);
	return ret;
}

/* Keys are hashes, from the smallest on; where one is taken the next number is used. */
static int feed_keyed(const struct extent_refs *refs, size_t nr_inline, u64 bytenr, item_sink each, void *arg)
{
	struct btrfs_key key = { .objectid = bytenr, .type = BTRFS_EXTENT_DATA_REF_KEY };
	size_t i;
	int ret = 0;

	for (i = refs->nr; !ret && i > nr_inline; i--) {
		const struct btrfs_extent_data_ref ref = disk_ref(&refs->list[i - 1]);

		key.offset = i == refs->nr ? refs->list[i - 1].hash : MAX(key.offset + 1, refs->list[i - 1].hash);
		ret = each(arg, &key, &ref, sizeof(ref));
	}
	return ret;
}

int extent_refs_feed(struct extent_refs *refs, u32 nodesize, u64 generation, const struct btrfs_key *key,
		     item_sink each, void *arg)
{
	struct btrfs_extent_item head = {
		.refs = cpu_to_le64(count_all(refs)),
		.generation = cpu_to_le64(generation),
		.flags = cpu_to_le64(BTRFS_EXTENT_FLAG_DATA),
	};
	size_t nr_inline;
	int ret;

	sort_and_count(refs);
	nr_inline = MIN(refs->nr, (size_t)btrfs_max_inline_data_refs(nodesize, refs->owner != 0));
	ret = feed_extent_item(refs, nr_inline, head, key, each, arg);
	if (!ret)
		ret = feed_keyed(refs, nr_inline, key->objectid, each, arg);
	refs->nr = 0;
	return ret;
}
