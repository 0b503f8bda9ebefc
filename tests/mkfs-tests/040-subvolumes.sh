#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Subvolumes: nested, read-only, the default, split hard links; the kernel lists, mounts, snapshots, deletes them.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need jq; tool treegen

T=$WORK/tree
nasty_tree "$T" 9000
mkdir -p "$T"/home/user/data "$T"/var/lib/deep/sv "$T/ro:name" "$T/empty-sv" "$T/$(head -c 255 /dev/zero | tr '\0' n)"
long=$(head -c 255 /dev/zero | tr '\0' n)
treegen noise "$T/home/user/data/big" 7000000
treegen many "$T/var/lib/deep/sv/many" 3000
setfattr -n user.subvolume -v value "$T/home" 2>/dev/null
chmod 2750 "$T/home/user" && chown 1000:2000 "$T/home/user"
touch -d '2003-03-03 03:03:03.333333333 UTC' "$T/home" "$T/home/user"
# names of one file on both sides of borders: two in the top level, three in home, one in home/user
echo split >"$T/one" && ln "$T/one" "$T/dir/two"
for i in 1 2 3; do ln "$T/one" "$T/home/link$i"; done
ln "$T/one" "$T/home/user/link"
# a big one, whose data has to be there twice
ln "$T/home/user/data/big" "$T/dir/big"
# the same inode number in two trees, and data that goes on in offset and address: no single extent
mkdir "$T/next-a" "$T/next-b"
treegen noise "$T/next-a/file" 8192
truncate -s 8192 "$T/next-b/file" && tail -c 8192 "$WORK/piece" >>"$T/next-b/file"

paths=(home home/user var/lib/deep/sv "ro:name" empty-sv "$long" names next-a next-b)
judged=()
for p in "${paths[@]}"; do judged+=(-u "$p"); done
# (targets of symlinks as long as a node of 4K cannot hold, and the like, stay out)
mkdir "$WORK/part" && cp -a "$T/home" "$T/sizes" "$T/sparse" "$WORK/part"

images 500M a b
expect 0 bo mkfs --format json -d raid1 -r "$T" -u default:home -u ro:home/user/ -u "rw:$T/var/lib/deep/sv" -u "./ro:name" \
	--subvol /empty-sv --subvol "$long" --subvol=ro:.//names -u next-a -u next-b "$WORK/a" "$WORK/b"
jq -e '.subvolumes == 9 and .default_subvolume >= 256 and .split_hard_links == 3' "$WORK/out" >/dev/null ||
	fail "the summary: $(jq -c '[.subvolumes, .default_subvolume, .split_hard_links]' "$WORK/out")"
judge -w -s "$T" "${judged[@]}" "$WORK/a" "$WORK/b"
scrub_status 0 "$WORK/a" "$WORK/b"
btrfs inspect-internal dump-super "$WORK/a" | grep -q DEFAULT_SUBVOL || fail "no DEFAULT_SUBVOL in the superblock"
say "whole, writable, balanced"

show() { btrfs subvolume show "$MNT/$1" | awk -v f="$2:" '{ sub(/^[ \t]+/, "") } index($0, f) == 1 { sub(/^[^:]*:[ \t]*/, ""); print }'; }

attach ro "$WORK/a" "$WORK/b"
mount_loops ro,subvolid=5 || fail "no mount"
[ "$(btrfs subvolume list "$MNT" | wc -l)" = 9 ] || fail "not 9 subvolumes: $(btrfs subvolume list "$MNT")"
for p in "${paths[@]}"; do
	[ "$(stat -c %i "$MNT/$p")" = 256 ] || fail "$p is no subvolume"
	id=$(btrfs subvolume list "$MNT" | awk -v p="path $p" 'substr($0, length($0) - length(p) + 1) == p {print $2}')
	[ "$(show "$p" 'Subvolume ID')" = "$id" ] && [ "$id" -ge 256 ] || fail "$p: list and show disagree"
	[ "$(show "$p" Generation)" = 1 ] || fail "$p: generation $(show "$p" Generation)"
	want=false
	case $p in home/user | names) want=true ;; esac
	btrfs property get "$MNT/$p" ro | grep -qx "ro=$want" || fail "$p: $(btrfs property get "$MNT/$p" ro), not $want"
	[ -z "$(show "$p" 'Creation time' | grep -v "^20")" ] || fail "$p was made $(show "$p" 'Creation time')"
	btrfs inspect-internal subvolid-resolve "$id" "$MNT" | grep -qxF "$p" || fail "$id does not lead to $p"
	show "$p" UUID
done >"$WORK/uuids"
[ "$(sort -u "$WORK/uuids" | wc -l)" = 9 ] || fail "uuids: $(cat "$WORK/uuids")"
[ "$(show home/user 'Parent ID')" = "$(show home 'Subvolume ID')" ] || fail "home/user does not lie in home"
[ "$(btrfs subvolume get-default "$MNT" | awk '{print $2, $NF}')" = "$(show home 'Subvolume ID') home" ] || fail "the default"
# link counts: of each subvolume alone; ino numbers begin anew in each
stat -c '%h' "$MNT/one" "$MNT/home/link2" "$MNT/home/user/link" | tr '\n' ' ' | grep -qx '2 3 1 ' || fail "link counts"
[ "$(find "$MNT/empty-sv" "$MNT/var/lib/deep/sv" -mindepth 1 -printf '%i\n' | sort -n | head -n 1)" = 257 ] || fail "first inode"
unmount
detach

