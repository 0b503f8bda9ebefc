#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The judge of the other tests is able to say no: each difference and each damage makes it fail.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need mkfs.btrfs; tool treegen blockedit

nasty_tree "$WORK/tree" 2000
images 600M a b
mkfs.btrfs -q -d raid0 -m raid1 "$WORK/a" "$WORK/b" >/dev/null 2>&1 || fail "mkfs.btrfs"
attach rw "$WORK/a" "$WORK/b"
mount_loops rw || fail "no mount"
cp -a --sparse=always "$WORK/tree/." "$MNT" && touch -r "$WORK/tree" "$MNT"
unmount
detach

rejects() {	# WHAT WORD OPTIONS IMAGE...
	( judge "${@:3}" ) >"$WORK/said" 2>&1 && fail "the judge accepts $1"
	grep -q "$2" "$WORK/said" || { cat "$WORK/said" >&2; fail "$1: rejected for another reason"; }
	! mountpoint -q "$MNT" || umount "$MNT"
	detach
	say "$1"
}

judge -s "$WORK/tree" "$WORK/a" "$WORK/b"

T=$WORK/tree
differs() {	# WHAT COMMAND: done to a copy of the tree
	rm -rf "$WORK/other"
	cp -a "$T" "$WORK/other"
	(cd "$WORK/other" && eval "$2") || fail "$2"
	touch -r "$T" "$WORK/other"
	touch -r "$T/deep" "$WORK/other/deep"; touch -r "$T/dir" "$WORK/other/dir"; touch -r "$T/links" "$WORK/other/links"
	rejects "$1" differs -s "$WORK/other" "$WORK/a" "$WORK/b"
}
differs "another mode" 'chmod 0645 text'
differs "another owner" 'chown 7 noise'
differs "another time, by a nanosecond" 'touch -d "2400-02-29 12:00:00.123456788 UTC" tail-hole'
differs "another byte" 'printf X | dd of=noise bs=1 seek=1000000 conv=notrunc status=none; touch -r "$T/noise" noise'
differs "a byte in a hole" 'printf X | dd of=sparse bs=1 seek=1000000 conv=notrunc status=none; touch -r "$T/sparse" sparse'
differs "another size" 'truncate -s 100002 tail-hole; touch -r "$T/tail-hole" tail-hole'
differs "a link that is a copy" 'cp -a links/a5 links/x && mv links/x links/a5'
differs "another attribute" 'setfattr -n user.one -v valuE text'
differs "another link target" 'ln -sfn ../texT links/symlink && touch -hr "$T/links/symlink" links/symlink'
differs "another device number" 'rm links/null && mknod -m 644 links/null c 1 5 && touch -r "$T/links/null" links/null'
differs "a missing file" 'rm deep/er/still/file'
differs "an empty directory" 'mkdir deep/x'
differs "an attribute of the top" 'setfattr -n user.top -v 1 .'

# damage: data, a copy of a tree block
attach ro "$WORK/a" "$WORK/b"
read_map
detach
names=("$WORK/a" "$WORK/b")
for kind in data tree; do
	read -r _ logical _ < <(grep "^$kind" "$WORK/extents" | tail -n 1)
	read -r image physical < <(places "$logical" | tail -n 1)
	flip "${names[$image]}" "$physical"
	rejects "a damaged $kind block" 'FAIL' "$WORK/a" "$WORK/b"
	flip "${names[$image]}" "$physical"
done
judge -s "$WORK/tree" "$WORK/a" "$WORK/b"
finish
