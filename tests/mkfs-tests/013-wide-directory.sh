#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 100,000 entries in one directory.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; tool treegen

treegen wide "$WORK/tree" 100000
images 1G a
make_fs -r "$WORK/tree" "$WORK/a"
judge -s "$WORK/tree" -f moslxd "$WORK/a"
scrub_status 0 "$WORK/a"

attach ro "$WORK/a" && mount_loops ro || fail "no mount"
[ "$(ls -U "$MNT" | wc -l)" = 100000 ] || fail "the kernel counts $(ls -U "$MNT" | wc -l) entries"
for i in 0 1 777 50000 99999; do
	[ -f "$MNT/entry-$i" ] || fail "no look-up of entry-$i"
done
[ ! -e "$MNT/entry-100000" ] || fail "an entry too many"
unmount
finish
