#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Started as mkfs.btrfs it is mkfs: same letters, same words.
. "$(dirname "$0")/../common.sh"
need_program; need blkid

mkdir "$WORK/tree" && echo content >"$WORK/tree/file"
for name in mkfs.btrfs mkfs.btrfs-offline; do
	ln -sf "$BTRFS_OFFLINE" "$WORK/bin/$name"
	images 300M a
	expect 0 "$WORK/bin/$name" -q -L "by $name" -d single -m dup --rootdir "$WORK/tree" "$WORK/a"
	[ "$(blkid -p -o value -s LABEL "$WORK/a")" = "by $name" ] || fail "$name: no such label"
	scrub_status 0 "$WORK/a"
	expect 1 "$WORK/bin/$name" "$WORK/a"		# without force
	expect 0 "$WORK/bin/$name" -q -f "$WORK/a"
	expect 0 "$WORK/bin/$name" --version
	say "$name"
done

# the words as mkfs.btrfs takes them
images 400M a b
expect 0 bo mkfs --quiet --label words --data raid0 --metadata raid1 --nodesize 16k --sectorsize 4k --csum xxhash \
	--features no-holes,block-group-tree --byte-count 350M --nodiscard --force --rootdir "$WORK/tree" "$WORK/a" "$WORK/b"
scrub_status 0 "$WORK/a" "$WORK/b"
images 400M a b
expect 0 bo mkfs -q -m RAID1 -d RAID0 --checksum blake2 "$WORK/a" "$WORK/b"
scrub_status 0 "$WORK/a" "$WORK/b"
finish
