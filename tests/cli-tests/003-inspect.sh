#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# inspect shows what is there, as btrfs-progs read it.
. "$(dirname "$0")/../common.sh"
need_program; need btrfs; tool treegen

mkdir "$WORK/tree" && treegen many "$WORK/tree/many" 500 && treegen noise "$WORK/tree/noise" 2000000
images 400M a b
fsid=6d6b6673-0003-4001-8001-00000000c003
make_fs -U $fsid -L looked-at --csum sha256 -d raid0 -m raid1 -r "$WORK/tree" "$WORK/a" "$WORK/b"

expect 0 bo inspect super "$WORK/a"
for word in $fsid looked-at sha256 16384; do
	grep -q -e $word "$WORK/out" || fail "inspect super does not say $word"
done
for field in generation root chunk_root total_bytes bytes_used; do
	value=$(btrfs inspect-internal dump-super "$WORK/a" | awk -v f=$field '$1 == f {print $2}')
	grep -qE "$field.*\\b$value\\b" "$WORK/out" || fail "inspect super: $field is not $value"
done

expect 0 bo inspect chunks "$WORK/a" "$WORK/b"
grep -qi raid0 "$WORK/out" && grep -qi raid1 "$WORK/out" || fail "inspect chunks names no profiles"

expect 0 bo inspect tree "$WORK/a" "$WORK/b"
whole=$(wc -l <"$WORK/out")
for tree in root chunk extent dev fs csum; do
	expect 0 bo inspect tree -t $tree "$WORK/a" "$WORK/b"
	[ -s "$WORK/out" ] || fail "inspect tree -t $tree is empty"
	[ "$(wc -l <"$WORK/out")" -le "$whole" ] || fail "one tree is more than all"
done
expect 0 bo inspect tree -t fs "$WORK/a" "$WORK/b"
[ "$(grep -cE 'INODE_ITEM' "$WORK/out")" -ge 504 ] || fail "inspect tree -t fs: $(grep -cE 'INODE_ITEM' "$WORK/out") INODE_ITEMs"
grep -q file0000499 "$WORK/out" || fail "inspect tree shows no names"
expect 1 bo inspect tree -t nonsense "$WORK/a" "$WORK/b"
expect_message nonsense

# a checksum: there for data, not behind the data
logical=$(LC_ALL=C bo inspect tree -t csum "$WORK/a" "$WORK/b" 2>/dev/null | grep -oE 'EXTENT_CSUM,? [0-9]+' | grep -oE '[0-9]+$' | head -n 1)
[ -n "$logical" ] || fail "no EXTENT_CSUM key in inspect tree -t csum"
expect 0 bo inspect csum "$logical" "$WORK/a" "$WORK/b"
grep -qE '[0-9a-f]{64}' "$WORK/out" || fail "inspect csum prints no sha256"
expect 0 bo inspect csum "$logical+8192" "$WORK/a" "$WORK/b"
[ "$(grep -coE '[0-9a-f]{64}' "$WORK/out")" = 2 ] || fail "two sectors, but $(grep -cE '[0-9a-f]{64}' "$WORK/out") checksums"
expect 0 bo inspect csum --exists "$logical" "$WORK/a" "$WORK/b"
expect 3 bo inspect csum --exists 4096 "$WORK/a" "$WORK/b"
expect 1 bo inspect csum nonsense "$WORK/a" "$WORK/b"
finish
