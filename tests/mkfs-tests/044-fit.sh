#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A target that does not exist gets the size of its content, and room for --slack bytes more, which the kernel can use.
. "$(dirname "$0")/../common.sh"
need_program; need jq; tool treegen; need_judge
nasty_tree "$WORK/tree" 3000
rm "$WORK/tree/links/long"	# too long for nodes of 4096 bytes

size_of() { stat -c %s "$1"; }
field() { jq -e "$1" "$WORK/out" || fail "JSON has no $1: $(cat "$WORK/out")"; }

# one device and several, in every profile: complete, and hardly more than what is in it
fit() {	# NAMES OPTIONS...
	local names=() n sum=0 used
	for n in $1; do
		names+=("$WORK/$n")
	done
	rm -f "${names[@]}"
	expect 0 bo mkfs --format json -r "$WORK/tree" "${@:2}" "${names[@]}"
	for n in "${names[@]}"; do
		sum=$((sum + $(size_of "$n")))
	done
	[ "$(field .total_bytes)" = "$sum" ] || fail "${*:2}: files of $sum bytes, superblock: $(field .total_bytes)"
	used=$(jq '[.block_groups[].size] | add' "$WORK/out")
	say "${*:2}: $sum bytes, chunks of $used"
	scrub_status 0 "${names[@]}"
	JUDGE_LABEL="fit ${*:2}" judge -s "$WORK/tree" $DATA "${names[@]}"
}
DATA=
fit a
[ "$(size_of "$WORK/a")" -lt $((30 << 20)) ] || fail "one device: $(size_of "$WORK/a") bytes for 6 MB"
fit a -d dup -m dup
fit a -m single
fit a --mixed -n 4096 -s 4096
fit "a b" -d raid0 -m raid1
fit "a b c" -d raid1 -m raid1
fit "a b c d" -d raid10 -m raid1c4
DATA=-p
fit "a b c d" -d raid5 -m raid6
DATA=
fit "a b c" -d single -m raid1c3
fit "a" --compress zstd
fit "a b" --dedupe=block -d raid0
fit a --csum sha256 -n 65536

# larger than what lies before the second superblock, in chunks without room between them
treegen noise "$WORK/tree/more" 150000000
fit a
[ "$(size_of "$WORK/a")" -lt $((180 << 20)) ] || fail "150 MB: $(size_of "$WORK/a") bytes"
fit "a b" -d raid0 -m raid1
[ "$(size_of "$WORK/a")" -lt $((100 << 20)) ] || fail "150 MB on two: $(size_of "$WORK/a") bytes each"
fit "a b c" -d single -m raid1
[ "$(size_of "$WORK/a")" -lt $((75 << 20)) ] || fail "150 MB on three, single: $(size_of "$WORK/a") bytes on the first"
rm "$WORK/tree/more"

# slack: as many bytes as asked for can be written, and some small files as well
slack() {	# SIZE OPTIONS...
	rm -f "$WORK/s"
	make_fs -r "$WORK/tree" --slack "$1" "${@:2}" "$WORK/s"
	attach rw "$WORK/s"
	mount_loops rw || fail "slack $*: no mount: $(cat "$WORK/mount.err")"
	head -c "$1" /dev/urandom >"$MNT/.new" && sync -f "$MNT" || fail "slack $*: $1 cannot be written"
	mkdir "$MNT/.small" || fail "slack $*: no new directory"
	for i in $(seq 100); do
		echo "$i" >"$MNT/.small/$i" || fail "slack $*: no small files"
	done
	sync -f "$MNT"
	kernel_scrub
	unmount
	expect_silent_kernel
	detach
	scrub_status 0 "$WORK/s"
	say "slack $*: $(size_of "$WORK/s") bytes"
}
slack 1M
slack 20M -m single
slack 300M
slack 100M -d dup -n 64K
slack 10M --mixed -n 4096
rm -f "$WORK/s" "$WORK/t"
make_fs -r "$WORK/tree" -d raid1 --slack 50M "$WORK/s" "$WORK/t"
[ "$(size_of "$WORK/s")" = "$(size_of "$WORK/t")" ] || fail "slack is not even"

# a small size that was given: what the kernel says is free can be written
for size in 40M 50M 64M 90M; do
	rm -f "$WORK/s"
	make_fs -r "$WORK/tree" -b $size "$WORK/s"
	attach rw "$WORK/s"
	mount_loops rw || fail "$size: no mount: $(cat "$WORK/mount.err")"
	free=$(df --output=avail -B1 "$MNT" | tail -n 1)
	head -c $((free * 9 / 10)) /dev/urandom >"$MNT/.new" && sync -f "$MNT" || fail "$size: $free bytes are not free"
	unmount
	expect_silent_kernel
	detach
	scrub_status 0 "$WORK/s"
done

# some targets are there, one is not; a size that is given is no matter of slack; nothing to fit to
images 200M old
rm -f "$WORK/new"
make_fs -r "$WORK/tree" -d raid0 -m raid1 "$WORK/old" "$WORK/new"
[ "$(size_of "$WORK/old")" = $((200 << 20)) ] || fail "a target that was there has another size"
judge -s "$WORK/tree" "$WORK/old" "$WORK/new"
refused() {	# MESSAGE OPTIONS...
	expect 1 bo mkfs "${@:2}"
	expect_message "$1"
	[ ! -e "$WORK/no" ] || fail "${*:2}: left a file behind"
}
refused '--slack 1048576.*given already' --slack 1M -b 100M -r "$WORK/tree" "$WORK/no"
refused '--slack 1048576.*given already' --slack 1M -f -r "$WORK/tree" "$WORK/old"
refused 'no does not exist; give a size \(-b\), or a tree' "$WORK/no"
refused 'slack 1729.*: at most 70368744177664' --slack 15E -r "$WORK/tree" "$WORK/no"
refused '--slack x.*size such as' --slack x -r "$WORK/tree" "$WORK/no"
(ulimit -f 2000 && expect 1 bo mkfs -r "$WORK/tree" "$WORK/no") || exit 1
expect_message "$WORK/no.*(File too large)"
[ ! -e "$WORK/no" ] || fail "a file that could not grow is left behind"
finish
