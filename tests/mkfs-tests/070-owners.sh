#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --owner, --uid-map and --gid-map: whose the entries are in the image, whoever owns them here.
. "$(dirname "$0")/../common.sh"
need_program; need_judge

mkdir -p "$WORK/tree/dir"
echo one >"$WORK/tree/dir/file" && ln "$WORK/tree/dir/file" "$WORK/tree/link" && ln -s nowhere "$WORK/tree/dangling"
mkfifo "$WORK/tree/fifo" && mknod "$WORK/tree/null" c 1 3
chown 1000:1001 "$WORK/tree" && chown -h 2000:2001 "$WORK/tree/dangling" && chown 4294967294:65536 "$WORK/tree/fifo"

owners() {	# OPTIONS...: "NAME UID:GID" of all entries, in one line
	rm -f "$WORK/a"
	images 200M a
	make_fs -r "$WORK/tree" "$@" "$WORK/a"
	attach ro "$WORK/a" && mount_loops ro || fail "no mount"
	(cd "$MNT" && find . -printf '%p %U:%G\n' | sort | tr '\n' ' ')
	unmount
	detach
}
expect_owners() {	# WANT OPTIONS...
	local got
	got=$(owners "${@:2}") || fail "$got"
	[ "$got" = "$1 " ] || fail "${*:2}: $got"
	say "${*:2}"
}

expect_owners '. 1000:1001 ./dangling 2000:2001 ./dir 0:0 ./dir/file 0:0 ./fifo 4294967294:65536 ./link 0:0 ./null 0:0'
expect_owners '. 0:0 ./dangling 0:0 ./dir 0:0 ./dir/file 0:0 ./fifo 0:0 ./link 0:0 ./null 0:0' --owner 0:0
expect_owners '. 7:8 ./dangling 7:8 ./dir 7:8 ./dir/file 7:8 ./fifo 7:8 ./link 7:8 ./null 7:8' --owner 7:8
expect_owners '. 7:1001 ./dangling 7:2001 ./dir 7:0 ./dir/file 7:0 ./fifo 7:65536 ./link 7:0 ./null 7:0' --owner 7
expect_owners '. 1000:8 ./dangling 2000:8 ./dir 0:8 ./dir/file 0:8 ./fifo 4294967294:8 ./link 0:8 ./null 0:8' --owner :8
nobody=$(id -u nobody):$(getent group nogroup | cut -d: -f3)
expect_owners ". $nobody ./dangling $nobody ./dir $nobody ./dir/file $nobody ./fifo $nobody ./link $nobody ./null $nobody" \
	--owner nobody:nogroup
expect_owners '. 0:101 ./dangling 1000:2001 ./dir 100000:0 ./dir/file 100000:0 ./fifo 4294967294:3 ./link 100000:0 ./null 100000:0' \
	--uid-map 0:100000:1000 --uid-map 1000:0:1001 --gid-map 1000:100:1000 --gid-map 65536:3:1
expect_owners '. 1000:5 ./dangling 2000:5 ./dir 9:5 ./dir/file 9:5 ./fifo 4294967294:5 ./link 9:5 ./null 9:5' \
	--owner :5 --uid-map 0:9:1
judge "$WORK/a"
scrub_status 0 "$WORK/a"

# an owner that no file can have, where the file system of the source shows one, is cured by --owner only; words:
refused() {	# REGEX OPTIONS...
	images 200M b
	expect 1 bo mkfs -q -r "$WORK/tree" "${@:2}" "$WORK/b"
	expect_message "$1"
	expect_no_magic "$WORK/b"
	say "${*:2}: refused"
}
refused 'owner.*user' --owner no-such-user-here
refused 'owner.*group' --owner 0:no-such-group-here
refused 'owner' --owner ''
refused 'owner' --owner 5:
refused '4294967294' --owner 4294967295
refused 'owner.*uid-map' --owner 5 --uid-map 0:1:1
refused 'owner.*gid-map' --owner 5:6 --gid-map 0:1:1
refused 'uid-map.*FROM:TO:COUNT' --uid-map 5
refused 'uid-map.*overlap' --uid-map 0:5:10 --uid-map 9:100:1
refused 'gid-map.*overlap' --gid-map 0:5:10 --gid-map 0:5:10
refused 'gid-map.*4294967294' --gid-map 0:2:4294967294
refused 'uid-map.*count of 0' --uid-map 0:1:0
expect 1 bo mkfs -q --owner 0:0 "$WORK/b"
expect_message 'owner needs --rootdir'
finish
