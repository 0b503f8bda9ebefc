#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel takes over: snapshots, compression, deletes, a balance to other profiles, a device more and less.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; tool treegen

nasty_tree "$WORK/tree" 20000
images 2G a b c
make_fs -d raid0 -m raid1 -r "$WORK/tree" "$WORK/a" "$WORK/b"
attach rw "$WORK/a" "$WORK/b"
JUDGED="kernel goes on"
mount_loops rw,compress-force=zstd || fail "no mount"
btrfs subvolume snapshot -r "$MNT" "$MNT/.snap" >/dev/null || fail "no snapshot"
cp -a "$MNT/noise" "$MNT/text" "$MNT/deep" && cp --reflink=always "$MNT/noise" "$MNT/reflink" || fail "cannot copy"
rm -rf "$MNT/names" "$MNT/sizes"
treegen many "$MNT/many" 3000
sync -f "$MNT"
rm -rf "$MNT"/many/dir0000[13579]
btrfs subvolume delete -c "$MNT/.snap" >/dev/null || fail "cannot delete the snapshot"
btrfs subvolume sync "$MNT" >/dev/null
unmount
expect_silent_kernel
detach
scrub_status 0 "$WORK/a" "$WORK/b"

attach rw "$WORK/a" "$WORK/b" "$WORK/c"
LAST=${LOOPS[2]}
LOOPS=("${LOOPS[@]:0:2}")
mount_loops rw || fail "no second mount"
btrfs device add -f "$LAST" "$MNT" >/dev/null || fail "cannot add a device"
btrfs balance start -f -dconvert=raid1 -mconvert=raid1c3 "$MNT" >/dev/null 2>"$WORK/err" || fail "$(cat "$WORK/err")"
kernel_scrub
unmount
LOOPS+=("$LAST")
expect_silent_kernel
check_loops --check-data-csum
detach
scrub_status 0 "$WORK/a" "$WORK/b" "$WORK/c"

# what is written to an empty filesystem gets the profile that was asked for
for profile in raid0 raid1; do
	images 300M a b
	make_fs -d $profile -m raid1 "$WORK/a" "$WORK/b"
	attach rw "$WORK/a" "$WORK/b"
	mount_loops rw || fail "no mount of an empty filesystem"
	treegen noise "$MNT/noise" 90000000 && sync -f "$MNT"
	[ "$(btrfs filesystem df "$MNT" | grep '^Data' | cut -d: -f1)" = "Data, ${profile^^}" ] ||
		fail "an empty filesystem with -d $profile: $(btrfs filesystem df "$MNT" | grep '^Data')"
	unmount; expect_silent_kernel; detach
	scrub_status 0 "$WORK/a" "$WORK/b"
done
finish
