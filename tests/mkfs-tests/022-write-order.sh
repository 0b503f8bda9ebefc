#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The order of the last writes: all data flushed on all devices, backup superblocks, flush, primaries of the
# other devices, flush, and the primary of the first device as the very last, flushed.
. "$(dirname "$0")/../common.sh"
need_program; tool treegen
has_option mkfs --io-engine || skip "the recorder sees synchronous I/O only, and mkfs has no --io-engine sync"
tool_iofault

treegen many "$WORK/tree" 500
treegen noise "$WORK/tree/noise" 5000000
images 300M a b c
expect 0 env IOFAULT_TARGET="$WORK/" IOFAULT_LOG="$WORK/log" LD_PRELOAD="$IOFAULT" timeout $LIMIT "$BTRFS_OFFLINE" \
	mkfs -q --io-engine sync -d raid0 -m raid1 -r "$WORK/tree" "$WORK/a" "$WORK/b" "$WORK/c"
sed "s|$WORK/||" "$WORK/log" >"$WORK/order"

awk '
function wrong(what) { print "line " NR ": " what ": " $0; bad = 1 }
# dirty[d]: something written to d since its last flush
$1 == "write" && $5 == "-" { if (magic) wrong("an ordinary write behind the first magic"); dirty[$2] = 1; plain++ }
$1 == "sync" { dirty[$2] = 0 }
$1 == "write" && $5 != "-" {
	if (!magic) for (d in dirty) if (dirty[d]) wrong(d " is not flushed before the first magic")
	magic++
	if ($5 == 65536 && $2 == "a") {
		for (d in dirty) if (dirty[d]) wrong(d " is not flushed before the last primary")
		if (last) wrong("a second primary of the first device")
		last = NR
	} else if (last) wrong("a magic behind the primary of the first device")
	else if ($5 == 65536) {
		if (!primaries++) for (d in dirty) if (dirty[d]) wrong(d " is not flushed before the primaries")
	} else {
		if (primaries) wrong("a backup behind a primary")
		backups++
	}
	dirty[$2] = 1
}
END {
	for (d in dirty) if (dirty[d]) wrong(d " is not flushed at the end")
	if (!plain || backups != 3 || primaries != 2 || !last) wrong("writes: " plain " plain, " backups " backups, " primaries " primaries")
	exit bad
}' "$WORK/order" >"$WORK/verdict" || { tail -n 20 "$WORK/order" >&2; fail "$(head -n 5 "$WORK/verdict")"; }
say "$(wc -l <"$WORK/order") calls in order"
finish
