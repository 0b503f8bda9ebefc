#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Mixed block groups: data and metadata in one kind of chunk, in every profile.
# timeout: 900
. "$(dirname "$0")/../common.sh"
need_program; need_judge; tool treegen

nasty_tree "$WORK/tree" 9000
rm "$WORK/tree/links/long"	# more than a node of 4 KiB can hold
super_has() { btrfs inspect-internal dump-super -f "$1" | grep -qw "$2"; }

while read -r profile nr csum options w; do
	names=()
	for i in $(seq "$nr"); do
		images $((200 + 130 * (i * 2 % 5)))M "dev$i"
		names+=("$WORK/dev$i")
	done
	label="mixed $profile on $nr, $csum, $options"
	parity=
	[[ $profile != raid[56] ]] || parity=-p
	make_fs -M -d "$profile" -m "$profile" --csum "$csum" ${options//+/ } -r "$WORK/tree" "${names[@]}"
	super_has "$WORK/dev1" MIXED_GROUPS || fail "$label: the feature flag is not set"
	btrfs inspect-internal dump-tree -t chunk "$WORK/dev1" 2>/dev/null | grep -oE 'type [A-Z].*' | sort -u >"$WORK/types"
	! grep -vE 'SYSTEM|DATA\|METADATA' "$WORK/types" || fail "$label: a chunk that is not mixed"
	JUDGE_LABEL=$label judge $parity ${w:+-w} -s "$WORK/tree" "${names[@]}"
	scrub_status 0 "${names[@]}"
	say "$label"
	rm -f "${names[@]}"
done <<-END
	single 1 crc32c -s+4k w
	dup 1 xxhash64 -n+4k w
	raid0 3 sha256 -s+4k
	raid1 2 blake2b -s+4k w
	raid1c3 3 crc32c -s+4k
	raid10 4 xxhash64 -s+4k
	raid5 3 crc32c -s+4k w
	raid6 4 sha256 -s+4k w
	single 1 crc32c -O+^no-holes
	single 2 crc32c -O+^block-group-tree,^free-space-tree w
END

# without profiles: single, on any number of devices; the smallest device
images 100M dev1 dev2
make_fs --mixed "$WORK/dev1" "$WORK/dev2"
JUDGE_LABEL="mixed by default, empty" judge -w "$WORK/dev1" "$WORK/dev2"
images 33M dev1
mkdir "$WORK/small" && treegen noise "$WORK/small/noise" $((12 << 20))
make_fs -O mixed-bg -r "$WORK/small" "$WORK/dev1"
super_has "$WORK/dev1" MIXED_GROUPS || fail "-O mixed-bg sets no flag"
JUDGE_LABEL="mixed on 33 MiB" judge -s "$WORK/small" "$WORK/dev1"
expect 0 bo mkfs -f -M "$WORK/dev1"
grep -q 'Data+Metadata *single' "$WORK/out" || fail "the summary does not say Data+Metadata"

# larger sectors: the kernel here may not mount them, our own verifier and btrfs-progs can read them
for size in 16k 64k; do
	images 300M dev1
	make_fs -M -s $size -n $size -r "$WORK/tree" "$WORK/dev1"
	scrub_status 0 "$WORK/dev1"
	btrfs check --readonly "$WORK/dev1" >"$WORK/check.log" 2>&1 || fail "btrfs check, sectors of $size"
done

# what does not go together
images 300M dev1 dev2
expect 1 bo mkfs -M -n 16k "$WORK/dev1"
expect_message 'node size 16384' 'mixed' 'sector size, 4096'
expect 1 bo mkfs -O mixed-bg -n 16k "$WORK/dev1"
expect_message 'mixed'
expect 1 bo mkfs -M -m dup "$WORK/dev1"
expect_message 'mixed' 'one profile' '-d is single' '-m is dup'
expect 1 bo mkfs -M -d raid0 -m raid1 "$WORK/dev1" "$WORK/dev2"
expect_message 'mixed' 'raid0' 'raid1'
expect_no_magic "$WORK"/dev{1,2}
finish
