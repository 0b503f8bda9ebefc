#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Names: any byte, full length, equal hashes up to what one item holds.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; tool treegen

mkdir "$WORK/tree"
treegen names "$WORK/tree/names"
treegen collide "$WORK/tree/equal-hash" 57
images 300M a
make_fs -r "$WORK/tree" "$WORK/a"
judge -w -s "$WORK/tree" "$WORK/a"
scrub_status 0 "$WORK/a"
[ "$(btrfs inspect-internal dump-tree -t fs "$WORK/a" | grep -ac 'key ([0-9]* DIR_ITEM 3')" -gt 0 ] || fail "no DIR_ITEM"

# one more does not fit a leaf of 16 KiB: refused before the target can be mounted
mkdir "$WORK/tree58"
treegen collide "$WORK/tree58/equal-hash" 58
images 300M b
expect 1 bo mkfs -r "$WORK/tree58" "$WORK/b"
expect_message equal-hash '57|[0-9]{5}|limit|too (many|large|big)|fit'
expect_no_magic "$WORK/b"
# but one of 64 KiB
make_fs -f -n 64k -r "$WORK/tree58" "$WORK/b"
judge -s "$WORK/tree58" "$WORK/b"

# listings never send raw control bytes to a terminal
run bo inspect tree -t fs "$WORK/a"
[ $RC = 0 ] || skip_part "inspect tree: status $RC"
! grep -aq $'[\x01-\x08\x0b-\x1f\x7f]' "$WORK/out" || fail "inspect tree prints control bytes"
finish
