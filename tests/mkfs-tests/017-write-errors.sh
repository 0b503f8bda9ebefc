#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# No space, a file size limit, failing writes and flushes: status 1, the device is named, nothing mountable.
. "$(dirname "$0")/../common.sh"
need_program; tool treegen
LIMIT=60

mkdir "$WORK/tree"
treegen noise "$WORK/tree/noise" 90000000
treegen many "$WORK/tree/many" 1000

# the host's file system is full
if [ "$(id -u)" = 0 ]; then
	mkdir "$WORK/small"
	mount -t tmpfs -o size=60M none "$WORK/small" || fail "cannot mount a tmpfs"
	for target in a b; do truncate -s 600M "$WORK/small/$target"; done
	expect 1 bo mkfs -q -d raid0 -m raid1 -r "$WORK/tree" "$WORK/small/a" "$WORK/small/b"
	expect_message 'small/[ab]' 'space'
	expect_no_magic "$WORK/small/a" "$WORK/small/b"
	expect 1 bo mkfs -q -b 600M -r "$WORK/tree" "$WORK/small/new"
	[ ! -e "$WORK/small/new" ] || fail "a failed run left a new image"
	umount "$WORK/small"
else
	skip_part "full file system: needs root"
fi

# file size limit: an error, not a signal
images 600M a
( ulimit -f 81920; exec timeout $LIMIT "$BTRFS_OFFLINE" mkfs -q -r "$WORK/tree" "$WORK/a" ) \
	>"$WORK/out" 2>"$WORK/err"
RC=$?
[ $RC = 1 ] || { show_output; fail "file size limit: status $RC"; }
expect_message "$WORK/a"
expect_no_magic "$WORK/a"

# results that nobody gets
images 600M a
"$BTRFS_OFFLINE" --version >/dev/full 2>"$WORK/err" && fail "--version to a full device: status 0"
"$BTRFS_OFFLINE" mkfs --format json -r "$WORK/tree" "$WORK/a" >/dev/full 2>"$WORK/err" &&
	fail "a report to a full device: status 0"
[ -s "$WORK/err" ] || fail "a lost report is not mentioned"

# every kind of call fails once: early, in the middle, near the end
has_option mkfs --io-engine || {
	skip_part "failing calls: mkfs has no --io-engine sync"
	finish
}
tool_iofault
treegen noise "$WORK/few" 3000000
rm -rf "$WORK/tree/noise" && mv "$WORK/few" "$WORK/tree/few"
faulty() {	# VARIABLES...: into a and b
	images 300M a b
	run env IOFAULT_TARGET="$WORK/" "$@" LD_PRELOAD="$IOFAULT" timeout $LIMIT "$BTRFS_OFFLINE" mkfs -q \
		--io-engine sync -d raid0 -m raid1 -r "$WORK/tree" "$WORK/a" "$WORK/b"
}
rm -f "$WORK/log"
faulty IOFAULT_LOG="$WORK/log"
[ $RC = 0 ] || { show_output; fail "without faults: $RC"; }
writes=$(grep -c '^write' "$WORK/log") syncs=$(grep -c '^sync' "$WORK/log")
say "$writes writes, $syncs flushes"
[ "$writes" -gt 4 ] && [ "$syncs" -gt 2 ] || fail "the recorder missed the writes"

step=$(((writes + 29) / 30))
for at in $(seq 1 $step "$writes") $((writes - 2)) $((writes - 1)) "$writes"; do
	faulty IOFAULT_FAIL=write IOFAULT_AT="$at"
	[ $RC = 1 ] || { show_output; fail "write $at of $writes fails: status $RC"; }
	expect_message "$WORK/[ab]"
	expect_no_magic "$WORK/a" "$WORK/b"
done
for at in $(seq "$syncs"); do
	faulty IOFAULT_FAIL=sync IOFAULT_AT="$at"
	[ $RC = 1 ] || { show_output; fail "flush $at of $syncs fails: status $RC"; }
	expect_no_magic "$WORK/a" "$WORK/b"
done
# a short write is no error: the rest is written
for at in $(seq 1 $(((writes + 9) / 10)) "$writes"); do
	faulty IOFAULT_FAIL=short IOFAULT_AT="$at"
	if [ $RC = 0 ]; then
		scrub_status 0 "$WORK/a" "$WORK/b"
	else
		expect_no_magic "$WORK/a" "$WORK/b"
		fail "a short write ($at) ends the run: $(cat "$WORK/err")"
	fi
done
finish
