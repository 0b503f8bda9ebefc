// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of the counters and of the kinds of findings: see scrub.h.
 */
#include "scrub/report.h"

#define COUNTER(field) { #field, offsetof(struct scrub_counters, field) }

static const struct scrub_counter_name names[] = {
	COUNTER(data_extents_scrubbed),
	COUNTER(tree_extents_scrubbed),
	COUNTER(data_bytes_scrubbed),
	COUNTER(tree_bytes_scrubbed),
	COUNTER(read_errors),
	COUNTER(csum_errors),
	COUNTER(verify_errors),
	COUNTER(no_csum),
	COUNTER(csum_discards),
	COUNTER(super_errors),
	COUNTER(malloc_errors),
	COUNTER(uncorrectable_errors),
	COUNTER(unverified_errors),
	COUNTER(corrected_errors),
	COUNTER(last_physical),
	COUNTER(correctable_errors),
	COUNTER(missing_copies),
	COUNTER(stale_devices),
	COUNTER(parity_errors_p),
	COUNTER(parity_errors_q),
	COUNTER(parity_unverifiable),
	COUNTER(csum_missing),
	COUNTER(nodatasum_mismatch),
	COUNTER(tree_blocks_bad),
	COUNTER(items_bad),
	COUNTER(unknown_items),
};

_Static_assert(ARRAY_SIZE(names) == sizeof(struct scrub_counters) / sizeof(u64), "every counter has a name");

const struct scrub_counter_name *scrub_counter_at(size_t index)
{
	return index < ARRAY_SIZE(names) ? &names[index] : NULL;
}

void scrub_counters_add(struct scrub_counters *sum, const struct scrub_counters *more)
{
	const u64 last = MAX(sum->last_physical, more->last_physical);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		*(u64 *)((char *)sum + names[i].offset) += scrub_counter_value(more, names[i].offset);
	sum->last_physical = last;
}

const char *scrub_kind_name(enum scrub_kind kind)
{
	static const char *const kinds[] = {
		[SCRUB_SUPER] = "super",
		[SCRUB_CHUNK] = "chunk",
		[SCRUB_TREE_BLOCK] = "tree_block",
		[SCRUB_ITEM] = "item",
		[SCRUB_ACCOUNTING] = "accounting",
		[SCRUB_DATA] = "data",
		[SCRUB_READ] = "read",
		[SCRUB_MISSING_CSUM] = "missing_csum",
		[SCRUB_PARITY] = "parity",
	};

	return kinds[kind];
}

bool scrub_kind_is_data(enum scrub_kind kind)
{
	return kind == SCRUB_DATA || kind == SCRUB_MISSING_CSUM || kind == SCRUB_PARITY;
}
