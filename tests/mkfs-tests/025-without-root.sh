#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# As an ordinary user, and under fakeroot: no root is needed for images, and what cannot be read is named.
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

# owners and device nodes as fakeroot tells them
if command -v fakeroot >/dev/null && ! ldd "$BTRFS_OFFLINE" | grep -q 'lib[atl]san'; then
	cat >"$WORK/user/faked.sh" <<-END
		mkdir faked && echo x >faked/file && chown 12:34 faked/file && mknod faked/node c 5 1 &&
		"$WORK/bin/program" mkfs -q -b 300M -r faked faked.img
	END
	cd "$WORK/user" || exit 1
	expect 0 as_user fakeroot sh ./faked.sh
	cd / || exit 1
	attach ro "$WORK/user/faked.img" && mount_loops ro || fail "no mount"
	[ "$(stat -c %u:%g "$MNT/file")" = 12:34 ] || fail "fakeroot: owner $(stat -c %u:%g "$MNT/file")"
	[ "$(stat -c %F:%t:%T "$MNT/node")" = "character special file:5:1" ] || fail "fakeroot: $(stat -c %F:%t:%T "$MNT/node")"
	unmount
	detach
else
	skip_part "fakeroot: not here"
fi
finish
