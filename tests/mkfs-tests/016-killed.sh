#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Killed at 50 moments: a valid magic is nowhere, or all but the superblocks is as in the finished image.
# (The last step writes superblocks one after the other; only within it may one of them be there already.)
. "$(dirname "$0")/../common.sh"
need_program; need timeout cmp; tool treegen

export SOURCE_DATE_EPOCH=1700000000
treegen many "$WORK/tree" 4000
treegen noise "$WORK/tree/noise" 150000000
options=(-q --seed kill -U 6d6b6673-0016-4001-8001-000000000016 -d raid0 -m raid1 -r "$WORK/tree")

images 600M want1 want2 a b
start=$(date +%s%N)
expect 0 bo mkfs "${options[@]}" "$WORK/want1" "$WORK/want2"
took=$((($(date +%s%N) - start) / 1000000))
say "a whole run takes $took ms"

finished_but_supers() {
	local i
	for i in 1:a 2:b; do
		cmp -s -n 65536 "$WORK/want${i%:*}" "$WORK/${i#*:}" &&
			cmp -s -i 69632 -n $((67108864 - 69632)) "$WORK/want${i%:*}" "$WORK/${i#*:}" &&
			cmp -s -i $((67108864 + 4096)) "$WORK/want${i%:*}" "$WORK/${i#*:}" || return 1
	done
}

RANDOM=16
done_early=0 in_commit=0
for n in $(seq 50); do
	signal=KILL
	[ $((n % 3)) != 1 ] || signal=INT
	[ $((n % 3)) != 2 ] || signal=TERM
	ms=$((RANDOM * 32768 + RANDOM))
	ms=$((ms % (took + 1)))
	[ $((n % 10)) != 0 ] || images 600M a b
	timeout --preserve-status -s $signal $((ms / 1000)).$(printf %03d $((ms % 1000))) \
		"$BTRFS_OFFLINE" mkfs "${options[@]}" "$WORK/a" "$WORK/b" >"$WORK/out" 2>"$WORK/err" </dev/null
	RC=$?
	magic="$(magic_at "$WORK/a")$(magic_at "$WORK/b")"
	case $signal:$RC in
	*:0)
		done_early=$((done_early + 1))
		cmp -s "$WORK/want1" "$WORK/a" && cmp -s "$WORK/want2" "$WORK/b" || fail "$ms ms: success, but other bytes"
		images 600M a b ;;
	KILL:137)
		if [ -n "$magic" ]; then
			finished_but_supers || fail "killed after $ms ms: magic at $magic of an unfinished image"
			in_commit=$((in_commit + 1))
			images 600M a b
		fi ;;
	INT:130 | TERM:143)
		[ -z "$magic" ] || fail "SIG$signal after $ms ms: magic at $magic" ;;
	INT:124 | TERM:124) fail "SIG$signal after $ms ms is ignored" ;;
	*)
		show_output
		fail "SIG$signal after $ms ms ended with $RC" ;;
	esac
done
say "50 kills: $done_early came too late, $in_commit during the commit"
[ $done_early -lt 25 ] || fail "most runs were over before the signal: nothing was shown"

# what is left needs no force, does not look like a file system, and the same bytes come out
images 600M a b
timeout -s KILL $((took / 2000)).$(printf %03d $((took / 2 % 1000))) "$BTRFS_OFFLINE" mkfs "${options[@]}" \
	"$WORK/a" "$WORK/b" >/dev/null 2>&1
[ -z "$(blkid -p "$WORK/a"; blkid -p "$WORK/b")" ] || fail "blkid finds $(blkid -p "$WORK/a" "$WORK/b")"
expect 1 bo scrub "$WORK/a" "$WORK/b"
expect 0 bo mkfs "${options[@]}" "$WORK/a" "$WORK/b"
cmp -s "$WORK/want1" "$WORK/a" && cmp -s "$WORK/want2" "$WORK/b" || fail "a second run gives other bytes"

# a good file system was there before
timeout -s KILL $((took / 2000)).$(printf %03d $((took / 2 % 1000))) "$BTRFS_OFFLINE" mkfs -f "${options[@]}" \
	"$WORK/a" "$WORK/b" >/dev/null 2>&1
if ! cmp -s "$WORK/want1" "$WORK/a"; then expect_no_magic "$WORK/a" "$WORK/b"; fi

# new images get their names at the end; an interrupted run leaves no other name either
mkdir "$WORK/new"
timeout -s TERM $((took / 2000)).$(printf %03d $((took / 2 % 1000))) "$BTRFS_OFFLINE" mkfs -b 600M "${options[@]}" \
	"$WORK/new/a" "$WORK/new/b" >/dev/null 2>&1
[ -z "$(ls -A "$WORK/new")" ] || fail "an interrupted run left $(ls -A "$WORK/new")"
finish
