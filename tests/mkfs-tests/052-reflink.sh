#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --reflink: image files share the blocks of the tree on hosts that can do so; the image is the same to the byte.
. "$(dirname "$0")/../common.sh"
need_program; need jq filefrag; tool treegen; need_judge
export SOURCE_DATE_EPOCH=20000000000

HOST=$WORK/host
mkdir "$HOST"
cloned() { jq -e .reflinked_bytes "$WORK/out"; }

# The same options with and without; how much is to be shared, at least
same() {	# MINIMUM NAMES OPTIONS...
	local plain=() linked=() n
	for n in $2; do
		plain+=("$HOST/plain-$n")
		linked+=("$HOST/linked-$n")
	done
	rm -f "$HOST"/plain-* "$HOST"/linked-*
	make_fs --seed s -r "$HOST/tree" "${@:3}" "${plain[@]}"
	expect 0 bo mkfs --format json --reflink=always --seed s -r "$HOST/tree" "${@:3}" "${linked[@]}"
	bytes=$(cloned)
	[ "$bytes" -ge "$1" ] || fail "${*:3}: only $bytes bytes were shared"
	for n in $2; do
		cmp "$HOST/plain-$n" "$HOST/linked-$n" || fail "${*:3}: $n is another image than without --reflink"
	done
	scrub_status 0 "${linked[@]}"
	say "${*:3}: $bytes bytes shared"
}

all_of_it() {
	same 20000000 a
	same 40000000 a -d dup --offset 0 --length 0
	same 20000000 "a b" -d raid0 -m raid1
	same 40000000 "a b c" -d raid1c3
	same 20000000 "a b c d" -d raid5 -m raid1
	same 20000000 a -s 64K
	same 1000000 a --dedupe=block
	same 20000000 a --verify --csum sha256 --shrink -b 300M
	# the blocks are shared, and what happens to the tree later is no matter of the image
	filefrag -v "$HOST/linked-a" | grep -q shared || fail "no extent of the image is shared"
	judge -s "$HOST/tree" "$HOST/linked-a"
	cp --reflink=never "$HOST/linked-a" "$HOST/kept"
	dd if=/dev/zero of="$HOST/tree/large" bs=1M count=5 conv=notrunc status=none
	sync -f "$HOST"
	cmp "$HOST/linked-a" "$HOST/kept" || fail "a change in the tree changes the image"
}

on_host() {	# TYPE
	images 2G "disk-$1"
	mkfs."$1" -q "$WORK/disk-$1" >"$WORK/mkfs.out" 2>&1 || fail "mkfs.$1: $(cat "$WORK/mkfs.out")"
	mount -o loop "$WORK/disk-$1" "$HOST" || { skip_part "reflink on $1: no mount"; return; }
	rm -f "$WORK/piece"
	nasty_tree "$HOST/tree" 15000 2>/dev/null	# not every host takes names and numbers of that size
	treegen noise "$HOST/tree/large" 9294124
	treegen noise "$HOST/tree/294124" 294124
	sync -f "$HOST"
	sleep 0.3
	all_of_it
	# a file of another file system below the tree: auto copies it and says so, always refuses
	mkdir "$HOST/tree/foreign"
	mount -t tmpfs none "$HOST/tree/foreign"
	treegen noise "$HOST/tree/foreign/file" 100000
	sleep 0.3
	rm -f "$HOST/x"
	expect 0 bo mkfs --reflink -r "$HOST/tree" "$HOST/x"
	expect_message 'WARNING: --reflink: not all .*cross-device'
	scrub_status 0 "$HOST/x"
	rm "$HOST/x"
	expect 1 bo mkfs --reflink=always -r "$HOST/tree" "$HOST/x"
	expect_message "$HOST/x: blocks of the source tree cannot be shared.*cross-device"
	[ ! -e "$HOST/x" ] || fail "a failed run left an image"
	umount "$HOST/tree/foreign"
	# written a moment ago: copied, and right
	for i in 1 2 3 4 5; do
		rm -rf "$HOST/fresh" "$HOST/x"
		mkdir "$HOST/fresh"
		treegen noise "$HOST/fresh/now" 100000
		make_fs --reflink=always -r "$HOST/fresh" "$HOST/x"
		scrub_status 0 "$HOST/x"
	done
	# more small files than a process may have open
	rm -rf "$HOST/fresh" "$HOST/x"
	mkdir "$HOST/fresh"
	for i in $(seq 1500); do head -c 5000 "$HOST/tree/large" >"$HOST/fresh/$i"; done
	sync -f "$HOST"
	sleep 0.3
	(ulimit -n 200 && make_fs --reflink=always -r "$HOST/fresh" "$HOST/x") || exit 1
	scrub_status 0 "$HOST/x"
	umount "$HOST"
}
for type in xfs btrfs; do
	command -v mkfs.$type >/dev/null || { skip_part "reflink on $type: no mkfs.$type"; continue; }
	on_host $type
done

# where nothing can be shared, all is copied
mount -t tmpfs none "$HOST"
rm -f "$WORK/piece"
nasty_tree "$HOST/tree" 2000
sleep 0.2
expect 0 bo mkfs --format json --reflink -r "$HOST/tree" "$HOST/x"
expect_message 'WARNING: --reflink: not all blocks .*not supported'
[ "$(jq .reflinked_bytes "$WORK/out")" = 0 ] || fail "tmpfs shares blocks?"
scrub_status 0 "$HOST/x"
umount "$HOST"

# wrong use
mkdir "$WORK/tree" && echo x >"$WORK/tree/x"
images 100M a
refused() {	# MESSAGE OPTIONS...
	expect 1 bo mkfs "${@:2}"
	expect_message "$1"
}
refused 'needs --rootdir' --reflink "$WORK/a"
refused 'do not go together' --reflink --compress zstd -r "$WORK/tree" "$WORK/a"
refused 'reflink.*always' --reflink=some -r "$WORK/tree" "$WORK/a"
attach rw "$WORK/a"
refused "${LOOPS[0]} is a block device" --reflink -f -r "$WORK/tree" "${LOOPS[0]}"
detach
make_fs --reflink=never --compress zstd -r "$WORK/tree" "$WORK/a"
finish
