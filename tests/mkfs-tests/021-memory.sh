#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 200,000 files with small limits: memory does not grow with the tree.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; tool treegen maxrss

peak() {	# TREE: KiB
	images 2G a b
	expect 0 maxrss "$WORK/rss" timeout $LIMIT "$BTRFS_OFFLINE" mkfs -q --metadata-memory 16M --buffer-memory 16M \
		--csum-threads 2 -d raid0 -m raid1 -r "$1" "$WORK/a" "$WORK/b"
	PEAK=$(cat "$WORK/rss")
}

if ! "$BTRFS_OFFLINE" --version >/dev/null || ldd "$BTRFS_OFFLINE" 2>/dev/null | grep -q 'lib[atl]san'; then
	skip "a sanitizer build needs memory of its own"
fi
treegen many "$WORK/small" 20000
treegen many "$WORK/large" 200000
peak "$WORK/small"
small=$PEAK
peak "$WORK/large"
say "20,000 files: $small KiB, 200,000 files: $PEAK KiB"
[ "$PEAK" -lt $((110 * 1024)) ] || fail "$PEAK KiB with limits of 16 MiB + 16 MiB"
[ "$PEAK" -lt $((small + 20 * 1024)) ] || fail "memory grows with the tree: $small KiB, then $PEAK KiB"
judge -s "$WORK/large" "$WORK/a" "$WORK/b"

expect 0 maxrss "$WORK/rss" timeout $LIMIT "$BTRFS_OFFLINE" scrub "$WORK/a" "$WORK/b"
say "scrub of it: $(cat "$WORK/rss") KiB"
[ "$(cat "$WORK/rss")" -lt $((200 * 1024)) ] || fail "scrub took $(cat "$WORK/rss") KiB"
finish
