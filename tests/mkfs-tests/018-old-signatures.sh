#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# By force over what was there: nothing but btrfs is found afterwards.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need wipefs mkfs.ext4 mkfs.btrfs mkswap

mkdir "$WORK/tree" && echo content >"$WORK/tree/file"

put() {	# IMAGE OFFSET BYTES
	printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

old_ext4() { mkfs.ext4 -q -F "$1"; }
old_swap() { mkswap "$1" >/dev/null 2>&1; }
old_btrfs() { mkfs.btrfs -q -f "$1" >/dev/null 2>&1; }
old_dos() { put "$1" 446 '\x80\x00\x02\x00\x83\x00\x10\x00\x00\x08\x00\x00\x00\x10\x00\x00'; put "$1" 510 '\x55\xaa'; }
old_luks() { put "$1" 0 'LUKS\xba\xbe\x00\x01'; }
old_iso() { put "$1" 32769 'CD001\x01'; put "$1" 32768 '\x01'; }
old_several() { old_ext4 "$1"; old_luks "$1"; old_dos "$1"; old_iso "$1"; }
old_linear_raid() {	# version 0.90 lies 64 KiB before the end
	put "$1" $((($(stat -c %s "$1") & ~65535) - 65536)) '\xfc\x4e\x2b\xa9\x00\x00\x00\x00\x5a\x00\x00\x00'
}
old_gpt() { printf 'label: gpt\n,10M\n' | sfdisk -q "$1" >/dev/null; }

for kind in ext4 swap btrfs dos luks iso several linear_raid gpt; do
	images 300M a b
	if [ $kind = gpt ] && ! command -v sfdisk >/dev/null; then
		skip_part "gpt: no sfdisk"
		continue
	fi
	old_$kind "$WORK/a"
	cp --sparse=always "$WORK/a" "$WORK/b"
	found=$(wipefs -n -i -O TYPE "$WORK/a" 2>/dev/null | tail -n +1 | tr '\n' ' ')
	wipefs -n "$WORK/a" | grep -q 0x || fail "$kind: the test's own signature is not seen"
	make_fs -f -d raid0 -m raid1 -r "$WORK/tree" "$WORK/a" "$WORK/b"
	for i in a b; do
		types=$(wipefs -n --parsable --noheadings -O TYPE "$WORK/$i" 2>/dev/null | sort -u | tr '\n' ' ')
		[ "$types" = "btrfs " ] || fail "$kind: $i still shows $types"
		[ "$(blkid -p -s TYPE -o value "$WORK/$i")" = btrfs ] || fail "$kind: blkid sees no btrfs"
	done
	JUDGE_LABEL="over $kind" judge -s "$WORK/tree" "$WORK/a" "$WORK/b"
	say "$kind $found"
done

# a backup superblock of a larger file system behind the end of the new one stays out of sight
images 300M a
old_btrfs "$WORK/a"
make_fs -f -b 150M -r "$WORK/tree" "$WORK/a"
judge -s "$WORK/tree" "$WORK/a"
scrub_status 0 "$WORK/a"
finish
