#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --subvol that cannot be: the reason is said, the target is as it was. And the words that are no types.
. "$(dirname "$0")/../common.sh"
need_program; tool treelist

T=$WORK/tree
mkdir -p "$T"/dir/inner "$T/a:b" "$T/ro" "$T/auto" "$WORK/elsewhere"
echo file >"$T/file"
mkfifo "$T/fifo"
ln -s dir "$T/link"
ln -s "$WORK/elsewhere" "$T/out"
ln -s loop "$T/loop"
images 150M a
printf before | dd of="$WORK/a" conv=notrunc status=none

refused() {	# REGEX OPTIONS...
	expect 1 bo mkfs -f -q -r "$T" "${@:2}" "$WORK/a"
	expect_message "$1"
	[ "$(head -c 6 "$WORK/a")" = before ] || fail "refused, but written to: ${*:2}"
	say "${*:2}: $1"
}

for type in "" rw: ro: default: default-ro:; do
	refused 'no directory' -u "${type}file"
	refused 'cannot find.*no such file' -u "${type}missing"
done
refused 'no directory' -u fifo
refused 'cannot find' -u file/below
refused "'\.\.'" -u ..
refused "'\.\.'" -u ../tree/dir
refused "'\.\.'" -u dir/inner/..
refused "'\.\.'" -u "$T/../tree/dir"
for top in . / ./ .//. "$T" "$T/" ro:. default:/; do
	refused 'itself' -u "$top"
done
refused 'is missing' -u ''
refused 'is missing' -u 'ro:'
refused 'is missing' -u 'default:'
refused 'cannot find' -u "$WORK/elsewhere"
refused 'cannot find' -u "$WORK"
refused 'leads out' -u out
refused 'cannot find.*symbolic' -u loop
for again in dir dir/ ./dir /dir dir// "$T/dir" ro:dir default:dir link link/; do
	refused 'same directory as --subvol dir' -u dir -u "$again"
done
refused 'same directory' -u dir/inner -u link/inner
refused 'default is --subvol default:dir already' -u default:dir -u default:dir/inner
refused 'default is --subvol default-ro:dir already' -u default-ro:dir -u default:ro
refused './auto' -u auto
refused 'not on a mounted btrfs' -u auto:
refused 'cannot find r0:dir' -u r0:dir
refused 'cannot find dir:inner' -u ro:dir:inner
expect 1 bo mkfs -f -q -u dir "$WORK/a"
expect_message 'needs --rootdir'
[ ! -s "$WORK/out" ] || fail "an error on standard output"
expect 1 bo mkfs -b 150M -q -r "$T" -u missing "$WORK/new"
[ ! -e "$WORK/new" ] || fail "a refused run made an image"

# a long list, the last one wrong
many=()
for i in $(seq 1000); do mkdir "$T/dir/$i"; many+=(-u "dir/$i"); done
refused 'same directory as --subvol dir/1;' "${many[@]}" -u dir//1

# what looks like a type but is a name, and what a symlink inside leads to
names=(-u a:b -u ./ro -u ./auto -u link/inner)
expect 0 bo mkfs -f --format json -r "$T" "${names[@]}" "$WORK/a"
command -v jq >/dev/null && { jq -e '.subvolumes == 4' "$WORK/out" >/dev/null || fail "not 4 subvolumes"; }
expect 0 bo inspect tree -t root "$WORK/a"
for name in a:b ro auto inner; do grep -q "name $name\$" "$WORK/out" || fail "no subvolume $name"; done
scrub_status 0 "$WORK/a"

# one that an option leaves out must not be lost in silence
if [ "$(id -u)" = 0 ]; then
	mkdir "$T/mnt" && mount -t tmpfs none "$T/mnt" && mkdir -p "$T/mnt/below" || fail "cannot mount a tmpfs"
	printf before | dd of="$WORK/a" conv=notrunc status=none
	refused 'leaves it out' --one-file-system -u mnt/below
	expect 0 bo mkfs -f -q --one-file-system -r "$T" -u mnt "$WORK/a"
	scrub_status 0 "$WORK/a"
else
	skip_part "a mount in the tree: needs root"
fi
finish
