#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Scrub writes nothing: not to files, not their times; it needs no right to write.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; tool treegen blockedit

mkdir "$WORK/tree" && treegen many "$WORK/tree/many" 500
images 300M a b
make_fs -d raid1 -m raid1 -r "$WORK/tree" "$WORK/a" "$WORK/b"
flip "$WORK/b" 67108864	# something that a repair would touch

chmod 0444 "$WORK/a" "$WORK/b"
state() { sha256sum "$WORK/a" "$WORK/b"; stat -c '%n %y %z %b' "$WORK/a" "$WORK/b"; }
before=$(state)
scrub_status 4 "$WORK/a" "$WORK/b"
[ "$before" = "$(state)" ] || fail "scrub changed an image"

attach ro "$WORK/a" "$WORK/b"
scrub_status 4 "${LOOPS[@]}"
detach
[ "$before" = "$(state)" ] || fail "scrub changed an image through a read-only device"

if command -v setpriv >/dev/null; then
	chmod 0755 "$WORK" && cp "$BTRFS_OFFLINE" "$WORK/bin/program"
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$WORK/bin/program" scrub "$WORK/a" "$WORK/b"
	if grep -q 'Permission denied' "$WORK/err"; then
		skip_part "as an ordinary user: $WORK is closed to others"
	else
		[ $RC = 4 ] || { show_output; fail "as an ordinary user: $RC"; }
	fi
	chmod 0 "$WORK/b"
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$WORK/bin/program" scrub "$WORK/a" "$WORK/b"
	[ $RC = 1 ] || fail "an unreadable image: $RC"
fi
finish
