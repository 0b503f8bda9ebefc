#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Under fakeroot, pseudo and faketime: what they say of an entry goes into the image, and no file seems changed.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need setpriv setfattr getfattr
ldd "$BTRFS_OFFLINE" >/dev/null 2>&1 || skip "a static program cannot be given a preloaded library"
! ldd "$BTRFS_OFFLINE" | grep -q 'lib[atl]san' || skip "sanitizers do not go with a preloaded library"

mkdir "$WORK/user" && cp "$BTRFS_OFFLINE" "$WORK/bin/program" && chmod 0755 "$WORK/bin" "$WORK/bin/program"
chown 65534:65534 "$WORK/user"
p=$WORK
while [ "$p" != / ]; do
	p=$(dirname "$p")
	[ $((0$(stat -c %a "$p") & 1)) = 1 ] || skip "$p is closed to ordinary users"
done
as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups -- env HOME="$WORK/user" timeout "$LIMIT" "$@"; }

# all that a user cannot do; the last line of it is ours
cat >"$WORK/user/build.sh" <<END
set -e
rm -rf tree
mkdir tree tree/dir
chown 0:3 tree
echo content >tree/file && chown 12:34 tree/file && chmod 4755 tree/file
ln tree/file tree/dir/link
ln -s file tree/symlink && chown -h 7:8 tree/symlink
mknod tree/null c 1 3 && chmod 0666 tree/null
mknod tree/block b 259 70000 && chown 0:6 tree/block
mkfifo tree/fifo && chown 5:6 tree/fifo
: >tree/empty && chown 4294967294:65536 tree/empty
head -c 300000 /dev/zero >tree/large && chown 1:1 tree/large
echo secret >tree/closed && chmod 0 tree/closed
setfattr -n trusted.t -v fake tree/file
setfattr -n security.capability -v 0x0100000200200000000000000000000000000000 tree/large
setfattr -n security.s -v of-a-directory tree/dir
setfattr -n user.u -v real tree/empty
"$WORK/bin/program" mkfs -q -b 300M -r tree "\$1"
END

expect_faked() {	# IMAGE
	local got
	attach ro "$1" && mount_loops ro || fail "no mount"
	got=$(cd "$MNT" && find . -printf '%p %U:%G %m %y %n\n' | sort | tr '\n' ';')
	[ "$got" = '. 0:3 755 d 1;./block 0:6 644 b 1;./closed 0:0 0 f 1;./dir 0:0 755 d 1;./dir/link 12:34 4755 f 2;./empty 4294967294:65536 644 f 1;./fifo 5:6 644 p 1;./file 12:34 4755 f 2;./large 1:1 644 f 1;./null 0:0 666 c 1;./symlink 7:8 777 l 1;' ] ||
		fail "$1: $got"
	got=$(stat -c %t:%T "$MNT/null" "$MNT/block" | tr '\n' ' ')
	[ "$got" = '1:3 103:11170 ' ] || fail "$1: device numbers $got"
	got=$(cd "$MNT" && getfattr -R -h -d -m - . 2>/dev/null | grep = | sort | tr '\n' ' ')
	[ "$got" = 'security.capability=0sAQAAAgAgAAAAAAAAAAAAAAAAAAA= security.s="of-a-directory" trusted.t="fake" trusted.t="fake" user.u="real" ' ] ||
		fail "$1: attributes $got"
	unmount
	detach
	judge "$1"
}

tried=
for how in fakeroot-sysv fakeroot-tcp fakeroot-pseudo; do
	if ! command -v $how >/dev/null; then
		skip_part "$how: not here"
		continue
	fi
	cd "$WORK/user" || exit 1
	as_user $how true 2>/dev/null || { skip_part "$how: does not work here"; continue; }
	expect 0 as_user $how sh ./build.sh $how.img
	cd / || exit 1
	expect_faked "$WORK/user/$how.img"
	say $how
	tried=1
done
[ -n "$tried" ] || skip "neither fakeroot nor pseudo is here"

# the clock is another one, and perhaps the times of files are too
if command -v faketime >/dev/null; then
	mkdir "$WORK/tree" && echo content >"$WORK/tree/file" && head -c 3000000 /dev/urandom >"$WORK/tree/large"
	touch -d '2020-01-01 UTC' "$WORK"/tree/*
	echo 'made type=file' >"$WORK/manifest"
	for how in '2008-12-24 08:15:42' '10 years ago'; do
		images 300M a
		expect 0 faketime "$how" timeout "$LIMIT" "$BTRFS_OFFLINE" mkfs -q -r "$WORK/tree" --manifest "$WORK/manifest" "$WORK/a"
		attach ro "$WORK/a" && mount_loops ro || fail "no mount"
		cmp "$WORK/tree/large" "$MNT/large" || fail "other content"
		[ "$(date +%Y)" -gt "$(stat -c %y "$MNT/made" | cut -c1-4)" ] || fail "faketime $how: made $(stat -c %y "$MNT/made")"
		unmount
		detach
		judge "$WORK/a"
	done
	# both at once
	cd "$WORK/user" || exit 1
	if command -v fakeroot >/dev/null; then
		expect 0 as_user fakeroot faketime '2008-12-24 08:15:42' sh ./build.sh both.img
		attach ro both.img && mount_loops ro || fail "no mount"
		[ "$(stat -c %u:%g "$MNT/file")" = 12:34 ] || fail "fakeroot and faketime: $(stat -c %u:%g "$MNT/file")"
		unmount
		detach
	fi
	cd / || exit 1
	say faketime
else
	skip_part "faketime: not here"
fi

# some versions of libfaketime know other calls than ours does: the times of one call count, whatever the others say
if command -v "${CC:-cc}" >/dev/null; then
	${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O2 -shared -fPIC -o "$WORK/bin/fakestat.so" "$TOP/tests/tools/fakestat.c" -ldl ||
		fail "cannot build fakestat.c"
	mkdir -p "$WORK/old" && echo content >"$WORK/old/file" && head -c 3000000 /dev/urandom >"$WORK/old/large"
	touch -d @1500000000 "$WORK"/old/* "$WORK/old"
	images 300M a
	expect 0 env LD_PRELOAD="$WORK/bin/fakestat.so" timeout "$LIMIT" "$BTRFS_OFFLINE" mkfs -q -r "$WORK/old" "$WORK/a"
	[ ! -s "$WORK/err" ] || fail "faked times: $(cat "$WORK/err")"
	attach ro "$WORK/a" && mount_loops ro || fail "no mount"
	got=$(stat -c '%Y %W' "$MNT/file" "$MNT/large" | tr '\n' ' ')
	[ "$got" = '1499913600 1499913600 1499913600 1499913600 ' ] || fail "faked times: $got"
	cmp "$WORK/old/large" "$MNT/large" || fail "other content"
	unmount
	detach
	say 'faked times'
else
	skip_part "faked times: no C compiler"
fi
finish
