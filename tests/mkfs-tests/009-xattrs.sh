#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Extended attributes, ACLs and capabilities: on files, directories, the root directory, symlinks; and too large.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need setfattr setfacl setcap; tool treegen

mkdir -p "$WORK/tree/dir"
mkdir "$WORK/tmpfs" && mount -t tmpfs -o size=50M none "$WORK/tmpfs" || fail "cannot mount a tmpfs"
cd "$WORK/tree" || fail "no tree"
for f in plain with-cap acl many; do echo $f >$f; done
setfattr -n user.text -v text . && setfattr -n trusted.top -v 1 . && setfacl -m u:7:rx . && setfacl -d -m g:9:rwx .
chmod 0700 . && chown 12:34 .
setcap cap_net_raw+ep with-cap && setfacl -m u:1000:rw,g:7:r,m::rw acl && setfacl -d -m u:33:rx dir
setfattr -n user.empty plain && setfattr -n user.nul -v 0x0061000062 plain
setfattr -n "user.$(head -c 240 /dev/zero | tr '\0' n)" -v longname plain
ln -s nowhere link && setfattr -h -n trusted.on-link -v yes link
mkfifo fifo && setfattr -n trusted.on-fifo -v yes fifo
for i in $(seq 40); do setfattr -n "user.number$i" -v "$i" many; done
touch -d '2010-11-12 13:14:15.161718192 UTC' . dir
cd / || exit 1

images 300M a
make_fs -r "$WORK/tree" "$WORK/a"
judge -w -s "$WORK/tree" "$WORK/a"
scrub_status 0 "$WORK/a"

# large values, as only some file systems can hold them
cd "$WORK/tmpfs" || exit 1
mkdir ok large
echo >ok/file && echo >large/culprit
value() { head -c "$1" /dev/zero | tr '\0' v; }
if setfattr -n user.big -v "$(value 16200)" ok/file 2>/dev/null; then
	images 300M b
	make_fs -r "$WORK/tmpfs/ok" "$WORK/b"
	judge -s "$WORK/tmpfs/ok" "$WORK/b"
	for size in 16300 60000; do
		setfattr -n user.toobig -v "$(value $size)" large/culprit
		images 300M c
		expect 1 bo mkfs -r "$WORK/tmpfs/large" "$WORK/c"
		expect_message culprit user.toobig
		expect_no_magic "$WORK/c"
	done
else
	skip_part "large values: tmpfs has no user attributes here"
fi
cd / || exit 1
finish
