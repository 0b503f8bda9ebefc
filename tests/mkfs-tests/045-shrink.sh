#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --shrink: the same minimal filesystem whatever the start, cut off behind it; small trees are small images.
. "$(dirname "$0")/../common.sh"
need_program; need jq; tool treegen; need_judge

mkdir "$WORK/small"
treegen noise "$WORK/small/one" 100000
treegen noise "$WORK/small/two" 50000
export SOURCE_DATE_EPOCH=20000000000	# later than all that is in the trees

# 150 KB of content, on files of three sizes, and on one that was not there
for size in 20M 200M 10G 1T; do
	images $size shrunk
	make_fs --seed x --shrink -r "$WORK/small" "$WORK/shrunk"
	bytes=$(stat -c %s "$WORK/shrunk")
	[ "$bytes" -le $((16 << 20)) ] || fail "$size: 150 KB are $bytes bytes"
	[ ! -e "$WORK/first" ] || cmp "$WORK/first" "$WORK/shrunk" || fail "$size: other bytes than from 20M"
	[ -e "$WORK/first" ] || cp "$WORK/shrunk" "$WORK/first"
done
say "150 KB: $bytes bytes"
make_fs --seed x -r "$WORK/small" "$WORK/made"
cmp "$WORK/first" "$WORK/made" || fail "a new image has other bytes than a shrunk one"
judge -w -s "$WORK/small" "$WORK/first"

# a real tree, every number of devices of equal size; the superblock says what the files say
nasty_tree "$WORK/tree" 100000
shrink() {	# SIZES NAMES OPTIONS...
	local names=() n s first=
	for n in $2; do
		names+=("$WORK/$n")
	done
	for s in $1; do
		images "$s" $2
		expect 0 bo mkfs --format json --seed y --shrink -r "$WORK/tree" "${@:3}" "${names[@]}"
		jq -e --argjson sum "$(stat -c %s "${names[@]}" | paste -sd+ | bc)" '.total_bytes == $sum' \
			"$WORK/out" >/dev/null || fail "${*:3}: sizes of files and superblock differ"
		cat "${names[@]}" | sha256sum >"$WORK/sum"
		[ -z "$first" ] || [ "$first" = "$(cat "$WORK/sum")" ] || fail "${*:3} from $s: other bytes"
		first=$(cat "$WORK/sum")
	done
	say "${*:3}: $(stat -c %s "${names[@]}" | paste -sd' ') bytes"
	JUDGE_LABEL="shrunk ${*:3}" judge -s "$WORK/tree" "${names[@]}"
}
need bc
shrink "250M 3G" a
shrink "250M 3G" "a b" -d raid0 -m raid1
shrink "200M 3G" "a b c" -d raid1 -m raid1c3
shrink "400M 3G" a -d dup -m dup --compress lzo
shrink "250M 3G" "a b c d e" -d raid10 -m raid1
images 300M a; images 1G b; images 2G c
make_fs --shrink -d raid1 -m raid1 -r "$WORK/tree" "$WORK/a" "$WORK/b" "$WORK/c"
judge -w -s "$WORK/tree" "$WORK/a" "$WORK/b" "$WORK/c"

# a block device keeps its size, the filesystem on it does not
images 400M a
attach rw "$WORK/a"
expect 0 bo mkfs --format json -f --shrink -r "$WORK/small" "${LOOPS[0]}"
jq -e '.total_bytes <= 16777216 and .devices[0].size == .total_bytes' "$WORK/out" >/dev/null || fail "$(cat "$WORK/out")"
detach
[ "$(stat -c %s "$WORK/a")" = $((400 << 20)) ] || fail "the file under a block device was cut"
judge -w -s "$WORK/small" "$WORK/a"

# slack within the size that is there, and beyond it; what a shrink cannot do without
images 100M a
make_fs --shrink --slack 10M -r "$WORK/small" "$WORK/a"
bytes=$(stat -c %s "$WORK/a")
[ "$bytes" -gt 20000000 ] && [ "$bytes" -lt 60000000 ] || fail "10M of slack: $bytes bytes"
images 40M a
expect 1 bo mkfs --shrink --slack 1G -r "$WORK/small" "$WORK/a"
expect_message 'too small: [0-9]{10} bytes .* with --slack, 41943040 .* available'
expect_no_magic "$WORK/a"
[ "$(stat -c %s "$WORK/a")" = $((40 << 20)) ] || fail "a run that failed cut the file"
expect 1 bo mkfs --shrink "$WORK/a"
expect_message '--shrink needs --rootdir'
images 5M a
expect 1 bo mkfs --shrink -r "$WORK/tree" "$WORK/a"
expect_message 'too small: [0-9]+ bytes .* needed .* 5242880 .* available'
finish
