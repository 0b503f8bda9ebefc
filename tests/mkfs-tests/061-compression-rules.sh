#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --compress: which files it is for, by options, flags, properties and manifests; the same bytes from any number of
# threads; parity profiles; sector sizes that no kernel here mounts; what is refused.
# timeout: 900
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need jq getfattr setfattr chattr; tool treegen

nasty_tree "$WORK/tree" 3000
treegen many "$WORK/tree/many" 2000
T=$WORK/tree
mkdir -p "$T"/{logs/old,plain,db,sum}
for at in logs logs/old plain db sum .; do
	yes "a line of $at" | head -c 500000 >"$T/$at/text.log"
	yes "short $at" | head -c 1500 >"$T/$at/short"
done

# ---- threads, modes, engines, memory ----

for how in zstd:7 zlib lzo; do
	rm -f "$WORK/reference"
	for options in --csum-threads=0 --csum-threads=1 "--csum-threads=8 --csum-mode=overlap" \
	    "--csum-threads=3 --csum-mode=inline --io-engine=sync" "--buffer-memory=32M --csum-inline-max=1M"; do
		images 300M a b
		SOURCE_DATE_EPOCH=1700000000 make_fs --seed x --compress $how $options -d raid0 -r "$T" "$WORK/a" "$WORK/b"
		cat "$WORK/a" "$WORK/b" | sha256sum >"$WORK/sum"
		[ -f "$WORK/reference" ] || cp "$WORK/sum" "$WORK/reference"
		cmp -s "$WORK/sum" "$WORK/reference" || fail "$how, $options: other bytes"
	done
	say "$how: the same bytes"
done

# ---- which files ----

# What the extents of a file are compressed with, each kind once.
kinds() {	# PATH
	local ino
	ino=$(stat -c %i "$MNT/$1") || fail "no $1"
	awk -v want="key ($ino EXTENT_DATA" '
		/^[ \t]*item / { here = index($0, want) }
		here && /extent compression/ { gsub(/[()]/, ""); print $4 }' "$WORK/items" | sort -u | paste -sd' '
}

