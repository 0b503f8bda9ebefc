#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Data that only the log tree knows: a machine that stopped behind an fsync(). It has a file, too.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need jq; tool treegen blockedit

images 300M a
mkfs.btrfs -q "$WORK/a" >/dev/null 2>&1 || fail "mkfs.btrfs"
attach rw "$WORK/a"
mount_loops rw,subvolid=5,commit=300 || fail "no mount"
treegen noise "$MNT/old" 200000
sync -f "$MNT"
treegen noise "$WORK/noise" 123456
# written and synced alone: into the log of the top level, unless a chunk had to be made for it
for i in 1 2 3 4 5; do dd if="$WORK/noise" of="$MNT/new$i" bs=1M conv=fsync status=none; done
cp --sparse=always "$WORK/a" "$WORK/b"		# what is on the disk at this moment
unmount
detach
attach ro "$WORK/b"
btrfs inspect-internal dump-super "${LOOPS[0]}" | awk '$1 == "log_root" {exit !($2 > 0)}' || fail "the copy has no log tree"
btrfs inspect-internal dump-tree "${LOOPS[0]}" 2>/dev/null |
	awk '/^log tree/ {l = 1} l && /EXTENT_DATA 0/ {e = 1} e && /disk byte/ {print $5; exit}' >"$WORK/address"
[ -s "$WORK/address" ] || fail "no extent in the log"
read_map
read -r _ physical < <(places "$(cat "$WORK/address")")
detach
scrub_status 0 "$WORK/b"
flip "$WORK/b" "$physical"
scrub_json 3 "$WORK/b"
jq -e '[.errors[] | select(.kind == "data") | .paths[] | select(.subvolume == 5 and .offset == 0)] | length == 1' \
	"$WORK/json" >/dev/null || fail "no file: $(jq -c '.errors' "$WORK/json")"
finish
