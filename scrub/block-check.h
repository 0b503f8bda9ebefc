/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the copies of a tree block to counters and findings.
 */
#ifndef BO_SCRUB_BLOCK_CHECK_H
#define BO_SCRUB_BLOCK_CHECK_H

#include "scrub/block-reader.h"
#include "scrub/run.h"

/*
 * Reports every copy that is bad. @again: the block was counted before, under another reference. Returns the
 * number of bad copies (those on missing devices are not bad).
 */
int scrub_judge_block(struct scrub *run, const struct block_copies *copies, bool again);

#endif
