#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Directories so deep that no path reaches their end.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; tool treegen

treegen deep "$WORK/tree" 60		# a path of 12,060 bytes
images 300M a
make_fs -r "$WORK/tree" "$WORK/a"
judge -s "$WORK/tree" "$WORK/a"
scrub_status 0 "$WORK/a"

# far more levels than descriptors
treegen stairs "$WORK/stairs" 5000
images 300M b
( ulimit -n 256; exec timeout 120 "$BTRFS_OFFLINE" mkfs -q -r "$WORK/stairs" "$WORK/b" ) || fail "5000 levels"
judge -s "$WORK/stairs" "$WORK/b"
scrub_status 0 "$WORK/b"
finish
