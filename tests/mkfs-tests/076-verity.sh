#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --verity: a source with fs-verity, judged by a kernel that knows it; where none is, its metadata come from
# fsverity(1), the kernel only mounts the image, and btrfs check and our scrub look at the items.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need fsverity; tool treegen

make_files() {	# DIR
	: >"$1/empty"
	head -c 100 /dev/zero >"$1/inline"
	treegen noise "$1/block" 4096
	treegen noise "$1/medium" 5000
	treegen noise "$1/large" 9000001
	touch -d @1000000000 "$1"/* "$1"
}

# ---- with the kernel ----

images 300M source
mkdir "$WORK/btrfs"
mkfs.btrfs -q "$WORK/source" >/dev/null 2>&1 && mount -o loop "$WORK/source" "$WORK/btrfs" || fail "no btrfs as source"
mkdir "$WORK/btrfs/tree" && make_files "$WORK/btrfs/tree"
if fsverity enable "$WORK/btrfs/tree/large" 2>/dev/null; then
	for f in empty inline block medium; do
		fsverity enable "$WORK/btrfs/tree/$f" || fail "fsverity enable"
	done
	images 300M a
	make_fs -r "$WORK/btrfs/tree" --verity copy "$WORK/a"
	judge -s "$WORK/btrfs/tree" "$WORK/a"
	attach ro "$WORK/a" && mount_loops ro || fail "no mount"
	for f in empty inline block medium large; do
		[ "$(fsverity measure "$MNT/$f" | cut -d' ' -f1)" = "$(fsverity digest "$WORK/btrfs/tree/$f" | cut -d' ' -f1)" ] ||
			fail "$f: the kernel measures $(fsverity measure "$MNT/$f")"
	done
	unmount
	detach
	say 'the kernel verifies it'
else
	skip_part "verified by a kernel: this one has no fs-verity"
fi
umount "$WORK/btrfs"

# ---- without ----

ldd "$BTRFS_OFFLINE" 2>/dev/null | grep -q 'lib[atl]san' && { skip_part "sanitizers do not go with a preloaded library"; finish; }
command -v "${CC:-cc}" >/dev/null || { skip_part "needs a C compiler"; finish; }
${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O2 -shared -fPIC -o "$WORK/bin/fakeverity.so" "$TOP/tests/tools/fakeverity.c" ||
	fail "cannot build fakeverity.c"
mkdir "$WORK/tree" "$WORK/meta" && make_files "$WORK/tree" && echo plain >"$WORK/tree/plain"
for f in empty inline block medium large; do
	fsverity digest --out-descriptor="$WORK/meta/$f.desc" --out-merkle-tree="$WORK/meta/$f.tree" "$WORK/tree/$f" \
		>/dev/null || fail "fsverity digest"
done
faked() { FAKEVERITY=$WORK/meta LD_PRELOAD=$WORK/bin/fakeverity.so timeout "$LIMIT" "$BTRFS_OFFLINE" "$@"; }

images 300M b
expect 0 faked mkfs -q -r "$WORK/tree" --verity copy "$WORK/b"
[ ! -s "$WORK/err" ] || fail "a message: $(cat "$WORK/err")"
scrub_status 0 "$WORK/b"
attach ro "$WORK/b"
check_loops --check-data-csum
btrfs inspect-internal dump-super "${LOOPS[0]}" | grep -q '^compat_ro_flags.*0x[0-9a-f]*[4567cdef]$' || fail "no verity feature"
btrfs inspect-internal dump-tree -t 5 "${LOOPS[0]}" >"$WORK/dump"
# two of each file; trees are cut into pieces of 2 KiB
[ "$(grep -c 'item [0-9]* key ([0-9]* VERITY_DESC_ITEM' "$WORK/dump")" = 10 ] || fail "descriptors: $(grep -c DESC_ITEM "$WORK/dump")"
want=$((($(stat -c %s "$WORK/meta/medium.tree") + $(stat -c %s "$WORK/meta/large.tree")) / 2048))
got=$(grep -c 'item [0-9]* key ([0-9]* VERITY_MERKLE_ITEM' "$WORK/dump")
[ "$got" = $want ] && [ $want -gt 30 ] || fail "$got items of Merkle trees, not $want"
mount_loops ro || fail "no mount: $(cat "$WORK/mount.err")"
cmp "$WORK/tree/plain" "$MNT/plain" || fail "content"
unmount
detach
say 'descriptors and trees'

# off is the default, and says so in one line
for how in '' '--verity off'; do
	images 300M c
	# shellcheck disable=SC2086
	expect 0 faked mkfs -q -r "$WORK/tree" $how "$WORK/c"
	expect_message 'fs-verity of 5 files is dropped'
	[ "$(wc -l <"$WORK/err")" = 1 ] || fail "more than one line"
	judge -s "$WORK/tree" "$WORK/c"
done
# a tree that is not the file's: refused before the commit
cp "$WORK/meta/large.desc" "$WORK/meta/medium.desc"
images 300M d
expect 1 faked mkfs -q -r "$WORK/tree" --verity copy "$WORK/d"
expect_message 'medium.*another size.*--verity off'
expect_no_magic "$WORK/d"
expect 1 bo mkfs -q -r "$WORK/tree" --verity on "$WORK/d"
expect_message 'verity.*off, copy'
finish
