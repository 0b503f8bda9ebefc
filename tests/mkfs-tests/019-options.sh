#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Label, UUIDs, size, quiet, no discard, JSON: as a pipeline uses them, read back by blkid and btrfs-progs.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need blkid jq; tool treegen

mkdir "$WORK/tree" && echo content >"$WORK/tree/file"
fsid=6d6b6673-0019-4001-8001-000000000019
device=6d6b6673-0019-4001-8001-0000000000d1

images 400M a
make_fs -L 'a label' -U $fsid --device-uuid $device -K -r "$WORK/tree" "$WORK/a"
[ -z "$(cat "$WORK/out" "$WORK/err")" ] || fail "quiet, but said: $(cat "$WORK/out" "$WORK/err")"
[ "$(blkid -p -o value -s LABEL "$WORK/a")" = 'a label' ] || fail "blkid sees another label"
[ "$(blkid -p -o value -s UUID "$WORK/a")" = $fsid ] || fail "blkid sees another UUID"
[ "$(blkid -p -o value -s UUID_SUB "$WORK/a")" = $device ] || fail "blkid sees another device UUID"
judge -s "$WORK/tree" "$WORK/a"

images 400M a
label=$(head -c 255 /dev/zero | tr '\0' L)
make_fs -L "$label" "$WORK/a"
[ "$(blkid -p -o value -s LABEL "$WORK/a")" = "$label" ] || fail "a label of 255 bytes is cut"
images 400M a
expect 1 bo mkfs -L "${label}L" "$WORK/a"
expect_message label
expect 1 bo mkfs -U not-a-uuid "$WORK/a"
expect_message 'uuid'
expect 1 bo mkfs --csum md5 "$WORK/a"
expect_message md5
expect 1 bo mkfs -d raid7 "$WORK/a"
expect_message raid7
expect 1 bo mkfs -b 12monkeys "$WORK/a"
expect_message 12monkeys
expect_no_magic "$WORK/a"

# sizes: less than the device, and new images
make_fs -b 200M -r "$WORK/tree" "$WORK/a"
total=$(btrfs inspect-internal dump-super "$WORK/a" | awk '$1 == "total_bytes" {print $2}')
[ "$total" = 209715200 ] || fail "total_bytes $total with -b 200M"
judge -s "$WORK/tree" "$WORK/a"
make_fs -b 300M -d raid0 -m raid1 -r "$WORK/tree" "$WORK/new1" "$WORK/new2"
[ "$(stat -c %s "$WORK/new1" "$WORK/new2" | uniq)" = 314572800 ] || fail "new images have another size"
judge -s "$WORK/tree" "$WORK/new1" "$WORK/new2"
scrub_status 0 "$WORK/new1" "$WORK/new2"

# the summary
images 400M a b
expect 0 bo mkfs -U $fsid -L named -d raid0 -m raid1 -r "$WORK/tree" "$WORK/a" "$WORK/b"
for word in $fsid named 16384 4096 crc32c raid0 raid1 "$WORK/a" "$WORK/b"; do
	grep -qi -e "$word" "$WORK/out" || fail "the summary does not name $word"
done
! grep -q $'[\r\x1b]' "$WORK/out" || fail "progress signs in a file"
images 400M a b
expect 0 bo mkfs --format json -U $fsid -L $'"quote\\\xff' -d raid0 -m raid1 -r "$WORK/tree" "$WORK/a" "$WORK/b"
jq -e . "$WORK/out" >/dev/null || fail "no valid JSON"
jq -e --arg id $fsid '[.. | strings] | index($id)' "$WORK/out" >/dev/null || fail "the JSON has no fsid"
[ "$(jq -s length "$WORK/out")" = 1 ] || fail "more than one JSON object"
images 400M a
expect 0 bo mkfs --progress always -r "$WORK/tree" "$WORK/a"
# without -U each is its own
images 400M a b
make_fs "$WORK/a" && make_fs "$WORK/b"
[ "$(blkid -p -o value -s UUID "$WORK/a")" != "$(blkid -p -o value -s UUID "$WORK/b")" ] || fail "the same UUID twice"

# -b: what lies behind it stays, but for a superblock that was there (blocks of a second of noise to compare)
treegen noise "$WORK/noise" 150000000
cp "$WORK/noise" "$WORK/behind"
for discard in -K ''; do
	make_fs $discard -f -b 64M "$WORK/behind"
	cmp "$WORK/noise" "$WORK/behind" -i 67108864 || fail "-b 64M ${discard:-with discard} changes what lies behind"
done
images 150M old
make_fs "$WORK/old"
make_fs -f -b 48M "$WORK/old"
[ -z "$(magic_at "$WORK/old" | tr -d ' ' | sed 's/^65536$//')" ] || fail "an old superblock stays behind -b: $(magic_at "$WORK/old")"
scrub_status 0 "$WORK/old"
# rounded down, also for a new image
make_fs -b 40000001 "$WORK/odd-size"
scrub_status 0 "$WORK/odd-size"

# the filesystem is there, and nobody can read the summary
images 100M full
expect 1 sh -c '"$1" mkfs "$2" >/dev/full' sh "$BTRFS_OFFLINE" "$WORK/full"
expect_message 'filesystem is complete'
scrub_status 0 "$WORK/full"
# names of checksums in either case; memory that there is not, by the option's name
images 150M a
make_fs -f --csum BLAKE2 "$WORK/a"
make_fs -f --csum Xxhash64 "$WORK/a"
expect 1 bo mkfs -f --buffer-memory 100T -r /etc "$WORK/a"
expect_message 'cannot have 109951162777600 bytes .*--buffer-memory'
make_fs -f --device-rate 0 "$WORK/a"
expect 0 bo scrub --device-rate 0 "$WORK/a"
expect 0 bo scrub --limit 0 "$WORK/a"
expect 1 bo scrub --limit much "$WORK/a"
expect_message '--limit much'
finish
