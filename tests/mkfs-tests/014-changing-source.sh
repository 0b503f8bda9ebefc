#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Files that shrink, grow or vanish while they are read: said, never memory that was not read, never a hang.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; tool treegen; tool_iofault
LIMIT=60

fresh_tree() {
	rm -rf "$WORK/tree"
	mkdir "$WORK/tree"
	head -c 3000 /dev/zero | tr '\0' S >"$WORK/tree/changing-small"
	head -c 5000000 /dev/zero | tr '\0' B >"$WORK/tree/changing-big"
	echo steady >"$WORK/tree/steady"
	treegen many "$WORK/tree/many" 300
}

race() {	# STATUS ACTION OPTIONS...
	fresh_tree
	images 300M a b
	expect "$1" env IOFAULT_SOURCE="$WORK/tree/changing" IOFAULT_ACTION="$2" LD_PRELOAD="$IOFAULT" \
		timeout -k 5 $LIMIT "$BTRFS_OFFLINE" mkfs -q -d raid0 -m raid1 "${@:3}" \
		-r "$WORK/tree" "$WORK/a" "$WORK/b"
	expect_message changing-small changing-big
}

for action in cut empty grow unlink; do
	race 1 $action
	expect_no_magic "$WORK/a" "$WORK/b"
	say "$action: refused"

	race 0 $action --on-change=keep
	attach ro "$WORK/a" "$WORK/b" && mount_loops ro || fail "$action: no mount"
	[ "$(cat "$MNT/steady")" = steady ] || fail "$action: a file that did not change is wrong"
	for f in small:S:3000 big:B:5000000; do
		IFS=: read -r name letter most <<<"$f"
		[ -e "$MNT/changing-$name" ] || continue
		[ "$(stat -c %s "$MNT/changing-$name")" -le "$most" ] || fail "$action: $name grew"
		[ -z "$(tr -d "$letter\0" <"$MNT/changing-$name" | head -c 10)" ] ||
			fail "$action: bytes in $name that were never read"
	done
	kept=$(stat -c %s "$MNT/changing-small")
	if [ $action = grow ]; then
		[ "$kept" = 3000 ] || fail "grow: $kept bytes kept of 3000"
	fi
	unmount
	detach
	JUDGE_LABEL="$action kept" judge "$WORK/a" "$WORK/b"
	scrub_status 0 "$WORK/a" "$WORK/b"
	say "$action: kept"
done

# attributes of the kernel promise 4096 bytes and give a few
images 300M a
if [ -r /sys/fs/btrfs/features/acl ]; then
	expect 1 bo mkfs -q -r /sys/fs/btrfs/features "$WORK/a"
	expect_no_magic "$WORK/a"
	expect 0 bo mkfs -q --on-change=keep -r /sys/fs/btrfs/features "$WORK/a"
	attach ro "$WORK/a" && mount_loops ro || fail "no mount"
	[ "$(tr -d '\0' <"$MNT/acl")" = "$(cat /sys/fs/btrfs/features/acl)" ] || fail "other content than sysfs gave"
	unmount
	detach
	judge "$WORK/a"
else
	skip_part "sysfs: no btrfs features there"
fi
finish
