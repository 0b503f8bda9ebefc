#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# One whole run of a program that was built with sanitizers: write a tree with
# some of everything by several threads in each checksum mode, verify it,
# damage it, verify again. A sanitizer ends the program with a status of its
# own, so each expected status is checked exactly.

set -eu

export ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=print_stacktrace=1:exitcode=99 TSAN_OPTIONS=exitcode=99

expect()	# STATUS COMMAND...
{
	local wanted=$1 status=0
	shift
	"$@" >"$TMPDIR/out" 2>&1 || status=$?
	[ $status -eq "$wanted" ] && return
	cat "$TMPDIR/out"
	echo "status $status instead of $wanted: $*"
	exit 1
}

tree=$TMPDIR/tree
mkdir -p "$tree/sub/sub" "$tree/many"
for i in $(seq 300); do
	echo "$i" >"$tree/many/file-$i"
done
head -c 9000000 /dev/urandom >"$tree/big"
head -c 70000 /dev/urandom >"$tree/sub/middle"
marker='this block will be damaged'
{ echo "$marker"; head -c 8000 /dev/zero | tr '\0' .; } >"$tree/sub/marked"
truncate -s 5M "$tree/sub/hole"
echo end >>"$tree/sub/hole"
: >"$tree/sub/sub/empty"
ln "$tree/big" "$tree/sub/link"
ln -s ../big "$tree/sub/symlink"
mkfifo "$tree/sub/fifo"
setfattr -n user.test -v value "$tree/sub" 2>/dev/null || true

a=$TMPDIR/a.img
b=$TMPDIR/b.img
for mode in inline offload overlap; do
	for csum in crc32c xxhash sha256 blake2; do
		[ $mode = offload ] || [ $csum = crc32c ] || continue
		rm -f "$a" "$b"
		truncate -s 300M "$a" "$b"
		expect 0 "$BTRFS_OFFLINE" mkfs -f -d raid0 -m raid1 --csum $csum --csum-mode $mode \
			--csum-threads 3 --csum-inline-max 4K --rootdir "$tree" "$a" "$b"
		expect 0 "$BTRFS_OFFLINE" scrub "$a" "$b"
	done
done

expect 0 "$BTRFS_OFFLINE" inspect super "$a"
expect 0 "$BTRFS_OFFLINE" inspect tree "$a" "$b"
expect 0 "$BTRFS_OFFLINE" inspect chunks "$a" "$b"

expect 1 "$BTRFS_OFFLINE" mkfs --rootdir "$tree" "$TMPDIR/no/such/folder/img"
expect 1 "$BTRFS_OFFLINE" scrub "$tree/sub/middle"

# one wrong byte in a data block, of which raid0 has one copy only
for image in "$a" "$b"; do
	offset=$(LC_ALL=C grep -obaF -m 1 "$marker" "$image" | head -n 1 | cut -d: -f1) || true
	[ -z "$offset" ] || break
done
[ -n "$offset" ] || { echo "the marked file is in no image"; exit 1; }
printf X | dd of="$image" bs=1 seek=$((offset + 100)) conv=notrunc status=none
expect 3 "$BTRFS_OFFLINE" scrub "$a" "$b"
