#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Equal files, and equal sectors, are stored once; whoever reads or counts references finds nothing to say.
# timeout: 400
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need jq; tool treegen

nasty_tree "$WORK/tree" 3000
mkdir "$WORK/tree/equal"
treegen noise "$WORK/tree/equal/big" 7000001
cp "$WORK/tree/equal/big" "$WORK/tree/equal/again"
{ cat "$WORK/tree/equal/big"; echo end; } >"$WORK/tree/equal/longer"
{ head -c 8192 "$WORK/tree/equal/big"; cat "$WORK/tree/equal/big"; } >"$WORK/tree/equal/shifted"
head -c 5000 "$WORK/tree/equal/big" >"$WORK/tree/equal/popular"
for i in $(seq 4500); do printf 'popular-%d\0' "$i"; done |
	(cd "$WORK/tree/equal" && xargs -0 -n 500 sh -c 'for f; do cp popular "$f"; done' sh)
head -c 3000000 /dev/zero >"$WORK/tree/equal/zeros"
yes 'the same line' | head -c 2000000 >"$WORK/tree/equal/lines"
truncate -s 20M "$WORK/tree/equal/sparse"
dd if="$WORK/tree/equal/big" of="$WORK/tree/equal/sparse" bs=4096 count=300 seek=2000 conv=notrunc status=none
dd if="$WORK/tree/equal/big" of="$WORK/tree/equal/hidden" bs=4096 skip=100 count=37 status=none

shared() { jq .shared_bytes "$WORK/out"; }
last=0
for unit in file block; do
	for options in "-n 16K" "-n 8K --csum sha256 -O ^no-holes --csum-mode overlap"; do
		images 400M a b
		expect 0 bo mkfs --format json --dedupe=$unit $options -d raid0 -m raid1 -r "$WORK/tree" "$WORK/a" "$WORK/b"
		echo "$(shared) bytes shared: $unit $options"
		[ "$(shared)" -gt $((last + 14000000)) ] || fail "--dedupe=$unit $options shares $(shared) bytes"
		judge -s "$WORK/tree" "$WORK/a" "$WORK/b"
		scrub_status 0 "$WORK/a" "$WORK/b"
	done
	last=$((last + 4000000))
done

# the kernel goes on with it: writes into shared extents, deletes, moves them
attach rw "$WORK/a" "$WORK/b"
mount_loops rw || fail "no mount"
for i in $(seq 1 2 4500); do rm "$MNT/equal/popular-$i"; done
for i in $(seq 2 20 4500); do printf x | dd of="$MNT/equal/popular-$i" bs=1 seek=4500 conv=notrunc status=none; done
printf x | dd of="$MNT/equal/again" bs=1 seek=3000000 conv=notrunc status=none
btrfs balance start -f -d "$MNT" >/dev/null 2>"$WORK/err" || fail "balance: $(cat "$WORK/err")"
cmp "$WORK/tree/equal/big" "$MNT/equal/big" && cmp "$WORK/tree/equal/shifted" "$MNT/equal/shifted" || fail "other content"
kernel_scrub
unmount
check_loops --check-data-csum
detach
scrub_status 0 "$WORK/a" "$WORK/b"

# threads, modes and the rest change nothing
export SOURCE_DATE_EPOCH=1700000000
for threads in 0 3; do
	for mode in offload overlap; do
		images 400M "t$threads$mode"
		make_fs --seed dedupe --dedupe=block --csum-threads $threads --csum-mode $mode -r "$WORK/tree" "$WORK/t$threads$mode"
		cmp "$WORK/t0offload" "$WORK/t$threads$mode" || fail "$threads threads, $mode: other bytes"
	done
done
# a table that is too small finds less, and says so
images 400M small
expect 0 bo mkfs --dedupe=block --dedupe-memory 64K -r "$WORK/tree" "$WORK/small"
grep -q 'dedupe-memory was full' "$WORK/out" || fail "a full table is not told"
scrub_status 0 "$WORK/small"
expect 1 bo mkfs --dedupe=words "$WORK/none"
expect_message 'dedupe words.*file, block'
finish
