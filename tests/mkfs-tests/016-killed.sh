#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Killed at 50 moments: a valid magic is nowhere, or all but the superblocks is as in the finished image.
# (The last step writes superblocks one after the other; only within it may one of them be there already.)
. "$(dirname "$0")/../common.sh"
need_program; need flock cmp; tool treegen treelist

export SOURCE_DATE_EPOCH=1700000000
treegen many "$WORK/tree" 4000
treegen noise "$WORK/tree/noise" 150000000
options=(-q --seed kill -U 6d6b6673-0016-4001-8001-000000000016 -d raid0 -m raid1 -r "$WORK/tree")

images 600M want1 want2 a b
expect 0 bo mkfs "${options[@]}" "$WORK/a" "$WORK/b"	# (the first reads the tree from disk)
images 600M a b
start=$(date +%s%N)
expect 0 bo mkfs "${options[@]}" "$WORK/want1" "$WORK/want2"
took=$((($(date +%s%N) - start) / 1000000))
say "a whole run takes $took ms"

seconds() { echo $(($1 / 1000)).$(printf %03d $(($1 % 1000))); }	# MILLISECONDS

# Starts mkfs and sends it a signal; RC is its own status. Waits until its locks are gone as well.
stop_after() {	# SIGNAL MILLISECONDS TARGET... [OPTIONS]
	local pid
	"$BTRFS_OFFLINE" mkfs "${options[@]}" "${@:3}" >"$WORK/out" 2>"$WORK/err" </dev/null &
	pid=$!
	sleep "$(seconds "$2")"
	kill -s "$1" $pid 2>/dev/null
	wait $pid 2>/dev/null
	RC=$?
	flock -w 20 "$WORK/a" true && flock -w 20 "$WORK/b" true || fail "the targets stay locked"
}

contents() {	# IMAGE...: what is in them but zeros
	mkdir -p "$WORK/look" && rm -f "$WORK/look/"*
	ln "$1" "$WORK/look/1" && ln "$2" "$WORK/look/2"
	treelist -f sd "$WORK/look"
	rm -f "$WORK/look/"*
}
same_as_wanted() { [ "$(contents "$WORK/a" "$WORK/b")" = "$(contents "$WORK/want1" "$WORK/want2")" ]; }

finished_but_supers() {
	local i
	for i in 1:a 2:b; do
		cmp -s -n 65536 "$WORK/want${i%:*}" "$WORK/${i#*:}" &&
			cmp -s -i 69632 -n $((67108864 - 69632)) "$WORK/want${i%:*}" "$WORK/${i#*:}" &&
			cmp -s -i $((67108864 + 4096)) "$WORK/want${i%:*}" "$WORK/${i#*:}" || return 1
	done
}

RANDOM=16
hits=0 tries=0 in_commit=0
while [ $hits -lt 50 ]; do
	tries=$((tries + 1))
	[ $tries -le 200 ] || fail "$hits of $tries signals came in time"
	signals=(KILL INT TERM)
	signal=${signals[hits % 3]}
	ms=$(((RANDOM * 32768 + RANDOM) % took))
	[ $((hits % 10)) != 9 ] || images 600M a b
	stop_after $signal $ms "$WORK/a" "$WORK/b"
	magic="$(magic_at "$WORK/a")$(magic_at "$WORK/b")"
	case $signal:$RC in
	*:0)
		same_as_wanted || fail "$ms ms: success, but other bytes"
		images 600M a b
		took=$(((took + ms) / 2 + 10))	# it is faster than it was
		continue ;;
	KILL:137)
		if [ -n "$magic" ]; then
			finished_but_supers || fail "killed after $ms ms: magic at $magic of an unfinished image"
			in_commit=$((in_commit + 1))
			images 600M a b
		fi ;;
	INT:130 | TERM:143)
		[ -z "$magic" ] || fail "SIG$signal after $ms ms: magic at $magic" ;;
	*)
		show_output
		fail "SIG$signal after $ms ms ended with $RC" ;;
	esac
	hits=$((hits + 1))
done
say "$hits of $tries signals came in time, $in_commit of them during the commit"

# what is left needs no force, does not look like a file system, and the same bytes come out
images 600M a b
stop_after KILL $((took / 2)) "$WORK/a" "$WORK/b"
[ -z "$(blkid -p "$WORK/a"; blkid -p "$WORK/b")" ] || fail "blkid finds $(blkid -p "$WORK/a" "$WORK/b")"
expect 1 bo scrub "$WORK/a" "$WORK/b"
expect 0 bo mkfs "${options[@]}" "$WORK/a" "$WORK/b"
same_as_wanted || fail "a second run gives other bytes"

# a good file system was there before
stop_after KILL $((took / 2)) -f "$WORK/a" "$WORK/b"
[ $RC = 0 ] || finished_but_supers || expect_no_magic "$WORK/a" "$WORK/b"

# new images get their names at the end; an interrupted run leaves no other name either
mkdir "$WORK/new"
for signal in TERM KILL; do
	stop_after $signal $((took / 3)) -b 600M "$WORK/new/a" "$WORK/new/b"
	[ $RC = 0 ] || [ -z "$(ls -A "$WORK/new")" ] || fail "SIG$signal left $(ls -A "$WORK/new")"
	rm -f "$WORK/new/"*
done
finish
