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
try -O ^no-holes,^free-space-tree -w

# without this one nothing is written: said, or done
images 500M a
run bo mkfs -q -O ^skinny-metadata -r "$WORK/tree" "$WORK/a"
if [ $RC = 0 ]; then
	! super_has "$WORK/a" SKINNY_METADATA || fail "SKINNY_METADATA is set"
	judge -w -s "$WORK/tree" "$WORK/a"
else
	expect_message skinny-metadata
	expect_no_magic "$WORK/a"
fi
# asked for by name, it cannot do without what it needs
expect 1 bo mkfs -O block-group-tree,^free-space-tree "$WORK/a"
expect_message block-group-tree free-space-tree

# known, but not written yet: refused by name, never ignored
for word in zoned quota squota raid-stripe-tree extent-tree-v2; do
	images 500M a
	run bo mkfs -q -O $word "$WORK/a"
	[ $RC = 0 ] && judge "$WORK/a" && continue
	[ $RC = 1 ] || { show_output; fail "$word: $RC"; }
	expect_message $word
	expect_no_magic "$WORK/a"
done

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
