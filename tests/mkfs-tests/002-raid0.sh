#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The main job: a tree over two RAID0 images with mirrored metadata, for each checksum.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; tool treegen

nasty_tree "$WORK/tree" 40000
for csum in crc32c xxhash64 sha256 blake2b; do
	images 1G a b
	make_fs --csum $csum -d raid0 -m raid1 -r "$WORK/tree" "$WORK/a" "$WORK/b"
	writable=
	[ $csum = sha256 ] || writable=-w
	JUDGE_LABEL=$csum judge $writable -s "$WORK/tree" "$WORK/a" "$WORK/b"
	scrub_status 0 "$WORK/a" "$WORK/b"
	say "$csum"
done

# the data does lie on both devices, in turns of 64 KiB
attach ro "$WORK/a" "$WORK/b"
read_map
read -r _ addr _ < <(awk '$1 == "data" && $3 >= 1048576' "$WORK/extents" | head -n 1)
[ "$(places "$addr" | cut -d' ' -f1)" != "$(places $((addr + 65536)) | cut -d' ' -f1)" ] ||
	fail "neighbouring stripe elements on one device"
finish
