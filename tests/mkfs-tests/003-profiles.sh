#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Profiles x number of devices (of unequal sizes) x checksums, each judged; some by writing to a copy, too.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; tool treegen

nasty_tree "$WORK/tree" 9000

# data metadata devices checksum [w: also the writable copy]; every profile meets every checksum
while read -r data meta nr csum w; do
	names=()
	for i in $(seq "$nr"); do
		images $((300 + 130 * (i * 2 % 5)))M "dev$i"
		names+=("$WORK/dev$i")
	done
	make_fs -d "$data" -m "$meta" --csum "$csum" -r "$WORK/tree" "${names[@]}"
	JUDGE_LABEL="$data/$meta on $nr, $csum" judge ${w:+-w} -s "$WORK/tree" "${names[@]}"
	scrub_status 0 "${names[@]}"
	say "$data/$meta on $nr device(s), $csum"
	rm -f "${names[@]}"
done <<-END
	single single 1 crc32c
	single single 2 xxhash64
	single dup 3 sha256
	single raid1 4 blake2b w
	single single 6 crc32c
	dup dup 1 crc32c
	dup dup 1 blake2b w
	dup dup 2 sha256
	dup raid1 5 xxhash64
	raid0 raid0 1 sha256
	raid0 raid0 2 crc32c
	raid0 raid1 3 xxhash64 w
	raid0 raid0 4 sha256
	raid0 raid0 5 blake2b
	raid0 raid10 6 crc32c
	raid1 raid1 2 crc32c
	raid1 raid1 3 xxhash64
	raid1 raid1 4 sha256 w
	raid1 raid1c3 5 blake2b
	raid1 raid1 6 crc32c
	raid1c3 raid1c3 3 crc32c
	raid1c3 raid1c3 4 xxhash64
	raid1c3 raid1c3 5 sha256
	raid1c3 raid1c4 6 blake2b
	raid1c4 raid1c4 4 crc32c
	raid1c4 raid1c4 4 xxhash64
	raid1c4 raid1c4 5 sha256
	raid1c4 raid1c4 6 blake2b
	raid10 raid10 2 crc32c
	raid10 raid10 3 xxhash64
	raid10 raid10 4 sha256 w
	raid10 raid10 5 blake2b
	raid10 raid10 6 crc32c
END

# too few devices for a profile: refused, and what was asked is named
images 300M dev1 dev2 dev3
for case in "raid1 1" "raid1c3 2" "raid1c4 3" "raid10 1"; do
	read -r profile nr <<<"$case"
	names=("$WORK"/dev1 "$WORK"/dev2 "$WORK"/dev3)
	expect 1 bo mkfs -d "$profile" -m single "${names[@]:0:$nr}"
	expect_message "$profile"
	expect_no_magic "${names[@]}"
done
finish
