#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# More devices than the superblock has room for in the system chunk's item, or a small leaf in a chunk's.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; tool treegen

mkdir "$WORK/tree" && treegen many "$WORK/tree/many" 500 && treegen noise "$WORK/tree/noise" 20000000
mkdir "$WORK/devices"
for i in $(seq 100 229); do truncate -s 40M "$WORK/devices/$i"; done
all=("$WORK/devices"/*)
for options in '-d raid0 -m raid0' '-d raid0 -m raid10' '-n 4K -d raid10 -m raid0'; do
	make_fs -f $options -r "$WORK/tree" "${all[@]}"
	scrub_status 0 "${all[@]}"
	say "${#all[@]} devices, $options"
done

# (a kernel that must add a second system chunk to a superblock with a wide one gives up: not written to)
new_devices() { for i in $(seq 100 165); do truncate -s 0 "$WORK/devices/$i" && truncate -s 120M "$WORK/devices/$i"; done; }
new_devices
make_fs -d raid0 -m raid0 -r "$WORK/tree" "${all[@]:0:66}"
judge -s "$WORK/tree" "${all[@]:0:66}"
new_devices
make_fs -d raid0 -m raid1 -r "$WORK/tree" "${all[@]:0:66}"
judge -w -s "$WORK/tree" "${all[@]:0:66}"
finish
