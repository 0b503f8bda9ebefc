#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# quickstart on a small folder: makes two images that scrub clean, can be
# repeated, and refuses cleanly when the disk is too full.

set -eu

fail() { echo "$*"; cat "$TMPDIR/out"; exit 1; }

[ "$BUILD" = "$TOP" ] || { echo "the build is not in the source folder"; exit 77; }

folder="$TMPDIR/a folder"
mkdir "$folder"
seq 100000 >"$folder/numbers"
echo small >"$folder/small"

for round in first second; do
	"$TOP/quickstart" "$folder" >"$TMPDIR/out" 2>&1 || fail "the $round run failed"
	for image in disk1.img disk2.img; do
		[ -s "$TMPDIR/quickstart-images/$image" ] || fail "no $image"
		grep -q "losetup .*$image" "$TMPDIR/out" || fail "does not say how to mount $image"
	done
done
"$BTRFS_OFFLINE" scrub "$TMPDIR"/quickstart-images/disk[12].img >"$TMPDIR/out" 2>&1 || fail "scrub finds errors"

# a df that knows only full disks
mkdir "$TMPDIR/bin"
printf '#!/bin/sh\necho Avail\necho 1000\n' >"$TMPDIR/bin/df"
chmod +x "$TMPDIR/bin/df"
rm -r "$TMPDIR/quickstart-images"
PATH=$TMPDIR/bin:$PATH "$TOP/quickstart" "$folder" >"$TMPDIR/out" 2>&1 && fail "does not see that the disk is full"
grep -q 'are free there' "$TMPDIR/out" || fail "does not say that the disk is full"
[ ! -e "$TMPDIR/quickstart-images/disk1.img" ] || fail "leaves an image behind"

"$TOP/quickstart" "$folder/none" >"$TMPDIR/out" 2>&1 && fail "takes a folder that is not there"
grep -q 'not a folder' "$TMPDIR/out" || fail "does not say what is wrong with the folder"
exit 0
