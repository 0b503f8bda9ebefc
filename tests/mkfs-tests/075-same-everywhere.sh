#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Who builds, with which umask, time zone and language, on which file system and in which order names come out of
# it: nothing of this is in the image.
. "$(dirname "$0")/../common.sh"
need_program; need_root; need setpriv setfattr mkfs.ext4; tool treegen treelist

export SOURCE_DATE_EPOCH=1700000000
mkdir "$WORK/tree" && treegen many "$WORK/tree/many" 3000 && treegen names "$WORK/tree/names" && treegen sizes "$WORK/tree/sizes"
mkdir "$WORK/tree/dir" && ln "$WORK/tree/sizes/"* "$WORK/tree/dir/" 2>/dev/null
ln -s ../nowhere "$WORK/tree/dir/symlink" && mkfifo "$WORK/tree/dir/fifo"
for i in zz b a m; do setfattr -n "user.$i" -v "$i" "$WORK/tree/dir"; done
find "$WORK/tree" -exec touch -h -d @1234567890.5 {} +
printf 'made type=dir\nmade/file type=file content=%s/host\nmade/null type=char major=1 minor=3\n' "$WORK" >"$WORK/manifest"
treegen noise "$WORK/host" 100000 && chmod 644 "$WORK/host" "$WORK/manifest"
cp "$BTRFS_OFFLINE" "$WORK/bin/program" && chmod 0755 "$WORK/bin"{,/program}
p=$WORK
while [ "$p" != / ]; do
	p=$(dirname "$p")
	[ $((0$(stat -c %a "$p") & 1)) = 1 ] || skip "$p is closed to ordinary users"
done

# build NAME UID UMASK TREE
build() {
	mkdir "$WORK/$1" && chown "$2" "$WORK/$1"
	(umask "$3" && cd "$WORK/$1" && setpriv --reuid "$2" --regid "$2" --clear-groups -- timeout "$LIMIT" \
		"$WORK/bin/program" mkfs -q --seed tests -b 400M --owner 0:0 --manifest "$WORK/manifest" \
		--inode-flags nodatasum:many --exclude '*7' -r "$4" image) 2>"$WORK/err" || fail "$1: $(cat "$WORK/err")"
	[ "$1" = first ] || cmp "$WORK/first/image" "$WORK/$1/image" || fail "other bytes: $1"
	say "$1"
	[ "$1" = first ] || rm "$WORK/$1/image"
}

build first 0 022 "$WORK/tree"
build user 65534 077 "$WORK/tree"
TZ=Asia/Kolkata LC_ALL=C.UTF-8 LANG=tr_TR.UTF-8 LANGUAGE=de USER=x HOME=/nonexistent build surroundings 1234 0 "$WORK/tree"

# a copy that belongs to the user who builds
cp -a "$WORK/tree" "$WORK/copy" && chown -hR 1234:65534 "$WORK/copy"
build own 1234 027 "$WORK/copy"
rm -rf "$WORK/copy"

# other file systems: a copy made in another order, and in the opposite one
copy() {	# DIR SORT...
	(cd "$WORK/tree" && find . -mindepth 1 -print0 | "${@:2}" -z |
		tar -c --xattrs --xattrs-include='*' --no-recursion --null -T -) |
		tar -x -p --xattrs --xattrs-include='*' -C "$1" || return 1
	find "$1" -exec touch -h -d @1234567890.5 {} +
	treelist -f mtsdlx "$WORK/tree" >"$WORK/l1"
	treelist -f mtsdlx "$1" >"$WORK/l2"
	cmp -s "$WORK/l1" "$WORK/l2"
}
order() { (cd "$1/many" && find . -maxdepth 1 | cksum); }
orders=$(order "$WORK/tree")
for fs in tmpfs ext4 xfs btrfs; do
	mkdir "$WORK/$fs"
	if [ $fs = tmpfs ]; then
		mount -t tmpfs -o size=300M none "$WORK/$fs"
	else
		truncate -s 400M "$WORK/$fs.img"
		mkfs.$fs -q "$WORK/$fs.img" >/dev/null 2>&1 && mount -o loop "$WORK/$fs.img" "$WORK/$fs" 2>/dev/null
	fi || { skip_part "$fs: cannot be made here"; continue; }
	mkdir "$WORK/$fs/tree" && chmod --reference="$WORK/tree" "$WORK/$fs/tree"
	copy "$WORK/$fs/tree" sort -r || { skip_part "$fs: it cannot hold this tree"; continue; }
	orders+=$'\n'$(order "$WORK/$fs/tree")
	build "from-$fs" 0 022 "$WORK/$fs/tree"
	umount "$WORK/$fs"
done
[ "$(sort -u <<<"$orders" | wc -l)" -gt 1 ] || fail "all file systems list names in one order: this proves nothing"
finish
