// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Collects first keys in the order of the blocks of each level: see first-keys.h.
 */
#include <errno.h>

#include "common/message.h"
#include "mkfs/first-keys.h"

#define LEVEL_MEMORY	((size_t)4 << 20)	/* before a level spills */
#define READ_BUFFER	((size_t)SZ_64K)

int first_keys_init(struct first_keys *keys)
{
	int level, ret = 0;

	*keys = (struct first_keys){ 0 };
	for (level = 0; !ret && level < BTRFS_MAX_LEVEL; level++)
		ret = spool_create(&keys->levels[level], LEVEL_MEMORY);
	if (ret)
		first_keys_release(keys);
	return ret;
}

void first_keys_release(struct first_keys *keys)
{
	int level;

	for (level = 0; level < BTRFS_MAX_LEVEL; level++)
		spool_destroy(keys->levels[level]);
	*keys = (struct first_keys){ 0 };
}

void first_keys_begin(struct first_keys_pass *pass, struct first_keys *keys, struct tree_plan *plan)
{
	int level;

	for (level = 0; level < BTRFS_MAX_LEVEL; level++)
		plan->first_keys[level] = keys->nr[level];
	*pass = (struct first_keys_pass){ .keys = keys, .plan = plan };
	geometry_init(&pass->geometry, plan->geometry.nodesize);
}

/* Leaf number @leaf begins with @key, and so does every node of which it is the leftmost leaf. */
static int add_leaf(struct first_keys_pass *pass, u64 leaf, const struct btrfs_key *key)
{
	const struct btrfs_disk_key disk_key = btrfs_cpu_key_to_disk(key);
	const u32 fanout = btrfs_max_nr_ptrs(pass->geometry.nodesize);
	int level, ret = 0;

	for (level = 0; !ret && level < pass->plan->geometry.height; level++) {
		ret = spool_append(pass->keys->levels[level], &disk_key, sizeof(disk_key));
		pass->keys->nr[level]++;
		if (leaf % fanout)
			break;
		leaf /= fanout;
	}
	return ret;
}

int first_keys_add(void *arg, const struct btrfs_key *key, const void *payload, u32 size)
{
	struct first_keys_pass *pass = arg;
	const u64 leaves = pass->geometry.blocks[0];

	(void)payload;
	geometry_add(&pass->geometry, size);
	return pass->geometry.blocks[0] == leaves ? 0 : add_leaf(pass, leaves, key);
}

int first_keys_end(struct first_keys_pass *pass)
{
	const struct btrfs_key none = { 0 };
	const u64 planned = pass->plan->geometry.blocks[0];

	if (!pass->geometry.blocks[0]) {	/* an empty tree is one empty leaf */
		pass->geometry.blocks[0] = 1;
		return add_leaf(pass, 0, &none);
	}
	if (pass->geometry.blocks[0] == planned)
		return 0;
	error("internal error: tree %llu has %llu leaves, %llu were planned", (unsigned long long)pass->plan->owner,
	      (unsigned long long)pass->geometry.blocks[0], (unsigned long long)planned);
	return -EUCLEAN;
}

int first_keys_read(const struct first_keys *keys, const struct tree_plan *plan, int level, u64 index,
		    struct spool_reader *reader)
{
	const u64 position = (plan->first_keys[level] + index) * sizeof(struct btrfs_disk_key);

	return spool_reader_init(reader, keys->levels[level], position, READ_BUFFER);
}
