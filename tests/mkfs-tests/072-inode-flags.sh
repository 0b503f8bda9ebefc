#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Flags of chattr, the compression property, --inode-flags: files without checksums are known as such by the
# kernel, btrfs check and our scrub. Projects are dropped with a word.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need chattr lsattr setfattr mkfs.btrfs; tool treegen

# file systems to take flags from
source_fs() {	# NAME MKFS...: mounted at $WORK/NAME
	images 300M "$1.img"
	"${@:2}" "$WORK/$1.img" >/dev/null 2>&1 || fail "$2"
	mkdir "$WORK/$1"
	mount -o loop "$WORK/$1.img" "$WORK/$1" 2>/dev/null
}
flags() { (cd "$1" && find . ! -type l -print0 | sort -z | xargs -0 -n1 lsattr -d 2>/dev/null | awk '{gsub(/[^aAcCdDimsS]/, "", $1); print $2, $1}'); }
make_tree() {	# DIR LETTERS
	local l
	mkdir -p "$1/plain"
	for l in $(fold -w1 <<<"$2"); do
		mkdir "$1/dir-$l" && chattr "+$l" "$1/dir-$l" || fail "chattr +$l"
		: >"$1/file-$l" && chattr "+$l" "$1/file-$l" || fail "chattr +$l"
	done
}

taken_over() {	# FS: flags, and all else, of the tree on it are those of the image
	images 300M a
	make_fs -r "$WORK/$1/tree" "$WORK/a"
	attach ro "$WORK/a" && mount_loops ro || fail "no mount"
	flags "$WORK/$1/tree" >"$WORK/flags-want"
	flags "$MNT" >"$WORK/flags-got"
	[ "$(awk 'NF > 1' "$WORK/flags-want" | wc -l)" -ge "$2" ] || fail "$1: the source has few flags"
	cmp -s "$WORK/flags-want" "$WORK/flags-got" || fail "$1: $(diff "$WORK/flags-want" "$WORK/flags-got")"
	unmount
	detach
	judge -s "$WORK/$1/tree" "$WORK/a"
	scrub_status 0 "$WORK/a"
	say "$1: $(awk 'NF > 1 {print $2}' "$WORK/flags-want" | tr '\n' ' ')"
}

if source_fs ext4 mkfs.ext4 -q -I 256; then
	make_tree "$WORK/ext4/tree" AdS
	mkdir "$WORK/ext4/tree/dir-D" && chattr +D "$WORK/ext4/tree/dir-D"
	for f in i a; do
		echo $f >"$WORK/ext4/tree/$f" && chattr "+$f" "$WORK/ext4/tree/$f"
		mkdir "$WORK/ext4/tree/dir-$f" && echo inside >"$WORK/ext4/tree/dir-$f/inside" && chattr "+$f" "$WORK/ext4/tree/dir-$f"
	done
	taken_over ext4 11
	umount "$WORK/ext4"
else
	skip_part "flags of ext4: cannot be mounted here"
fi

if command -v mkfs.xfs >/dev/null && source_fs xfs mkfs.xfs -q; then
	make_tree "$WORK/xfs/tree" AdS
	taken_over xfs 6
	if chattr -p 17 "$WORK/xfs/tree/file-A" "$WORK/xfs/tree/file-d" 2>/dev/null; then
		images 300M a
		make_fs -r "$WORK/xfs/tree" "$WORK/a"
		expect_message 'tree: 2 entries belong to a project.*file-A'
		[ "$(wc -l <"$WORK/err")" = 1 ] || fail "more than one line: $(cat "$WORK/err")"
		say 'projects'
	else
		skip_part "projects: this e2fsprogs knows none"
	fi
	umount "$WORK/xfs"
else
	skip_part "flags and projects of xfs: no mkfs.xfs, or it cannot be mounted here"
fi

source_fs btrfs mkfs.btrfs -q || fail "no btrfs as source"
make_tree "$WORK/btrfs/tree" AdSCcm
mkdir "$WORK/btrfs/tree/dir-D" && chattr +D "$WORK/btrfs/tree/dir-D"
T=$WORK/btrfs/tree
for c in zlib lzo zstd none; do
	mkdir "$T/prop-$c" && setfattr -n btrfs.compression -v $c "$T/prop-$c" && echo $c >"$T/prop-$c/file" || fail "no property $c"
done
treegen noise "$T/dir-C/nocow" 3000000
yes compressed | head -c 1000000 >"$T/dir-c/file"
sync -f "$T"
taken_over btrfs 20
attach ro "$WORK/a" && mount_loops ro || fail "no mount"
for c in zlib lzo zstd none; do
	[ "$(getfattr --only-values -n btrfs.compression "$MNT/prop-$c" 2>/dev/null)" = $c ] || fail "no property $c"
done
unmount
detach
say 'compression properties'

# tmpfs has some since Linux 6.6, others none: no word, no failure
mkdir "$WORK/none" && mount -t ramfs none "$WORK/none" && echo x >"$WORK/none/file"
images 300M a
make_fs -r "$WORK/none" "$WORK/a"
[ ! -s "$WORK/err" ] || fail "a message about flags that a file system lacks: $(cat "$WORK/err")"
umount "$WORK/none"

# ---- --inode-flags ----

T=$WORK/tree
mkdir -p "$T"/{nocow/sub,nosum,plain}
for d in nocow nocow/sub nosum plain; do
	treegen noise "$T/$d/large" 2500000
	treegen noise "$T/$d/medium" 50000
	echo small >"$T/$d/small"
