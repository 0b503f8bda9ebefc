#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Data that ought to have checksums and has none: found, though every block is right in itself.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need jq; tool treegen blockedit

mkdir "$WORK/tree" && treegen noise "$WORK/tree/file" 3000000
images 300M a
make_fs -d single -m single -r "$WORK/tree" "$WORK/a"
attach ro "$WORK/a"
read_map
dump=$(btrfs inspect-internal dump-tree -t csum "${LOOPS[0]}")
block=$(awk '/^leaf [0-9]+ items/ {print $2; exit}' <<<"$dump")
items=$(awk '/^leaf [0-9]+ items/ {print $4; exit}' <<<"$dump")
read -r image physical < <(places "$block")
detach
[ -n "${physical:-}" ] || fail "no place of the csum leaf"

# nritems (byte 96) one less: the leaf loses its last item and stays well-formed
blockedit "$WORK/a" "$physical" 16384 96 $((items - 1)) || fail "cannot edit the leaf"
scrub_json 3 "$WORK/a"
jq -e '(.totals.csum_missing | tostring | tonumber) > 0' "$WORK/json" >/dev/null || fail "$(jq -c .totals "$WORK/json")"
jq -e '[.errors[] | select(.kind == "missing_csum")] | length > 0' "$WORK/json" >/dev/null || fail "no error of the kind missing_csum"
# the file that lacks them has a name, without a look at data too
scrub_json 3 --metadata-only "$WORK/a"
jq -e '[.errors[] | select(.kind == "missing_csum") | .paths[] | select(.complete)] | length > 0' "$WORK/json" >/dev/null ||
	fail "missing checksums of no file: $(jq -c .errors "$WORK/json")"
blockedit "$WORK/a" "$physical" 16384 96 "$items"
scrub_status 0 "$WORK/a"

# what has none on purpose (and preallocated space) is counted as the kernel counts it, not blamed
attach rw "$WORK/a"
mount_loops rw || fail "no mount"
mkdir "$MNT/nocow" && chattr +C "$MNT/nocow" && cp "$WORK/tree/file" "$MNT/nocow/" && fallocate -l 10M "$MNT/prealloc" || fail "cannot write"
unmount
detach
scrub_json 0 "$WORK/a"
jq -e '(.totals.no_csum | tostring | tonumber) == 3293' "$WORK/json" >/dev/null || fail "no_csum: $(jq -c .totals.no_csum "$WORK/json"), not 733 + 2560"

# right checksum, wrong block: each field that says whose block it is
attach ro "$WORK/a"
read_map
block=$(btrfs inspect-internal dump-tree -t csum "${LOOPS[0]}" | awk '/^leaf [0-9]+ items/ {print $2; exit}')
read -r image physical < <(places "$block")
detach
while read -r at byte what; do
	cp --sparse=always "$WORK/a" "$WORK/b"
	blockedit "$WORK/b" "$physical" 16384 "$at" "$byte" || fail "cannot edit"
	run bo scrub "$WORK/b"
	[ $RC = 3 ] || { show_output; fail "$what: status $RC"; }
	say "$what"
done <<-END
	48 ^1 another bytenr
	32 ^255 another fsid
	64 ^255 another chunk tree uuid
	80 ^1 another generation
	88 ^1 another owner
	100 3 another level
	97 255 more items than it has
	101 ^255 another first key
END
finish
