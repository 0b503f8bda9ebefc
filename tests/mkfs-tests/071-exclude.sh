#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What is left out: --exclude, --exclude-from, --xattr-exclude, --one-file-system; and --break-hardlinks.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need setfattr getfattr; tool treegen

T=$WORK/tree
mkdir -p "$T"/{src/lib/deep,var/cache/apt,tmp,mnt,.git/objects}
for f in src/a.c src/a.o src/lib/b.c src/lib/b.o src/lib/deep/c.o var/cache/apt/x tmp/.hidden tmp/y .git/objects/z \
	'[odd]' README; do echo "$f" >"$T/$f"; done
treegen noise "$T/var/cache/huge" 150000000

# kept WANT OPTIONS...: the names in the image; the survey counts no more than these
kept() {
	local got
	images 120M a
	make_fs -r "$T" "${@:2}" "$WORK/a"
	attach ro "$WORK/a" && mount_loops ro || fail "no mount"
	got=$(cd "$MNT" && find . ! -name . -printf '%P\n' | sort | tr '\n' ' ')
	unmount
	detach
	[ "$got" = "$1 " ] || fail "${*:2}: $got"
	say "${*:2}"
}
rest='.git .git/objects .git/objects/z README [odd] mnt src src/a.c src/a.o src/lib src/lib/b.c src/lib/b.o src/lib/deep'
rest+=' src/lib/deep/c.o tmp tmp/.hidden tmp/y var var/cache'

# 150 MB are too much for 120 MiB, unless the survey leaves them out too
images 120M a
expect 1 bo mkfs -q -r "$T" "$WORK/a"
expect_message 'need'
kept "$rest" --exclude 'var/cache/*'
kept "${rest/ \[odd\]/}" --exclude '/var/cache/**' --exclude '\[odd\]'
kept 'README [odd] src src/a.c src/lib src/lib/b.c src/lib/deep var' \
	--exclude '*.o' --exclude cache --exclude '/tmp/' --exclude .git --exclude mnt
kept 'README [odd] mnt src src/a.c src/lib src/lib/b.c tmp var' \
	--exclude 'src/**/*.o' --exclude 'tmp/*' --exclude '/v*/*/' --exclude '.*' --exclude '**/deep/'
kept '.git .git/objects .git/objects/z mnt src src/a.c src/a.o src/lib src/lib/b.c src/lib/b.o src/lib/deep src/lib/deep/c.o tmp tmp/y' \
	--exclude-from <(printf '# a comment\n\nvar\nREADME\n[[]odd]\n.hidden\n') --exclude 'src/**/none'
# a pattern for directories leaves a file of the name; a path is one from the top
kept "${rest/ var var\/cache/}" --exclude 'README/' --exclude 'lib/b.o' --exclude var
judge "$WORK/a"
scrub_status 0 "$WORK/a"

refused() {	# REGEX OPTIONS...
	images 400M b
	expect 1 bo mkfs -q -r "$T" "${@:2}" "$WORK/b"
	expect_message "$1"
	expect_no_magic "$WORK/b"
}
refused 'exclude.*empty' --exclude ''
refused 'exclude .*\[a' --exclude '[a'
refused 'exclude.*nothing back' --exclude '!a'
refused "$WORK/list:2: .*nothing back" --exclude-from <(:) --exclude-from "$(printf 'ok\n!bad\n' >"$WORK/list"; echo "$WORK/list")"
refused 'list:1: .*NUL' --exclude-from "$(printf 'a\0b\n' >"$WORK/list"; echo "$WORK/list")"
refused 'no-list: .*No such file' --exclude-from "$WORK/no-list"
refused 'xattr-exclude' --xattr-exclude 'user.[a'
say 'wrong use is refused'

# attributes: one too large for btrfs, as tmpfs can hold it
mkdir "$WORK/tmpfs" && mount -t tmpfs -o size=50M none "$WORK/tmpfs" || fail "cannot mount a tmpfs"
mkdir "$WORK/tmpfs/tree" && echo content >"$WORK/tmpfs/tree/file"
if setfattr -n user.keep -v kept "$WORK/tmpfs/tree/file" 2>/dev/null; then
	value() { head -c "$1" /dev/zero | tr '\0' v; }
	cd "$WORK/tmpfs/tree" || exit 1
	setfattr -n user.drop.a -v 1 file && setfattr -n security.drop -v 2 . && setfattr -n trusted.keep -v 3 .
	for size in 16250 60000; do
		setfattr -n user.culprit -v "$(value $size)" file
		images 200M c
		expect 1 bo mkfs -q -r . "$WORK/c"
		expect_message 'file.*user.culprit.*--xattr-exclude'
		expect_no_magic "$WORK/c"
		expect 0 bo mkfs -q -r . --xattr-exclude 'user.cul*' --xattr-exclude '*.drop*' "$WORK/c"
		attach ro "$WORK/c" && mount_loops ro || fail "no mount"
		got=$(getfattr -d -m - "$MNT" "$MNT/file" 2>/dev/null | grep = | sort | tr '\n' ' ')
		[ "$got" = 'trusted.keep="3" user.keep="kept" ' ] || fail "attributes: $got"
		unmount
		detach
	done
	# ... and with larger nodes it fits
	setfattr -n user.culprit -v "$(value 60000)" file
	images 200M c
	expect 0 bo mkfs -q -n 64K -r . "$WORK/c"
	judge -s "$WORK/tmpfs/tree" "$WORK/c"
	cd / || exit 1
	say 'attributes'
else
	skip_part "large attributes: tmpfs has no user attributes here"
fi

# another file system inside the tree: its directory stays, empty
mount -t tmpfs -o size=1M none "$T/mnt" || fail "cannot mount a tmpfs"
echo inside >"$T/mnt/inside" && mkdir "$T/mnt/dir"
kept "${rest/mnt/mnt mnt\/dir mnt\/inside}" --exclude '/var/cache/*'
kept "$rest" --one-file-system --exclude '/var/cache/*'
umount "$T/mnt"

# broken hard links
rm -rf "$T/var/cache"
mkdir "$WORK/plain"
for i in 1 2 3 4; do treegen noise "$WORK/plain/f$i" 100000; cp "$WORK/plain/f1" "$WORK/plain/f$i"; done
touch -d @1000000000 "$WORK"/plain/*
cp -a "$WORK/plain" "$WORK/linked"
for i in 2 3 4; do ln -f "$WORK/linked/f1" "$WORK/linked/f$i"; done
for i in 1 2 3 4; do touch -r "$WORK/linked/f1" "$WORK/plain/f$i"; done
touch -d @1000000000 "$WORK/linked" "$WORK/plain"
ids=(--seed tests)
export SOURCE_DATE_EPOCH=1700000000
images 200M d e
make_fs "${ids[@]}" -r "$WORK/linked" --break-hardlinks "$WORK/d"
judge -s "$WORK/plain" "$WORK/d"
make_fs "${ids[@]}" -r "$WORK/plain" "$WORK/e"
cmp "$WORK/d" "$WORK/e" || fail "a tree with links differs from one without"
say 'hard links'
finish
