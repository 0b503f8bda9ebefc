#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Inputs on which tools of this kind failed, as was reported in public, where no other test has them already.
. "$(dirname "$0")/../common.sh"
need_program; need jq; tool treegen; need_judge

# a socket in the tree: kept, and never opened; the top given by a symlink is followed, a link in it is not
mkdir "$WORK/tree"
if command -v perl >/dev/null && perl -MIO::Socket::UNIX -e \
	'IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 1) or die' "$WORK/tree/socket" 2>/dev/null; then
	[ -S "$WORK/tree/socket" ] || fail "this test has no socket"
else
	skip_part "a socket: perl cannot make one here"
fi
mkfifo "$WORK/tree/fifo"
ln -s /etc "$WORK/tree/link-to-a-directory"
ln -s nowhere "$WORK/tree/dangling"
ln -s tree "$WORK/top"
images 100M a
make_fs -r "$WORK/top" "$WORK/a"
judge -s "$WORK/tree" "$WORK/a"

# compression asked for, and nothing there to compress
mkdir "$WORK/empty"
expect 0 bo mkfs -f --format json --compress zstd -r "$WORK/empty" "$WORK/a"
[ "$(jq .compressed_bytes "$WORK/out")" = 0 ] || fail "something was compressed"
judge -w -s "$WORK/empty" "$WORK/a"

# one hundred names of one file of 10 MB are 10 MB
mkdir "$WORK/names"
treegen noise "$WORK/names/0" 10000000
for i in $(seq 99); do ln "$WORK/names/0" "$WORK/names/$i"; done
images 40M b
make_fs -r "$WORK/names" "$WORK/b"
judge -s "$WORK/names" "$WORK/b"

# 200 MB on a block device of 120 MB: how much is needed and how much there is; 101 MB twice on the same device
mkdir "$WORK/big"
treegen noise "$WORK/big/file" 200000000
images 120M c
attach rw "$WORK/c"
expect 1 bo mkfs -r "$WORK/big" "${LOOPS[0]}"
expect_message 'too small: 20[0-9]{7} bytes .* needed .* 125829120 .* available'
detach
expect_no_magic "$WORK/c"
truncate -s 101M "$WORK/big/file"
images 230M c
make_fs -d dup -r "$WORK/big" "$WORK/c"
judge -s "$WORK/big" "$WORK/c"

# 300 MB in a chunk that is not a gigabyte: media without sparse files take what is used, and not more
treegen noise "$WORK/big/second" 200000000
rm -f "$WORK/d"
make_fs -r "$WORK/big" "$WORK/d"
[ "$(stat -c %s "$WORK/d")" -lt 320000000 ] || fail "306 MB became $(stat -c %s "$WORK/d") bytes"
judge -s "$WORK/big" "$WORK/d"

# a loop device over one half of a disk, while the other half is mounted
images 200M disk
one=$(losetup -f --show --sizelimit 100M "$WORK/disk")
two=$(losetup -f --show -o 100M "$WORK/disk")
make_fs -r "$WORK/tree" "$one"
mount -o ro "$one" "$MNT" || fail "no mount of one half"
make_fs -r "$WORK/tree" "$two"
expect 1 bo mkfs -f -r "$WORK/tree" "$one"
expect_message "$one is in use"
umount "$MNT"
scrub_status 0 "$one"
scrub_status 0 "$two"
detach
finish
