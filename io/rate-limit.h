/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A limit in bytes per second for each of several devices, to rehearse a slower
 * array than the one at hand, and to leave a device usable beside a scrub.
 *
 * A device earns credit while it is idle, but never more than a full queue of a
 * real one would hide: RATE_LIMIT_CREDIT_NS.
 *
 * Belongs to one thread. Times are nanoseconds of one monotonic clock, given by
 * the caller, so that tests need no clock.
 */
#ifndef BO_IO_RATE_LIMIT_H
#define BO_IO_RATE_LIMIT_H

#include "common/types.h"

#define RATE_LIMIT_CREDIT_NS	((u64)100 * 1000 * 1000)

struct rate_limit;

/* @rate is in bytes per second and device and not 0. 0, -EINVAL or -ENOMEM. */
int rate_limit_create(struct rate_limit **limit, u64 rate, unsigned nr_devices, u64 now);
void rate_limit_destroy(struct rate_limit *limit);

/*
 * Books @bytes on @device and returns the time at which they may start: @now or
 * later. A device beyond the last one is not limited.
 */
u64 rate_limit_book(struct rate_limit *limit, unsigned device, u64 bytes, u64 now);

#endif
