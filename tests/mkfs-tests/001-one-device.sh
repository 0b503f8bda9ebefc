#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A tree with one of everything on one device, all defaults: the kernel finds each thing as it was.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; tool treegen

nasty_tree "$WORK/tree"
images 1G a

make_fs -r "$WORK/tree" "$WORK/a"
judge -w -s "$WORK/tree" "$WORK/a"
scrub_status 0 "$WORK/a"

# without a tree: an empty file system
images 300M b
make_fs "$WORK/b"
mkdir -m 755 "$WORK/nothing"
judge -w -s "$WORK/nothing" -f lxd "$WORK/b"
scrub_status 0 "$WORK/b"
finish
