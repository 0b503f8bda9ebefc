#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --verify: what the devices hold in the end is what counts, not what they said; with a fault nothing can be mounted.
. "$(dirname "$0")/../common.sh"
need_program; need jq; tool treegen; tool_iofault

nasty_tree "$WORK/tree" 2000
images 300M a b c
expect 0 bo mkfs --verify --format json -d raid0 -m raid1 -r "$WORK/tree" "$WORK/a" "$WORK/b"
jq -e '.verified_bytes >= .data_bytes + 2 * .metadata_bytes and .verify_seconds > 0' "$WORK/out" >/dev/null ||
	fail "JSON: $(cat "$WORK/out")"
scrub_status 0 "$WORK/a" "$WORK/b"
expect 0 bo mkfs --verify --csum sha256 -d raid5 -m raid1 -f -r "$WORK/tree" "$WORK/a" "$WORK/b" "$WORK/c"
grep -q '^Verified: .* no errors' "$WORK/out" || fail "no word of it"
rm -f "$WORK/new"
expect 0 bo mkfs -q --verify -b 200M -r "$WORK/tree" "$WORK/new"
scrub_status 0 "$WORK/new"
expect 0 bo mkfs -q -f --verify "$WORK/new"

flip() {	# NUMBER TARGET OPTIONS...
	run env IOFAULT_TARGET="$WORK/" IOFAULT_FAIL=flip IOFAULT_AT="$1" LD_PRELOAD="$IOFAULT" timeout "$LIMIT" \
		"$BTRFS_OFFLINE" mkfs -q --io-engine sync "${@:3}" -r "$WORK/tree" "$2"
}
# one bit of a data block: without --verify nobody notices, with it the run fails and takes all back
images 300M a
flip 12 "$WORK/a"
[ $RC = 0 ] || fail "a silent fault is noticed without --verify: $RC"
scrub_status 3 "$WORK/a"
images 300M a
flip 12 "$WORK/a" --verify
[ $RC = 1 ] || { show_output; fail "a fault: status $RC"; }
expect_message "$WORK/a: read back" 'data' 'that is byte [0-9]+ of /[a-z]' 'no target holds a filesystem'
expect_no_magic "$WORK/a"
rm "$WORK/new"
flip 12 "$WORK/new" --verify -b 300M
[ $RC = 1 ] || { show_output; fail "a fault in a new image: status $RC"; }
[ ! -e "$WORK/new" ] || fail "a new image with a fault in it is left behind"
finish
