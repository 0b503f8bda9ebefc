#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --dry-run tells what would be made and the smallest size that works, writes nothing, and is right to the sector.
. "$(dirname "$0")/../common.sh"
need_program; need jq; tool treegen
export SOURCE_DATE_EPOCH=20000000000	# later than all that is in the trees
nasty_tree "$WORK/tree" 3000
rm "$WORK/tree/links/long"	# too long for nodes of 4096 bytes
treegen noise "$WORK/tree/large" 90000000

# nothing comes into being, nothing changes
mkdir "$WORK/empty"
expect 0 bo mkfs --dry-run -r "$WORK/tree" "$WORK/empty/new"
grep -qE '^Smallest size: +[0-9]+ bytes' "$WORK/out" || fail "no smallest size: $(cat "$WORK/out")"
grep -q '^Nothing is written' "$WORK/out" || fail "nobody is told"
[ -z "$(ls -A "$WORK/empty")" ] || fail "a dry run made files"
images 300M a b
rm "$WORK/a"
treegen noise "$WORK/a" 1000000
truncate -s 300M "$WORK/a"
before=$(sha256sum "$WORK/a" "$WORK/b")
expect 0 bo mkfs --dry-run --shrink -d raid0 -m raid1 -r "$WORK/tree" "$WORK/a" "$WORK/b"
expect 0 bo mkfs --dry-run -d raid0 -m raid1 -r "$WORK/tree" "$WORK/a" "$WORK/b"
expect 0 bo mkfs --dry-run "$WORK/a"
[ "$before" = "$(sha256sum "$WORK/a" "$WORK/b")" ] && [ "$(stat -c %s "$WORK/a")" = $((300 << 20)) ] ||
	fail "a dry run changed a target"
chmod 444 "$WORK/a"

# the smallest size works, one sector less does not, says what is needed, and leaves the target as it is
exact() {	# DEVICES OPTIONS...
	local names=() least i
	for i in $(seq "$1"); do
		names+=("$WORK/x$i")
		rm -f "$WORK/x$i"
	done
	expect 0 bo mkfs --dry-run --format json -r "$WORK/tree" "${@:2}" "${names[@]}"
	least=$(jq -e 'select(.dry_run) | .smallest_size' "$WORK/out") || fail "JSON: $(cat "$WORK/out")"
	# the same answer, whatever the targets are
	expect 0 bo mkfs --dry-run --format json -b 2G -r "$WORK/tree" "${@:2}" "${names[@]}"
	[ "$(jq .smallest_size "$WORK/out")" = "$least" ] || fail "${*:2}: $least or $(jq .smallest_size "$WORK/out")?"
	make_fs -b "$least" -r "$WORK/tree" "${@:2}" "${names[@]}"
	scrub_status 0 "${names[@]}"
	rm "${names[@]}"
	expect 1 bo mkfs -b $((least - 4096)) -r "$WORK/tree" "${@:2}" "${names[@]}"
	expect_message "too small: $least bytes"
	for i in "${names[@]}"; do
		[ ! -e "$i" ] || fail "${*:2}: $i is left behind"
		truncate -s $((least - 4096)) "$i"
	done
	before=$(sha256sum "${names[@]}")
	expect 1 bo mkfs -f -r "$WORK/tree" "${@:2}" "${names[@]}"
	expect_message "too small: $least bytes"
	[ "$before" = "$(sha256sum "${names[@]}")" ] || fail "${*:2}: a target that is too small was written to"
	say "$* : $least bytes"
}
exact 1
exact 1 -m single --csum blake2
exact 1 -d dup -m dup -n 4096
exact 1 -O ^free-space-tree,^block-group-tree,^no-holes
exact 2 -d raid0 -m raid1
exact 3 -d raid1 -m raid1
exact 4 -d raid5 -m raid6
exact 5 -d raid10 -m raid1c4 -s 64K
exact 3 -d single -m raid1c3
exact 1 --compress zstd
exact 2 --dedupe=block --compress lzo -d raid0
exact 1 --mixed -n 4096
exact 1 --subvol dir --subvol sizes -O quota

# unequal targets: what fits on them is found out too
images 40M x1; images 60M x2; images 300M x3
make_fs -d single -m raid1 -r "$WORK/tree" "$WORK/x1" "$WORK/x2" "$WORK/x3"
scrub_status 0 "$WORK/x1" "$WORK/x2" "$WORK/x3"
images 40M x1; images 60M x2; images 70M x3
expect 1 bo mkfs -d raid1 -m raid1 -r "$WORK/tree" "$WORK/x1" "$WORK/x2" "$WORK/x3"
expect_message 'targets are too small: [0-9]+ bytes .* needed on each'

# 200 MB that compress well, on 150 MB: no estimate refuses it
mkdir "$WORK/zeros"
yes 'this line is repeated' | head -c 200M >"$WORK/zeros/text"
images 150M x1
make_fs --compress zstd -r "$WORK/zeros" "$WORK/x1"
scrub_status 0 "$WORK/x1"
expect 1 bo mkfs -f -r "$WORK/zeros" "$WORK/x1"
expect_message 'too small'
expect 1 bo mkfs --dry-run --verify -r "$WORK/zeros" "$WORK/new"
expect_message '--verify'
finish
