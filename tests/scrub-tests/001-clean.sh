#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# No false alarm: images of ours, and file systems of the kernel's with all that only it can make.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need mkfs.btrfs jq; tool treegen

nasty_tree "$WORK/tree"
images 500M a b
make_fs -d raid0 -m raid1 -r "$WORK/tree" "$WORK/a" "$WORK/b"
scrub_json 0 "$WORK/a" "$WORK/b"
[ "$(jq -r .exit_code "$WORK/json")" = 0 ] || fail "JSON and status disagree"
jq -e '.errors_total == 0 and (.totals.tree_bytes_scrubbed | tonumber) > 0 and
	(.totals.data_bytes_scrubbed | tonumber) > 5000000' "$WORK/json" >/dev/null || fail "counters: $(jq -c .totals "$WORK/json")"
# the order of the devices does not matter
scrub_status 0 "$WORK/b" "$WORK/a"

live_in_it() {	# work as only the kernel can do it
	local d=$1
	cp -a "$WORK/tree" "$d/tree" || return 1
	btrfs subvolume create "$d/sub" >/dev/null && cp -a "$WORK/tree/sizes" "$d/sub" || return 1
	btrfs subvolume snapshot "$d/sub" "$d/snap" >/dev/null && btrfs subvolume snapshot -r "$d/sub" "$d/snap-ro" >/dev/null
	rm "$d"/sub/sizes/size1*
	yes 'compressible text' | head -c 3000000 >"$d/compressed"
	fallocate -l 20M "$d/prealloc" && echo part | dd of="$d/prealloc" bs=4096 seek=100 conv=notrunc status=none
	mkdir "$d/nocow" && chattr +C "$d/nocow" && cp "$WORK/tree/noise" "$d/nocow/file"
	cp --reflink=always "$d/tree/noise" "$d/reflink"
	cp --reflink=always "$d/prealloc" "$d/prealloc-reflink"
	sync -f "$d"
	dd if="$WORK/tree/noise" of="$d/reflink" bs=4096 seek=50 count=100 conv=notrunc status=none	# bookends
	treegen many "$d/many" 2000
	rm -rf "$d"/many/dir00003
	btrfs subvolume delete "$d/snap" >/dev/null
	dd if="$WORK/tree/noise" of="$d/synced" bs=4096 count=10 conv=fsync status=none		# a log tree, perhaps
}

while read -r data meta nr csum options; do
	names=()
	for i in $(seq "$nr"); do images 600M "k$i"; names+=("$WORK/k$i"); done
	mkfs.btrfs -q -f -d "$data" -m "$meta" --csum "$csum" "${names[@]}" >/dev/null 2>&1 || fail "mkfs.btrfs $data/$meta"
	attach rw "${names[@]}"
	mount_loops "rw,$options" || fail "no mount of $data/$meta"
	live_in_it "$MNT" || fail "cannot work in $data/$meta"
	unmount
	detach
	run bo scrub "${names[@]}"
	[ $RC = 0 ] || { show_output; fail "false alarm: kernel-written $data/$meta on $nr, $csum ($options): $RC"; }
	say "kernel-written $data/$meta on $nr, $csum ($options)"
	rm -f "${names[@]}"
done <<-END
	single dup 1 crc32c compress=zstd
	dup dup 1 xxhash64 compress-force=lzo
	raid0 raid1 2 sha256 compress=zlib
	raid1 raid1 3 blake2b noatime
	raid1c3 raid1c3 3 crc32c compress-force=zstd
	raid1c4 raid1c4 4 crc32c noatime
	raid10 raid10 4 crc32c compress=zstd
	single single 3 crc32c nodatasum
	raid0 raid0 3 crc32c flushoncommit
END

# taken from a running system: a copy with a log tree that waits for its replay
images 600M live
mkfs.btrfs -q -f "$WORK/live" >/dev/null 2>&1
attach rw "$WORK/live"
mount_loops rw,commit=300 || fail "no mount"
cp -a "$WORK/tree/sizes" "$MNT" && sync -f "$MNT"
for i in $(seq 50); do dd if="$WORK/tree/noise" of="$MNT/f$i" bs=8192 count=3 conv=fsync status=none; done
cp --sparse=always "$WORK/live" "$WORK/copy"
unmount
detach
btrfs inspect-internal dump-super "$WORK/copy" | grep -qE '^log_root[[:space:]]+[1-9]' || fail "the copy has no log tree"
scrub_status 0 "$WORK/copy"
finish