# Pairs of a path and what its extents are, in an image that the source tree went into with OPTIONS.
expect_kinds() {	# OPTIONS... -- PATH KIND...
	local options=() got
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	shift
	images 300M a
	make_fs "${options[@]}" -r "$T" "$WORK/a"
	JUDGED="${options[*]}"
	scrub_status 0 "$WORK/a"
	bo inspect tree -t fs "$WORK/a" >"$WORK/items"
	attach ro "$WORK/a"; mount_loops ro || fail "$JUDGED: no mount: $(cat "$WORK/mount.err")"
	while [ $# -gt 0 ]; do
		got=$(kinds "$1")
		[ "$got" = "$2" ] || fail "$JUDGED: $1 is '$got', not '$2'"
		shift 2
	done
	# for the caller: still mounted
	diff -r --no-dereference -q "$T" "$MNT" >"$WORK/diff" 2>/dev/null || ! grep -qv -e fifo -e 'mnt: new' "$WORK/diff" ||
		fail "$JUDGED: other content: $(head -n 3 "$WORK/diff")"
}
done_with() { unmount; expect_silent_kernel; detach; say "$JUDGED"; }
property() { getfattr --only-values -n btrfs.compression "$MNT/$1" 2>/dev/null; }

expect_kinds --compress zstd -- text.log zstd short zstd noise none logs/text.log zstd
done_with
expect_kinds --compress no -- text.log none short none
done_with
expect_kinds --compress zlib --inode-flags nodatacow:db --inode-flags nodatasum:sum -- \
	db/text.log none db/short none sum/text.log none sum/short none plain/text.log zlib
done_with

cat >"$WORK/manifest" <<-END
	logs compress=zlib:9
	logs/old compress=no
	logs/old/text.log compress=lzo
	plain compress=none
	new type=dir compress=zstd
	new/file type=file content=$WORK/tree/text.log
END
expect_kinds --manifest "$WORK/manifest" -- text.log none logs/text.log zlib logs/short zlib logs/old/short none \
	logs/old/text.log lzo plain/text.log none new/file zstd
for pair in logs:zlib logs/text.log:zlib logs/old/text.log:lzo new:zstd new/file:zstd text.log:; do
	[ "$(property "${pair%%:*}")" = "${pair#*:}" ] || fail "property of ${pair%%:*}: '$(property "${pair%%:*}")'"
done
done_with
expect_kinds --compress zstd --manifest "$WORK/manifest" --subvol logs -- text.log zstd plain/text.log none
[ "$(property text.log)" = "" ] || fail "--compress sets a property"
done_with

# what a directory asks for, the kernel does for new files
JUDGED='property and kernel'
images 400M a
make_fs --manifest "$WORK/manifest" -r "$T" "$WORK/a"
attach rw "$WORK/a"; mount_loops rw || fail "$JUDGED: no mount"
yes 'the kernel writes' | head -c 300000 >"$MNT/logs/by-the-kernel"
sync -f "$MNT"
btrfs filesystem sync "$MNT"; bo inspect tree -t fs "$WORK/a" >"$WORK/items" 2>/dev/null
ino=$(stat -c %i "$MNT/logs/by-the-kernel")
unmount; detach
bo inspect tree -t fs "$WORK/a" >"$WORK/items" || fail "$JUDGED: cannot be read"
awk -v want="key ($ino EXTENT_DATA" '/^[ \t]*item / { here = index($0, want) } here && /compression 1/ { n++ }
	END { exit !n }' "$WORK/items" || fail "$JUDGED: the kernel does not compress with zlib"
say "$JUDGED"

# flags and properties of the source
mkdir "$WORK/host"
truncate -s 300M "$WORK/host.img" && mkfs.btrfs -q "$WORK/host.img" && mount -o loop "$WORK/host.img" "$WORK/host" ||
	fail "no btrfs as source"
mkdir "$WORK/host/t" && T=$WORK/host/t
for f in lzo zlib none m plain; do yes "some text for $f" | head -c 300000 >"$T/$f"; done
setfattr -n btrfs.compression -v lzo "$T/lzo" && setfattr -n btrfs.compression -v zlib "$T/zlib" &&
	chattr +m "$T/m" || fail "no properties"
sync -f "$T"
expect_kinds --compress zstd -- lzo lzo zlib zlib m none plain zstd
[ "$(property lzo)" = lzo ] || fail "the property is lost"
done_with
expect_kinds -- lzo none zlib none plain none
done_with
umount "$WORK/host"
T=$WORK/tree

# ---- parity, other sectors ----

for profile in raid5 raid6; do
	images 300M a b c d
	make_fs --compress zstd -d $profile -m raid1c3 -r "$T" "$WORK"/{a,b,c,d} 2>/dev/null
	JUDGE_LABEL="$profile" judge -p -w -s "$T" "$WORK"/{a,b,c,d}
	scrub_status 0 "$WORK"/{a,b,c,d}
done
for how in zstd zlib lzo; do
	for sector in 8k 16k 64k; do
		images 500M a
		expect 0 bo mkfs -q --compress $how -s $sector -n 64k -r "$T" "$WORK/a"
		scrub_status 0 "$WORK/a"
		btrfs check "$WORK/a" >"$WORK/check" 2>&1 || fail "$how, sectors of $sector: $(tail -n 5 "$WORK/check")"
		bo inspect tree -t fs "$WORK/a" | grep -q "extent compression . ($how)" || fail "$how, $sector: nothing is compressed"
	done
	say "$how in sectors of 8K to 64K"
done

# ---- what is said ----

images 300M a
run bo mkfs --format json --compress zstd -r "$T" "$WORK/a"
[ $RC = 0 ] || fail "json: $RC"
jq -e '.compressed_bytes > 3000000 and .compressed_to_bytes > 0 and .compressed_to_bytes < .compressed_bytes / 10' \
	"$WORK/out" >/dev/null || fail "$(jq -c '[.compressed_bytes, .compressed_to_bytes]' "$WORK/out")"
for bad in gzip:'takes zstd, zlib' zstd:16:'levels -15 to 15' zlib:10:'levels 1 to 9' lzo:1:'no level' zstd:x:'levels' \
    :takes ZSTD:takes; do
	images 300M a
	expect 1 bo mkfs -q --compress "${bad%:*}" -r "$T" "$WORK/a"
	expect_message "--compress" "${bad##*:}"
	[ "$(stat -c %b "$WORK/a")" = 0 ] || fail "--compress ${bad%:*}: something was written"
done
# too much for the target: known late, and nothing mounts
images 40M a
treegen noise "$WORK/noise" 60000000 && mkdir "$WORK/large" && mv "$WORK/noise" "$WORK/large"
expect 1 bo mkfs -q --compress zstd -r "$WORK/large" "$WORK/a"
expect_message 'no space|too small'
expect 1 bo inspect super "$WORK/a"
finish
