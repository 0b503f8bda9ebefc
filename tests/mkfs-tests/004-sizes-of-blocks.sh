#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Node sizes from 4 KiB to 64 KiB, and each sector size that this kernel can mount.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; tool treegen

nasty_tree "$WORK/tree"
treegen many "$WORK/tree/many" 3000
mv "$WORK/tree/links/long" "$WORK/long"	# 4095 bytes of target do not fit a node of 4 KiB

for node in 4096 8k 16384 32768 64K; do
	images 500M a b
	w=
	[ $node != 64K ] || w=-w
	make_fs -n $node -d raid0 -m raid1 -r "$WORK/tree" "$WORK/a" "$WORK/b"
	JUDGE_LABEL="nodes of $node" judge $w -s "$WORK/tree" "$WORK/a" "$WORK/b"
	scrub_status 0 "$WORK/a" "$WORK/b"
	say "nodes of $node"
done

mkdir "$WORK/long-link" && mv "$WORK/long" "$WORK/long-link/too-long"
images 500M a
expect 1 bo mkfs -n 4096 -r "$WORK/long-link" "$WORK/a"
expect_message too-long
expect_no_magic "$WORK/a"
make_fs -n 8192 -r "$WORK/long-link" "$WORK/a"
judge -s "$WORK/long-link" "$WORK/a"

images 500M a
for node in 2048 5000 12288 131072; do
	expect 1 bo mkfs -n $node "$WORK/a"
	expect_message node
	expect_no_magic "$WORK/a"
done
expect 1 bo mkfs -s 16384 -n 4096 "$WORK/a"

mountable=$(cat /sys/fs/btrfs/features/supported_sectorsizes 2>/dev/null || echo 4096)
for sector in 8192 16384 65536; do
	case " $mountable " in
	*" $sector "*)
		images 500M a
		make_fs -s $sector -n 65536 -r "$WORK/tree" "$WORK/a"
		JUDGE_LABEL="sectors of $sector" judge -s "$WORK/tree" "$WORK/a"
		scrub_status 0 "$WORK/a" ;;
	*)
		# what needs no kernel can be tried all the same
		images 500M a
		run bo mkfs -q -f -s $sector -n 65536 -r "$WORK/tree" "$WORK/a"
		[ $RC = 0 ] || { show_output; fail "sectors of $sector"; }
		expect 0 btrfs check --readonly --check-data-csum "$WORK/a"
		scrub_status 0 "$WORK/a"
		skip_part "mount of sectors of $sector: this kernel has $mountable" ;;
	esac
done
finish
