// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One number per device, the time at which all that was booked is through: see
 * rate-limit.h. A token bucket, written as the moment it is full again.
 */
#include <errno.h>
#include <stdlib.h>

#include "common/checked.h"
#include "io/rate-limit.h"

#define NS_PER_SECOND	1000000000u

struct rate_limit {
	u64 rate;
	unsigned nr_devices;
	u64 due[];
};

int rate_limit_create(struct rate_limit **result, u64 rate, unsigned nr_devices, u64 now)
{
	struct rate_limit *limit;
	unsigned i;

	if (!rate || !nr_devices)
		return -EINVAL;
	limit = malloc(sizeof(*limit) + nr_devices * sizeof(limit->due[0]));
	if (!limit)
		return -ENOMEM;
	limit->rate = rate;
	limit->nr_devices = nr_devices;
	for (i = 0; i < nr_devices; i++)
		limit->due[i] = now;
	*result = limit;
	return 0;
}

void rate_limit_destroy(struct rate_limit *limit)
{
	free(limit);
}

/* Rounded up, and cut where a sum with a clock could wrap: 292 years. */
static u64 time_of(u64 bytes, u64 rate)
{
	unsigned __int128 ns = ((unsigned __int128)bytes * NS_PER_SECOND + rate - 1) / rate;

	return ns > INT64_MAX ? INT64_MAX : (u64)ns;
}

u64 rate_limit_book(struct rate_limit *limit, unsigned device, u64 bytes, u64 now)
{
	u64 start, earliest;

	if (device >= limit->nr_devices)
		return now;
	/* Late by less than the credit: the delay is made up for, so that sleeping too long costs no rate. */
	earliest = now > RATE_LIMIT_CREDIT_NS ? now - RATE_LIMIT_CREDIT_NS : 0;
	start = MAX(limit->due[device], earliest);
	if (check_add_overflow(start, time_of(bytes, limit->rate), &limit->due[device]))
		limit->due[device] = UINT64_MAX;
	return MAX(start, now);
}
