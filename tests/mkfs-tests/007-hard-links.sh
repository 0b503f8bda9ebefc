#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Hard links: many names in one directory (extended references), names outside the tree, links of links.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; tool treegen

mkdir -p "$WORK/tree/sub" "$WORK/outside"
treegen links "$WORK/tree/many" 300
ln "$WORK/tree/many/first" "$WORK/tree/sub/elsewhere"
echo one >"$WORK/tree/half-outside" && ln "$WORK/tree/half-outside" "$WORK/outside/name"
echo two >"$WORK/tree/two-in" && ln "$WORK/tree/two-in" "$WORK/tree/sub/two-in" && ln "$WORK/tree/two-in" "$WORK/outside/two"
mkfifo "$WORK/tree/fifo" && ln "$WORK/tree/fifo" "$WORK/tree/sub/fifo"
ln -s target "$WORK/tree/symlink" && ln -P "$WORK/tree/symlink" "$WORK/tree/sub/symlink"
mknod "$WORK/tree/null" c 1 3 && ln "$WORK/tree/null" "$WORK/tree/sub/null"
# the same inode is counted once: far more names than would fit as copies
treegen noise "$WORK/tree/big" 10000000
for i in $(seq 100); do ln "$WORK/tree/big" "$WORK/tree/sub/big$i"; done

images 300M a
make_fs -r "$WORK/tree" "$WORK/a"
judge -w -s "$WORK/tree" "$WORK/a"
scrub_status 0 "$WORK/a"
btrfs inspect-internal dump-super -f "$WORK/a" | grep -q EXTENDED_IREF || fail "no EXTENDED_IREF"
btrfs inspect-internal dump-tree -t fs "$WORK/a" | grep -aq 'INODE_EXTREF' || fail "no extended reference in the tree"

# without that feature it cannot be stored: refused, naming the file or the feature
images 300M b
expect 1 bo mkfs -O ^extref -r "$WORK/tree" "$WORK/b"
expect_message 'extref|link|reference'
expect_no_magic "$WORK/b"
finish
