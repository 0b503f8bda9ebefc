#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Progress lines: never backwards, never more than there is, and complete at the end.
. "$(dirname "$0")/../common.sh"
need_program; tool treegen

mkdir "$WORK/tree" && treegen many "$WORK/tree/many" 3000 && treegen noise "$WORK/tree/noise" 30000000
truncate -s 50G "$WORK/tree/sparse" && treegen noise "$WORK/piece" 1000001 &&
	dd if="$WORK/piece" of="$WORK/tree/sparse" bs=1M seek=30000 conv=notrunc status=none
head -c 100 "$WORK/piece" >"$WORK/tree/inline"
ln "$WORK/tree/noise" "$WORK/tree/second-name"
images 400M a b

# check_lines COMMAND: "PERCENT%" grows, and one line feed ends it all.
check_lines()
{
	tr '\r' '\n' <"$WORK/err" | grep -oE '[0-9]+%' | tr -d % >"$WORK/percent"
	[ -s "$WORK/percent" ] || fail "$1 shows no progress"
	sort -n -c "$WORK/percent" || fail "$1: progress goes back"
	[ "$(tail -n 1 "$WORK/percent")" = 100 ] || fail "$1 ends at $(tail -n 1 "$WORK/percent") %"
	[ "$(wc -l <"$WORK/err")" = 1 ] || fail "$1: $(wc -l <"$WORK/err") lines"
}

# slowly, so that there is something to see on the way
expect 0 bo mkfs --progress always --device-rate 5M -d raid0 -m raid1 -r "$WORK/tree" "$WORK/a" "$WORK/b"
check_lines mkfs
[ "$(wc -l <"$WORK/percent")" -ge 2 ] || fail "mkfs: only $(wc -l <"$WORK/percent") lines on the way"
tr '\r' '\n' <"$WORK/err" | sed -n 's/^ *[0-9]*%  \([^ ]*\) of \([^ ]*\)  \([0-9]*\) of \([0-9]*\) files.*/\1 \2 \3 \4/p' >"$WORK/numbers"
read -r done total entries all <<<"$(tail -n 1 "$WORK/numbers")"
[ "$done" = "$total" ] && [ "$entries" = "$all" ] || fail "mkfs ends with $done of $total, $entries of $all"
[ "$(awk '{print $2, $4}' "$WORK/numbers" | sort -u | wc -l)" = 1 ] || fail "mkfs: the total changes on the way"

# a message begins a line of its own
"$BTRFS_OFFLINE" mkfs -f --progress always --device-rate 4M -r "$WORK/tree" "$WORK/a" 2>"$WORK/err" >/dev/null &
for ((i = 0; i < 600; i++)); do
	grep -q % "$WORK/err" && break
	sleep 0.05
done
kill -INT $!
wait $!
RC=$?
[ $RC = 130 ] || fail "an interrupted run: status $RC"
grep -q '% .* left $' "$WORK/err" && grep -q '^ERROR: ' "$WORK/err" ||
	fail "the message of an interrupted run: $(tail -c 200 "$WORK/err")"

mkdir "$WORK/empty"
expect 0 bo mkfs -f --progress always -r "$WORK/empty" "$WORK/a"
check_lines 'mkfs of an empty folder'

expect 0 bo mkfs -q -f -d raid0 -m raid1 -r "$WORK/tree" "$WORK/a" "$WORK/b"
expect 0 bo scrub --progress always "$WORK/a" "$WORK/b"
[ -s "$WORK/err" ] || fail "scrub shows no progress"
expect 0 bo scrub --progress never "$WORK/a" "$WORK/b"
[ ! -s "$WORK/err" ] || fail "scrub --progress never shows some"
finish
