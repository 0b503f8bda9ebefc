#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# As an ordinary user: no root is needed for images, and what cannot be read is named.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need setpriv; tool treegen

mkdir "$WORK/tree" "$WORK/user"
echo content >"$WORK/tree/file"
mkdir "$WORK/tree/dir" && echo more >"$WORK/tree/dir/file"
chmod 0755 "$WORK" "$WORK/tree" "$WORK/tree/dir"
chown -R 65534:65534 "$WORK/user"
cp "$BTRFS_OFFLINE" "$WORK/bin/program" && chmod 0755 "$WORK/bin" "$WORK/bin/program"
p=$WORK
while [ "$p" != / ]; do
	p=$(dirname "$p")
	[ $((0$(stat -c %a "$p") & 1)) = 1 ] || skip "$p is closed to ordinary users"
done
as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups -- timeout "$LIMIT" "$@"; }

expect 0 as_user "$WORK/bin/program" mkfs -q -b 300M -d raid0 -m raid1 -r "$WORK/tree" "$WORK/user/a" "$WORK/user/b"
judge -s "$WORK/tree" "$WORK/user/a" "$WORK/user/b"
expect 0 as_user "$WORK/bin/program" scrub "$WORK/user/a" "$WORK/user/b"

# a file and a directory that this user cannot read
for closed in file dir; do
	chmod 0 "$WORK/tree/$closed"
	expect 1 as_user "$WORK/bin/program" mkfs -q -b 300M -r "$WORK/tree" "$WORK/user/c"
	expect_message "$closed"
	[ ! -e "$WORK/user/c" ] || fail "a failed run left an image"
	chmod 0755 "$WORK/tree/$closed"
done

# the tree is a symlink: its target is meant
ln -s tree "$WORK/link"
images 300M d
make_fs -r "$WORK/link" "$WORK/d"
judge -s "$WORK/tree" "$WORK/d"

finish
