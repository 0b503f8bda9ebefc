#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Targets that must not be written to: the reason is said, the target keeps every byte.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need mkfs.btrfs mkfs.ext4 mkswap; tool treegen

mkdir "$WORK/tree" && echo content >"$WORK/tree/file"

# all targets lie in one directory, so that one list shows a change in any
mkdir "$WORK/targets"
T=$WORK/targets
images() {
	local n
	for n in "${@:2}"; do rm -f "$T/$n"; truncate -s "$1" "$T/$n"; done
}

refused() {	# REGEX OPTIONS...: no target changes
	treelist -f sd "$T" >"$WORK/before"
	expect 1 bo mkfs -q -r "$WORK/tree" "${@:2}"
	expect_message "$1"
	treelist -f sd "$T" | cmp -s "$WORK/before" - || fail "refused, but written to: ${*:2}"
	say "$(basename -a -- "${@:2}" | tr '\n' ' '): $1"
}

# a mounted device, each of two; also by force; also the file behind it
images 150M m1 m2 free
mkfs.btrfs -q -d raid0 -m raid1 "$T/m1" "$T/m2" >/dev/null || fail "mkfs.btrfs"
attach rw "$T/m1" "$T/m2"
mount_loops ro || fail "no mount"
for l in "${LOOPS[@]}"; do
	refused 'mounted|busy|in use' -f "$l"
	refused 'mounted|busy|in use' "$l"
done
refused 'loop|mounted|busy|in use' -f "$T/m2"
refused 'loop|mounted|busy|in use' -f "$T/free" "$T/m1"
expect_no_magic "$T/free"
unmount
detach

# swap
images 150M s
mkswap "$T/s" >/dev/null 2>&1
attach rw "$T/s"
echo "${LOOPS[0]}" >"$WORK/swap-on"
if swapon "${LOOPS[0]}" 2>/dev/null; then
	refused 'swap|busy|in use' -f "${LOOPS[0]}"
	swapoff "${LOOPS[0]}" || fail "cannot end the swap"
else
	skip_part "swap: this machine allows no swap on a loop device"
fi
rm "$WORK/swap-on"
detach

# read-only device
images 150M r
attach ro "$T/r"
refused 'read-only|permission|permitted' "${LOOPS[0]}"
detach

# something is on it
images 150M btrfs ext4 dos
mkfs.btrfs -q "$T/btrfs" && mkfs.ext4 -q -F "$T/ext4"
printf '\x80\x00\x02\x00\x83\x00\x10\x00\x00\x08\x00\x00\x00\x10\x00\x00' |
	dd of="$T/dos" bs=1 seek=446 conv=notrunc status=none
printf '\x55\xaa' | dd of="$T/dos" bs=1 seek=510 conv=notrunc status=none
blkid -p "$T/dos" | grep -q PTTYPE || fail "the partition table of this test is none"
refused btrfs "$T/btrfs"
refused ext4 "$T/ext4"
refused 'dos|partition' "$T/dos"
refused ext4 "$T/free" "$T/ext4"

# no size for a filesystem
refused '-b 1024 is too small.*4194304' -b 1K "$T/new"
refused '-b 4194303 is too small' -b 4194303 "$T/free"
expect 1 bo mkfs -q -b 33554431 "$T/free"
expect_message '-b 33554431 is too small: .* 33554432'
[ ! -e "$T/new" ] || fail "a refused image file was made"

# the same target twice
images 150M twice other
ln "$T/twice" "$T/twice-link" && ln -s twice "$T/twice-symlink"
for again in twice twice-link twice-symlink; do
	refused 'twice|same|duplicate|more than once' "$T/twice" "$T/other" "$T/$again"
done
attach rw "$T/other" && ln -s "${LOOPS[0]}" "$WORK/loop-link"
refused 'twice|same|duplicate|more than once' "${LOOPS[0]}" "$WORK/loop-link"
detach

# too small: at all, and for the tree; needed and available size are said
images 3M tiny
refused 'small|size|least' "$T/tiny"
treegen noise "$WORK/tree/big" 200000000
images 120M small
expect 1 bo mkfs -q -r "$WORK/tree" "$T/small"
expect_message '1[12][0-9](\.[0-9]+)? ?Mi?B|12582[0-9]{4}' '(19|2[0-9])[0-9](\.[0-9]+)? ?Mi?B|2[0-9]{8}'
expect_no_magic "$T/small"
[ "$(stat -c %s "$T/small")" = 125829120 ] || fail "the image has grown"
expect 1 bo mkfs -q -b 120M -r "$WORK/tree" "$T/made-too-small"
[ ! -e "$T/made-too-small" ] || fail "a failed run left a new image"
rm "$WORK/tree/big"

# the size asked for is more than there is
images 150M b
refused 'targets/b.*(150|1572864)' -b 10G "$T/b"

# what is no target
mkfifo "$T/fifo"
for target in "$T/fifo" "$WORK/tree" /dev/null /dev/zero; do
	LIMIT=20 expect 1 bo mkfs -q -f "$target"
	expect_message 'regular|block'
done
expect 1 bo mkfs -q "$T/missing"
expect_message missing
[ ! -e "$T/missing" ] || fail "a missing target was made without a size"
expect 1 bo mkfs -q
expect 1 bo mkfs -q -r "$WORK/no-such-tree" "$T/b"
expect_message no-such-tree
expect_no_magic "$T/b"
expect 1 bo mkfs -q -r "$WORK/tree/file" "$T/b"
expect_no_magic "$T/b"

# the target is part of the tree: refused or left out with a word, never copied into itself
images 150M inside
mv "$T/inside" "$WORK/tree/inside"
run bo mkfs -q -r "$WORK/tree" "$WORK/tree/inside"
expect_message inside
if [ $RC = 0 ]; then
	attach ro "$WORK/tree/inside" && mount_loops ro || fail "no mount"
	[ ! -s "$MNT/inside" ] || fail "the image is inside itself"
	[ "$(cat "$MNT/file")" = content ] || fail "the tree is not there"
	unmount
	detach
else
	[ $RC = 1 ] || fail "status $RC"
	expect_no_magic "$WORK/tree/inside"
fi
finish