done
ln -s small "$T/nocow/link" && mkfifo "$T/nocow/fifo"
ln "$T/plain/large" "$T/plain/zz-link"
setfattr -n btrfs.compression -v zstd "$T/nocow/small" 2>/dev/null	# fails but on a btrfs
images 300M a b
make_fs -d raid0 -m raid1 -r "$T" --inode-flags nodatacow:nocow --inode-flags nodatasum:/nosum/ --inode-flags nodatacow:plain/medium \
	--inode-flags nodatasum,nodatacow:plain/zz-link "$WORK/a" "$WORK/b"
judge -w -s "$T" "$WORK/a" "$WORK/b"
scrub_json 0 "$WORK/a" "$WORK/b"
# of large, medium and small file in each: 2500000 and 50000 bytes are 611 and 13 sectors
[ "$(jq '[.. | .no_csum? // empty] | add' "$WORK/json")" -ge $(((611 + 13) * 4)) ] ||
	fail "checksums: $(jq -c '[.. | .no_csum? // empty]' "$WORK/json")"
attach ro "$WORK/a" "$WORK/b" && mount_loops ro || fail "no mount"
got=$(flags "$MNT" | awk 'NF > 1 {print $1}' | tr '\n' ' ')
[ "$got" = './nocow ./nocow/large ./nocow/medium ./nocow/small ./nocow/sub ./nocow/sub/large ./nocow/sub/medium ./nocow/sub/small ./plain/large ./plain/medium ./plain/zz-link ' ] ||
	fail "nodatacow: $got"
unmount
btrfs inspect-internal dump-tree -t 5 "${LOOPS[0]}" >"$WORK/dump" 2>/dev/null
btrfs inspect-internal dump-tree -t 7 "${LOOPS[0]}" >"$WORK/csums" 2>/dev/null
detach
nosum=$(grep -c 'flags 0x[0-9a-f]*(.*NODATASUM' "$WORK/dump")
[ "$nosum" = 12 ] || fail "$nosum inodes are NODATASUM, not 12"	# 6 in nocow, 3 in nosum and it, 2 in plain
# what is left with checksums: medium was named, zz-link is large
[ "$(grep -c EXTENT_CSUM "$WORK/csums")" = 0 ] || fail "checksums of files that have none"

# every mode of checksums, and fragments of it all, give the same bytes
export SOURCE_DATE_EPOCH=1700000000
mkdir "$T/mixed"
for i in $(seq 40); do treegen noise "$T/mixed/f$i" $((i * 3000)); done
find "$T" -exec touch -h -d @1000000000 {} +
args=(--seed s -d single -r "$T")
for i in $(seq 1 3 40); do args+=(--inode-flags "nodatasum:mixed/f$i"); done
images 300M a
make_fs "${args[@]}" "$WORK/a"
judge -s "$T" "$WORK/a"
for how in '--csum-threads 0' '--csum-mode inline' '--csum-mode overlap' '--metadata-memory 1M'; do
	images 300M b
	# shellcheck disable=SC2086
	make_fs "${args[@]}" $how "$WORK/b"
	cmp "$WORK/a" "$WORK/b" || fail "other bytes: $how"
done
# shared extents have checksums for all or for none: a file without is no part of that
for i in 1 2 3 4; do cp "$T/plain/large" "$T/mixed/same$i"; done
find "$T" -exec touch -h -d @1000000000 {} +
for how in file block; do
	images 300M a
	make_fs -r "$T" --dedupe=$how --inode-flags nodatasum:mixed/same2 --inode-flags nodatacow:mixed/same4 "$WORK/a"
	judge -s "$T" "$WORK/a"
	scrub_status 0 "$WORK/a"
done

# inherited down to the border of a subvolume, by a subvolume's own flag, and from there on
mkdir -p "$T"/sv/{in,nested/deep} && for d in sv sv/in sv/nested sv/nested/deep; do cp "$T/plain/medium" "$T/$d/f"; done
find "$T" -exec touch -h -d @1000000000 {} +
nocow_below() {	# OPTIONS...: what is nodatacow below sv
	images 300M a
	make_fs -r "$T" "$@" "$WORK/a"
	judge -s "$T" "$WORK/a"
	attach ro "$WORK/a" && mount_loops ro || fail "no mount"
	got=$(flags "$MNT/sv" | awk '$2 ~ /C/ {print $1}' | tr '\n' ' ')
	unmount
	detach
}
nocow_below --subvol sv --subvol sv/nested --inode-flags nodatacow:.
[ -z "$got" ] || fail "inherited across a subvolume's border: $got"
nocow_below --subvol sv --subvol sv/nested --inode-flags nodatacow:sv
[ "$got" = './ ./f ./in ./in/f ' ] || [ "$got" = '. ./f ./in ./in/f ' ] || fail "below a subvolume: $got"
nocow_below --subvol sv --inode-flags nodatacow:sv/nested
[ "$got" = './nested ./nested/deep ./nested/deep/f ./nested/f ' ] || fail "inside a subvolume: $got"
rm -rf "$T/sv"
say '--inode-flags'

refused() {	# REGEX OPTIONS...
	images 300M c
	expect 1 bo mkfs -q -r "$T" "${@:2}" "$WORK/c"
	expect_message "$1"
	expect_no_magic "$WORK/c"
}
refused 'inode-flags plain: takes FLAGS:PATH' --inode-flags plain
refused 'nodatacow and nodatasum' --inode-flags compress:plain
refused 'no such entry' --inode-flags nodatacow:none
refused 'no such entry' --exclude plain --inode-flags nodatacow:plain/large
refused 'only files and directories' --inode-flags nodatacow:nocow/link
refused 'named before' --inode-flags nodatacow:plain --inode-flags nodatasum:./plain/
refused 'two names of one file' --inode-flags nodatacow:plain/large --inode-flags nodatasum:plain/zz-link
finish
