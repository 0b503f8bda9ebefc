#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Superblock copies: a bad one is found on its device, the good one used; none at all is status 1.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need jq; tool treegen blockedit

mkdir "$WORK/tree" && treegen many "$WORK/tree/many" 500
images 400M a b
make_fs -d raid0 -m raid1 -r "$WORK/tree" "$WORK/a" "$WORK/b"
primary=65536 backup=67108864

super_errors() {	# EXPECTED
	local n
	n=$(jq -r '.totals.super_errors' "$WORK/json")
	[ "$n" = "$1" ] || fail "super_errors is $n, not $1"
}

RANDOM=4
for image in a b; do
	for copy in $primary $backup; do
		for byte in 0 33 70 $((RANDOM % 4096)) 4095; do
			flip "$WORK/$image" $((copy + byte))
			run bo scrub --format json "$WORK/a" "$WORK/b"
			cp "$WORK/out" "$WORK/json"
			[ $RC = 3 ] || [ $RC = 4 ] || { show_output; fail "copy at $copy of $image, byte $byte: status $RC"; }
			super_errors 1
			flip "$WORK/$image" $((copy + byte))
		done
		# the text names device and place
		flip "$WORK/$image" $((copy + 100))
		run bo scrub "$WORK/a" "$WORK/b"
		cat "$WORK/out" "$WORK/err" >"$WORK/said"
		grep -q "$WORK/$image" "$WORK/said" && grep -qE "$copy|copy|mirror|backup" "$WORK/said" || fail "the text does not name it"
		flip "$WORK/$image" $((copy + 100))
		say "$image, copy at $copy"
	done
done
scrub_json 0 "$WORK/a" "$WORK/b"
super_errors 0

# magic of an unfinished mkfs
cp --sparse=always "$WORK/a" "$WORK/saved"
for copy in $primary $backup; do
	printf '!BHRfS_M' | dd of="$WORK/a" bs=1 seek=$((copy + 64)) conv=notrunc status=none
done
expect 1 bo scrub "$WORK/a" "$WORK/b"
expect_message 'unfinished'
for copy in $primary $backup; do
	dd if=/dev/zero of="$WORK/a" bs=4096 seek=$((copy / 4096)) count=1 conv=notrunc status=none
done
expect 1 bo scrub "$WORK/a" "$WORK/b"
expect_message super
cp --sparse=always "$WORK/saved" "$WORK/a"

# a stale copy: right in itself, of an older generation (byte 72 is the generation's lowest)
blockedit "$WORK/a" $backup 4096 72 200 || fail "blockedit"
run bo scrub --format json "$WORK/a" "$WORK/b"
[ $RC != 0 ] || fail "a backup superblock of another generation is not noticed"
cp --sparse=always "$WORK/saved" "$WORK/a"

# an image cut before its backup superblock has none there, and that is no error of the superblocks
truncate -s 60M "$WORK/b"
run bo scrub "$WORK/a" "$WORK/b"
[ $RC != 0 ] && [ $RC -lt 128 ] || fail "an image cut to 60 MiB: status $RC"
finish
