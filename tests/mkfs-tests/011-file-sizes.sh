#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Files around each size where the format changes: inline limit, sector, piece, extent limit.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; tool treegen

treegen sizes "$WORK/tree"
for size in 134217727 134217728 134217729; do treegen noise "$WORK/tree/noise$size" $size; done
images 600M a b
make_fs -d raid0 -m raid1 -r "$WORK/tree" "$WORK/a" "$WORK/b"
judge -s "$WORK/tree" "$WORK/a" "$WORK/b"
scrub_status 0 "$WORK/a" "$WORK/b"

# small ones are inline, bigger ones are not
attach ro "$WORK/a" "$WORK/b" && mount_loops ro || fail "no mount"
inode=$(stat -c %i "$MNT/size100.2")
big=$(stat -c %i "$MNT/size4096.7")
unmount
dump=$(btrfs inspect-internal dump-tree -t fs "${LOOPS[0]}")
grep -A 2 "key ($inode EXTENT_DATA 0)" <<<"$dump" | grep -q 'inline' || fail "100 bytes are not inline"
grep -A 2 "key ($big EXTENT_DATA 0)" <<<"$dump" | grep -q 'type 1 (regular)' || fail "4096 bytes are not regular"
detach

for node in 4096 65536; do
	rm -f "$WORK"/tree/noise*
	images 600M a
	make_fs -n $node -r "$WORK/tree" "$WORK/a"
	JUDGE_LABEL="nodes of $node" judge -w -s "$WORK/tree" "$WORK/a"
done
finish
