#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --offset and --length: a filesystem inside a disk image, and not one byte outside of it.
. "$(dirname "$0")/../common.sh"
need_program; need jq; tool treegen; need_judge
nasty_tree "$WORK/tree" 3000
MIB=$((1 << 20))

outside() {	# FROM LENGTH: all bytes of the disk that are not in between
	{ head -c "$1" "$WORK/disk"; tail -c +$(($1 + $2 + 1)) "$WORK/disk"; } | sha256sum
}
# full of old content, so that a change anywhere shows; a superblock's place outside the range is full too
inside() {	# FROM LENGTH [OPTIONS...]
	local before
	rm -f "$WORK/disk"
	treegen noise "$WORK/disk" $((400 * MIB))
	before=$(outside "$1" "$2")
	make_fs -f -r "$WORK/tree" --offset "$1" --length "$2" "${@:3}" "$WORK/disk"
	[ "$(stat -c %s "$WORK/disk")" = $((400 * MIB)) ] || fail "$*: the disk has another size"
	[ "$before" = "$(outside "$1" "$2")" ] || fail "$*: bytes outside were changed"
	dd if="$WORK/disk" of="$WORK/cut" iflag=skip_bytes,count_bytes skip="$1" count="$2" bs=1M status=none
	scrub_status 0 "$WORK/cut"
	JUDGE_LABEL="offset $*" judge -s "$WORK/tree" "$WORK/cut"
}
inside $MIB $((200 * MIB))
inside $((100 * MIB + 4096)) $((150 * MIB))
inside $((63 * 512)) $((150 * MIB + 512)) --verify	# no multiple of 4096: buffered
inside $((50 * MIB)) $((300 * MIB)) --shrink --verify
inside $((50 * MIB)) $((100 * MIB)) -K --io-engine sync
inside $((32 * MIB)) $((250 * MIB)) -d dup -b 240M

# up to the end
rm -f "$WORK/disk"
treegen noise "$WORK/disk" $((200 * MIB))
before=$(head -c $((64 * MIB)) "$WORK/disk" | sha256sum)
expect 0 bo mkfs --format json --offset 64M -r "$WORK/tree" "$WORK/disk"
[ "$(jq .total_bytes "$WORK/out")" = $((136 * MIB)) ] || fail "to the end: $(jq .total_bytes "$WORK/out")"
[ "$before" = "$(head -c $((64 * MIB)) "$WORK/disk" | sha256sum)" ] || fail "bytes before were changed"

# what is in the range counts, not what is elsewhere: signatures, and loop devices that show other bytes
expect 1 bo mkfs --offset 64M -r "$WORK/tree" "$WORK/disk"
expect_message "already holds data"
make_fs --length 60M -r "$WORK/tree" "$WORK/disk"
loop=$(losetup -f --show -o 64M "$WORK/disk")
mount -o ro "$loop" "$MNT" || fail "no mount of the second file system"
make_fs -f --length 64M -r "$WORK/tree" "$WORK/disk"
expect 1 bo mkfs -f --length 65M -r "$WORK/tree" "$WORK/disk"
expect_message "attached to $loop"
expect 1 bo mkfs -f -r "$WORK/tree" "$WORK/disk"
expect_message "attached to $loop"
diff -r --no-dereference "$WORK/tree/sizes" "$MNT/sizes" >/dev/null || fail "the neighbour was hurt"
unmount
detach

# a failure in the middle leaves no magic, and the neighbours alone
rm -f "$WORK/disk"
treegen noise "$WORK/disk" $((200 * MIB))
before=$(outside $MIB $((100 * MIB)))
tool_iofault
run env IOFAULT_TARGET="$WORK/" IOFAULT_FAIL=write IOFAULT_AT=12 LD_PRELOAD="$IOFAULT" timeout "$LIMIT" \
	"$BTRFS_OFFLINE" mkfs -q --io-engine sync --offset 1M --length 100M -r "$WORK/tree" "$WORK/disk"
[ $RC = 1 ] || fail "a fault: status $RC"
[ "$before" = "$(outside $MIB $((100 * MIB)))" ] || fail "a failure changed bytes outside"
dd if="$WORK/disk" of="$WORK/cut" bs=1M skip=1 count=100 status=none
expect_no_magic "$WORK/cut"

# wrong use
refused() {	# MESSAGE OPTIONS...
	expect 1 bo mkfs -f "${@:2}"
	expect_message "$1"
}
before=$(sha256sum "$WORK/disk")
images 100M b
refused 'for one target' --offset 1M "$WORK/disk" "$WORK/b"
refused 'for one target' --length 50M "$WORK/disk" "$WORK/b"
refused 'multiple of 512' --offset 1000 "$WORK/disk"
refused 'are not all in it' --offset 150M --length 60M "$WORK/disk"
refused 'are not all in it' --offset 18446744073709551104 --length 1024 "$WORK/disk"
refused 'are not all in it' --offset 300M "$WORK/disk"
refused 'does not exist' --offset 1M "$WORK/no"
refused 'too small' --offset 1M --length 1M "$WORK/disk"
refused 'too small' --offset 1M --length 4M -r "$WORK/tree" "$WORK/disk"
refused '-b asks for' --offset 1M --length 50M -b 60M "$WORK/disk"
refused 'size such as' --offset x "$WORK/disk"
[ "$before" = "$(sha256sum "$WORK/disk")" ] || fail "a refused run wrote"
finish
