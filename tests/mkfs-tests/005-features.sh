#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Each feature on and off; unknown ones are refused by name.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; tool treegen

nasty_tree "$WORK/tree"

super_has() {	# IMAGE WORD: what btrfs-progs reads in the superblock
	btrfs inspect-internal dump-super -f "$1" | grep -qw "$2"
}

try() {	# OPTION ARGUMENT
	images 500M a
	make_fs "$1" "$2" -r "$WORK/tree" "$WORK/a"
	JUDGE_LABEL="$2" judge $3 -s "$WORK/tree" "$WORK/a"
	scrub_status 0 "$WORK/a"
	say "$2"
}

try -O ^no-holes -w
! super_has "$WORK/a" NO_HOLES || fail "NO_HOLES is set"
try -O ^block-group-tree -w
! super_has "$WORK/a" BLOCK_GROUP_TREE || fail "BLOCK_GROUP_TREE is set"
try -O block-group-tree -w
super_has "$WORK/a" BLOCK_GROUP_TREE || fail "BLOCK_GROUP_TREE is not set"
try -O ^block-group-tree,^free-space-tree -w
! super_has "$WORK/a" FREE_SPACE_TREE || fail "FREE_SPACE_TREE is set"
try -O ^skinny-metadata -w
! super_has "$WORK/a" SKINNY_METADATA || fail "SKINNY_METADATA is set"
try -O ^no-holes,^block-group-tree,^skinny-metadata ""

# one directory of many long names of one inode cannot do without extended references
mkdir "$WORK/plain" && echo x >"$WORK/plain/file"
images 500M a
make_fs -O ^extref -r "$WORK/plain" "$WORK/a"
! super_has "$WORK/a" EXTENDED_IREF || fail "EXTENDED_IREF is set"
judge -s "$WORK/plain" "$WORK/a"

for word in nonsense ^nonsense no-holes,nonsense; do
	images 500M a
	expect 1 bo mkfs -O $word "$WORK/a"
	expect_message nonsense
	expect_no_magic "$WORK/a"
done
# the list that mkfs.btrfs prints
expect 0 bo mkfs -O list-all
for word in mixed-bg extref raid56 skinny-metadata no-holes zoned free-space-tree block-group-tree quota; do
	cat "$WORK/out" "$WORK/err" | grep -q -e "$word" || fail "list-all does not name $word"
done
finish
