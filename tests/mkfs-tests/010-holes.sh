#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Holes and preallocated space stay without data, and a huge sparse file costs nothing.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; tool treegen

mkdir "$WORK/tree"
cd "$WORK/tree" || exit 1
truncate -s 1T huge && printf x | dd of=huge bs=1 seek=549755813888 conv=notrunc status=none
fallocate -l 20M preallocated
fallocate -l 50M preallocated-short && truncate -s 30000001 preallocated-short
printf data >beyond-end && fallocate -n -l 10M beyond-end && printf more | dd of=beyond-end bs=4 conv=notrunc status=none
truncate -s 50M hole-only
for at in 0 1 7 100 3000; do
	head -c 4096 /dev/urandom | dd of=pieces bs=4096 seek=$at conv=notrunc status=none
done
head -c 9000 /dev/urandom >hole-at-end && truncate -s 1000001 hole-at-end
truncate -s 3000 small-hole && printf end >>small-hole
head -c 300000 /dev/urandom >dense
sync -f .
cd / || exit 1

images 300M a b
LIMIT=60 make_fs -d raid0 -m raid1 -r "$WORK/tree" "$WORK/a" "$WORK/b"
judge -s "$WORK/tree" "$WORK/a" "$WORK/b"
# the map of holes is that of the source (tiny files are stored in their inode, and have none)
rm "$WORK/tree/small-hole"
attach ro "$WORK/a" "$WORK/b" && mount_loops ro || fail "no mount"
treelist -f h "$WORK/tree" >"$WORK/want"
treelist -f h "$MNT" | grep -v small-hole >"$WORK/got"
cmp -s "$WORK/want" "$WORK/got" || { diff "$WORK/want" "$WORK/got" >&2; fail "other holes"; }
used=$(cd "$MNT" && du -ck huge hole-only pieces hole-at-end dense | tail -n 1 | cut -f1)
[ "$used" -lt 1000 ] || fail "the holes take space: $used KiB"
unmount
detach
scrub_status 0 "$WORK/a" "$WORK/b"
for i in a b; do
	[ "$(du -k "$WORK/$i" | cut -f1)" -lt 60000 ] || fail "image $i takes $(du -k "$WORK/$i" | cut -f1) KiB of disk"
done

# old style: each hole is an item
images 300M a
make_fs -O ^no-holes -r "$WORK/tree" "$WORK/a"
judge -w -s "$WORK/tree" "$WORK/a"
finish