# every subvolume as a mount of its own; without a word, the default
attach ro "$WORK/a" "$WORK/b"
JUDGED="mounted alone"
for p in "" "${paths[@]}"; do
	mount_loops "ro,subvol=/$p" || fail "no mount of '$p'"
	SUBVOLUMES=()
	for q in "${paths[@]}"; do
		[ "$q" = "${q#"$p"/}" ] && [ -n "$p" ] || SUBVOLUMES+=(-u "${q#"$p"/}")
	done
	compare_tree "$T${p:+/$p}" motsxd
	unmount
done
mount_loops ro || fail "no mount of the default"
[ -e "$MNT/user" ] && [ ! -e "$MNT/home" ] || fail "the default is not home"
unmount
detach
say "mounted one by one"

# the kernel goes on: snapshots, sending, deleting, with its cleaner and a scrub behind it
for i in a b; do cp --sparse=always "$WORK/$i" "$WORK/$i.w" && truncate -s +1G "$WORK/$i.w"; done
attach rw "$WORK/a.w" "$WORK/b.w"
mount_loops rw,subvolid=5 || fail "no writable mount"
JUDGED="kernel goes on"
! touch "$MNT/home/user/new" 2>/dev/null || fail "a read-only subvolume takes a file"
! touch "$MNT/names/new" 2>/dev/null || fail "a read-only subvolume takes a file"
touch "$MNT/home/new" "$MNT/ro:name/new" || fail "a writable subvolume takes no file"
btrfs subvolume snapshot "$MNT/home" "$MNT/home-snapshot" >/dev/null || fail "snapshot"
btrfs subvolume snapshot -r "$MNT" "$MNT/top-snapshot" >/dev/null || fail "snapshot of the top"
if btrfs send -q "$MNT/home/user" -f "$WORK/stream" 2>"$WORK/err"; then
	mkdir "$MNT/received" && btrfs receive -q -f "$WORK/stream" "$MNT/received" || fail "receive"
	cmp "$MNT/received/user/data/big" "$T/home/user/data/big" || fail "what was sent differs"
else
	skip_part "send: $(head -n 1 "$WORK/err")"
fi
btrfs property set "$MNT/home/user" ro false && echo more >>"$MNT/home/user/link" || fail "made writable"
[ "$(cat "$MNT/one" "$MNT/home/link1")" = $'split\nsplit' ] || fail "split files are not apart"
btrfs subvolume create "$MNT/home/kernels" >/dev/null || fail "create"
[ "$(show home/kernels 'Subvolume ID')" -gt "$(show home/user 'Subvolume ID')" ] || fail "an id was given twice"
btrfs subvolume set-default "$(show names 'Subvolume ID')" "$MNT" || fail "set-default"
btrfs subvolume delete -c "$MNT/home/user" "$MNT/home/kernels" "$MNT/empty-sv" "$MNT/$long" "$MNT/var/lib/deep/sv" >/dev/null ||
	fail "delete"
btrfs subvolume sync "$MNT" || fail "sync"
# for system chunks Linux 6.18 runs out of room on its own, as judge_writable() knows
btrfs balance start -d "$MNT" >"$WORK/out" 2>&1 || fail "balance of data: $(cat "$WORK/out")"
btrfs balance start -f --full-balance "$MNT" >"$WORK/out" 2>&1 || grep -q 'No space left' "$WORK/out" ||
	fail "balance: $(cat "$WORK/out")"
kernel_scrub
unmount
expect_silent_kernel
check_loops --check-data-csum
detach
scrub_status 0 "$WORK/a.w" "$WORK/b.w"
rm "$WORK/a.w" "$WORK/b.w"
say "snapshots, sent, deleted, balanced"

# other shapes of the trees
for opts in '-n 4096' '-n 64K -m single' '-O ^block-group-tree' '-O ^no-holes,^free-space-tree' '--csum sha256 -m raid0 -d raid0'; do
	images 400M c d
	# shellcheck disable=SC2086
	make_fs $opts -r "$WORK/part" -u home -u default-ro:home/user -u sizes "$WORK/c" "$WORK/d"
	judge -s "$WORK/part" -u home -u home/user -u sizes "$WORK/c" "$WORK/d"
	scrub_status 0 "$WORK/c" "$WORK/d"
	say "with $opts"
done

# inspect knows the trees
expect 0 bo inspect tree -t 256 "$WORK/a" "$WORK/b"
grep -q 'owner 256' "$WORK/out" && grep -q '(256 INODE_ITEM 0)' "$WORK/out" || fail "inspect tree -t 256"
expect 0 bo inspect tree -t root "$WORK/a" "$WORK/b"
[ "$(grep -c ' ROOT_BACKREF ' "$WORK/out")" = 9 ] && [ "$(grep -c ' ROOT_REF ' "$WORK/out")" = 9 ] || fail "references of roots"
finish
