#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What is no set of devices is refused at once, with status 1 and its name.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; tool treegen
LIMIT=30

mkdir "$WORK/tree" && echo content >"$WORK/tree/file"
images 200M a b c d
make_fs -d raid0 -m raid1 -r "$WORK/tree" "$WORK/a" "$WORK/b"
make_fs -r "$WORK/tree" "$WORK/c"

refused() {	# REGEX DEVICE...
	expect 1 bo scrub "${@:2}"
	expect_message "$1"
	say "$1"
}

mkfifo "$WORK/fifo"
: >"$WORK/empty"
printf x >"$WORK/one-byte"
head -c 65535 /dev/zero >"$WORK/short"
refused fifo "$WORK/fifo"
refused "$WORK" "$WORK"
refused null /dev/null
refused zero /dev/zero
refused empty "$WORK/empty"
refused one-byte "$WORK/one-byte"
refused short "$WORK/short"
refused "$WORK/d" "$WORK/d"
refused missing "$WORK/missing"
refused 'devid|missing|device' "$WORK/a"
refused 'devid|missing|device' "$WORK/b"
refused 'twice|same|more than once' "$WORK/a" "$WORK/a" "$WORK/b"
ln "$WORK/a" "$WORK/a-link" && ln -s a "$WORK/a-symlink"
refused 'twice|same|more than once' "$WORK/a" "$WORK/b" "$WORK/a-link"
refused 'twice|same|more than once' "$WORK/a" "$WORK/b" "$WORK/a-symlink"
cp --sparse=always "$WORK/a" "$WORK/a-copy"
refused 'devid|same|twice|both' "$WORK/a" "$WORK/b" "$WORK/a-copy"
refused "$WORK/c" "$WORK/a" "$WORK/b" "$WORK/c"
expect 1 bo scrub

# mounted, and the file below a mounted device
attach rw "$WORK/a" "$WORK/b"
mount_loops rw || fail "no mount"
refused 'mounted|busy|in use' "${LOOPS[@]}"
refused 'loop|mounted|busy|in use' "$WORK/a" "$WORK/b"
unmount
detach
scrub_status 0 "$WORK/a" "$WORK/b"

# an enormous empty file costs nothing
truncate -s 4E "$WORK/enormous" 2>/dev/null || truncate -s 8T "$WORK/enormous" || fail "no sparse files here"
refused enormous "$WORK/enormous"
finish
