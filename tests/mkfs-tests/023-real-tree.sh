#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A tree as people have it: /usr/share (the part of /usr when that is too big or missing) over two RAID0 images.
. "$(dirname "$0")/../common.sh"
need_program; need_judge

tree=
for t in ${REAL_TREE:-/usr/share /usr/lib /etc}; do
	kib=$(du -sk "$t" 2>/dev/null | cut -f1)
	[ "${kib:-0}" -gt 2000 ] && [ "$kib" -lt 1500000 ] && { tree=$t; break; }
done
[ -n "$tree" ] || skip "no tree between 2 MB and 1.5 GB"
[ "$(df -k --output=avail "$WORK" | tail -n 1)" -gt $((kib * 3 + 1000000)) ] || skip "not enough room"
say "$tree, $kib KiB"

images 3G a b
start=$(date +%s%N)
make_fs -d raid0 -m raid1 -r "$tree" "$WORK/a" "$WORK/b"
say "written in $((($(date +%s%N) - start) / 1000000)) ms"
start=$(date +%s%N)
scrub_status 0 "$WORK/a" "$WORK/b"
say "scrubbed in $((($(date +%s%N) - start) / 1000000)) ms"
judge -w -s "$tree" "$WORK/a" "$WORK/b"
finish
