#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Help, version, and everything that is no command line.
. "$(dirname "$0")/../common.sh"
need_program
LIMIT=20

expect 0 bo --version
grep -qE 'btrfs-offline v?[0-9]+\.[0-9]' "$WORK/out" || fail "--version says $(cat "$WORK/out")"
expect 0 bo --help
for command in mkfs scrub inspect; do
	grep -qw $command "$WORK/out" || fail "--help does not name $command"
done
for command in mkfs scrub inspect; do
	expect 0 bo $command --help
	[ -s "$WORK/out" ] || fail "$command --help says nothing on standard output"
	grep -q "$command" "$WORK/out" || fail "$command --help does not say what it is about"
	! grep -qE '.{121}' "$WORK/out" || fail "$command --help has lines of more than 120 columns"
done
# every option of mkfs.btrfs that the manual of this version promises
expect 0 bo mkfs --help
for option in --data --metadata --nodesize --sectorsize --label --uuid --device-uuid --features --byte-count --force \
	--quiet --verbose --nodiscard --csum --rootdir --csum-threads --csum-mode --csum-inline-max --seed \
	--buffer-memory --metadata-memory --format --progress --io; do
	grep -q -e "$option" "$WORK/out" || MISSING="${MISSING:-} $option"
done
[ -z "${MISSING:-}" ] || fail "mkfs --help does not name$MISSING"

expect 1 bo
expect_message 'usage|command|help'
expect 1 bo nonsense
expect_message nonsense
expect 1 bo mkfs --no-such-option x
expect_message no-such-option
expect 1 bo scrub --no-such-option x
expect_message no-such-option
expect 1 bo inspect nonsense x
expect_message nonsense
expect 1 bo mkfs -d
for pair in "--csum-mode never" "--csum-threads many" "--format xml" "--progress maybe" "--io magic" "--queue-depth -3" \
	"--buffer-memory 1Q" "--csum-inline-max -1" "--on-change=dance"; do
	truncate -s 200M "$WORK/a"
	expect 1 bo mkfs $pair "$WORK/a"
	[ -s "$WORK/err" ] || fail "mkfs $pair: no message"
done
expect_no_magic "$WORK/a"
finish
