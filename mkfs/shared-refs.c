// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An item log sorts, a spool is read as often as trees are measured: see shared-refs.h.
 */
#include <errno.h>
#include <stdlib.h>

#include "mkfs/shared-refs.h"

struct shared_refs {
	struct item_log *log;
	struct spool *sorted;
	u64 nr;
};

int shared_refs_create(struct shared_refs **out, size_t memory)
{
	struct shared_refs *refs = calloc(1, sizeof(*refs));
	int ret = refs ? 0 : -ENOMEM;

	if (!ret)
		ret = item_log_create(&refs->log, memory / 2);
	if (!ret)
		ret = spool_create(&refs->sorted, memory / 2);
	if (ret)
		shared_refs_destroy(refs);
	else
		*out = refs;
	return ret;
}

void shared_refs_destroy(struct shared_refs *refs)
{
	if (!refs)
		return;
	item_log_destroy(refs->log);
	spool_destroy(refs->sorted);
	free(refs);
}

int shared_refs_add(struct shared_refs *refs, const struct shared_ref *ref)
{
	const struct log_key key = {
		.key = { .objectid = ref->bytenr, .type = BTRFS_EXTENT_DATA_REF_KEY, .offset = refs->nr++ },
	};

	return item_log_add(refs->log, &key, ref, sizeof(*ref), NULL, 0);
}

static int keep(void *arg, u32 tree, const struct btrfs_key *key, const void *payload, u32 size)
{
	(void)tree;
	(void)key;
	return spool_append(arg, payload, size);
}

int shared_refs_sort(struct shared_refs *refs, struct spool **sorted)
{
	*sorted = refs->sorted;
	return item_log_feed(refs->log, keep, refs->sorted);
}
