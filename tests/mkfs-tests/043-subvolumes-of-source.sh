#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --subvol auto: the source is itself on a mounted btrfs, and keeps its subvolumes, flags and default.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need mkfs.btrfs jq; tool treegen

S=$WORK/source O=$WORK/other
mkdir "$S" "$O"
images 500M s o
mkfs.btrfs -q "$WORK/s" >/dev/null && mkfs.btrfs -q "$WORK/o" >/dev/null || fail "mkfs.btrfs"
attach rw "$WORK/s" "$WORK/o"
mount "${LOOPS[0]}" "$S" && mount "${LOOPS[1]}" "$O" || fail "no mount of the source"

quiet() { "$@" >/dev/null || fail "$*"; }
quiet btrfs subvolume create "$S/@"
quiet btrfs subvolume create "$S/@/srv"
quiet btrfs subvolume create "$S/@home"
quiet btrfs subvolume create "$S/plain:colon"
treegen noise "$S/@/srv/big" 3000000
treegen many "$S/@home/many" 500
echo content >"$S/@/file" && ln "$S/@/file" "$S/@/again"
mkdir "$S/dir" && echo top >"$S/dir/file"
quiet btrfs subvolume snapshot -r "$S/@" "$S/snapshot"		# srv is an empty directory in there
quiet btrfs subvolume snapshot "$S/@home" "$S/dir/home2"
quiet btrfs subvolume set-default "$S/@"
quiet btrfs property set "$S/@/srv" ro true
sync -f "$S"

images 500M a
expect 0 bo mkfs --format json -r "$S" -u auto "$WORK/a"
jq -e '.subvolumes == 6 and .split_hard_links == 0' "$WORK/out" >/dev/null || fail "the summary: $(jq -c .subvolumes "$WORK/out")"
[ ! -s "$WORK/err" ] || fail "said $(cat "$WORK/err")"
ALL=("${LOOPS[@]}"); LOOPS=()
# (the kernel gives the empty directory snapshot/srv the time of each look at it, so no times)
judge -s "$S" -f moslxd -w "$WORK/a"
scrub_status 0 "$WORK/a"

facts() {	# DIR: path, flag of each subvolume, and the default
	btrfs subvolume list "$1" | sed 's/.* path //' | sort | while read -r p; do
		echo "$p $(btrfs property get "$1/$p" ro)"
	done
	btrfs subvolume get-default "$1" | sed 's/.* path //'
}
mount_image() {	# IMAGE
	attach ro "$1"
	mount_loops ro,subvolid=5 || fail "no mount of $1"
}
expect_facts() {	# WHAT
	cmp -s "$WORK/want" "$WORK/got" || fail "$1: $(diff "$WORK/want" "$WORK/got")"
	unmount
	losetup -d "${LOOPS[@]}"
	LOOPS=()
}
facts "$S" >"$WORK/want"
mount_image "$WORK/a"
facts "$MNT" >"$WORK/got"
[ "$(stat -c %i "$MNT/snapshot/srv")" != 256 ] || fail "an empty directory became a subvolume"
expect_facts 'subvolumes of the source'

# what an option says goes before what the source says
images 500M b
make_fs -r "$S" -u auto: -u ro:dir -u rw:snapshot -u default:@home "$WORK/b"
sed -e 's/^snapshot ro=true/snapshot ro=false/' -e '$s/.*/@home/' "$WORK/want" | (cat; echo 'dir ro=true'; echo 'dir/home2 ro=false') |
	sort -u >"$WORK/want2"
mount_image "$WORK/b"
facts "$MNT" | sort -u >"$WORK/got"
mv "$WORK/want" "$WORK/keep" && mv "$WORK/want2" "$WORK/want"
expect_facts 'options and the source'
mv "$WORK/keep" "$WORK/want"
rm "$WORK/b"

# a part of it: the default is the top of that, or elsewhere
images 500M b
expect 0 bo mkfs -q -r "$S/@" -u auto "$WORK/b"
[ ! -s "$WORK/err" ] || fail "said $(cat "$WORK/err")"
expect 0 bo inspect tree -t root "$WORK/b"
grep -A1 'ROOT_TREE_DIR DIR_ITEM' "$WORK/out" | grep -q 'location key (FS_TREE ROOT_ITEM ' || fail "the default of @"
images 500M b
expect 0 bo mkfs --format json -r "$S/@home" -u auto "$WORK/b"
expect_message 'default.*not in this tree'
jq -e '.subvolumes == 0 and .default_subvolume == 5' "$WORK/out" >/dev/null || fail "@home: $(jq -c .default_subvolume "$WORK/out")"

# another btrfs that is mounted in the source is no subvolume of it; one of its own that is mounted is
echo foreign >"$O/file"
mkdir "$S/mnt" "$S/own"
mount --bind "$O" "$S/mnt" && mount --bind "$S/@home" "$S/own" || fail "no bind mount"
images 500M b
expect 0 bo mkfs --format json -r "$S" -u auto "$WORK/b"
jq -e '.subvolumes == 7' "$WORK/out" >/dev/null || fail "with mounts: $(jq -c .subvolumes "$WORK/out") subvolumes"
judge -s "$S" -f mosxd "$WORK/b"	# (what is bound twice looks linked)
# --one-file-system: its subvolumes are one file system with it
images 500M b
expect 0 bo mkfs --format json --one-file-system -r "$S" -u auto "$WORK/b"
jq -e '.subvolumes == 7' "$WORK/out" >/dev/null || fail "--one-file-system: $(jq -c .subvolumes "$WORK/out") subvolumes"
umount "$S/mnt" "$S/own"
mkdir "$S/own/x" && rmdir "$S/own/x" "$S/own" "$S/mnt"
mkdir "$S/mnt" && touch -r "$S/@" "$S/mnt"

# without privilege all but the default is known
if command -v setpriv >/dev/null; then
	chmod -R a+rX "$S/dir"
	cp "$BTRFS_OFFLINE" "$WORK/bin/bo-user" && chmod 755 "$WORK" "$WORK/bin" "$WORK/bin/bo-user" && mkdir -m 777 "$WORK/user"
	expect 0 timeout 60 setpriv --reuid 65534 --regid 65534 --clear-groups "$WORK/bin/bo-user" mkfs --format json -b 300M -r "$S/dir" \
		-u auto "$WORK/user/u"
	expect_message 'only root may read'
	jq -e '.subvolumes == 1' "$WORK/out" >/dev/null || fail "as a user: $(jq -c .subvolumes "$WORK/out") subvolumes"
	scrub_status 0 "$WORK/user/u"
else
	skip_part "another user: needs setpriv"
fi

# same bytes from here and from a plain copy with the same subvolumes by name
export SOURCE_DATE_EPOCH=4000000000
treegen noise "$S/@home/late" 100000
make_fs -b 500M --seed auto -r "$S/dir" -u auto "$WORK/one"
cp -a "$S/dir" "$WORK/copy"
make_fs -b 500M --seed auto -r "$WORK/copy" -u home2 "$WORK/two"
cmp "$WORK/one" "$WORK/two" || fail "other bytes from a copy"
umount "$S" "$O"
finish
