#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The image depends on the tree and the options, not on threads, modes, engines, source file system or time.
. "$(dirname "$0")/../common.sh"
need_program; tool treegen treelist

export SOURCE_DATE_EPOCH=1700000000
nasty_tree "$WORK/tree" 12000
treegen many "$WORK/tree/many" 2000

mkdir "$WORK/images"
build() {	# NAME OPTIONS...: two images, what is in them in $WORK/NAME.sum
	local name=$1
	rm -f "$WORK"/images/?
	images 700M images/a images/b
	make_fs --seed tests -U 6d6b6673-0001-4001-8001-000000000006 -d raid0 -m raid1 "${@:2}" "$WORK/images/a" "$WORK/images/b"
	treelist -f sd "$WORK/images" >"$WORK/$name.sum"	# (it passes over zeros)
}

same() {	# NAME
	cmp -s "$WORK/first.sum" "$WORK/$1.sum" || fail "other bytes: $1"
	say "$1"
}

build first --csum-threads 1 -r "$WORK/tree"
sleep 1.1
build again --csum-threads 1 -r "$WORK/tree"
same again
for threads in 0 1 2 5; do
	for mode in inline offload overlap; do
		build "$threads-$mode" --csum-threads $threads --csum-mode $mode -r "$WORK/tree"
		same "$threads-$mode"
	done
done
for mode in direct buffered; do
	build "io-$mode" --io $mode -r "$WORK/tree"
	same "io-$mode"
done
build small-memory --buffer-memory 4M --metadata-memory 1M -r "$WORK/tree"
same small-memory
build cutoff --csum-inline-max 4K -r "$WORK/tree"
same cutoff
if has_option mkfs --io-engine; then
	for engine in sync io_uring; do
		build "engine-$engine" --io-engine $engine -r "$WORK/tree"
		same "engine-$engine"
	done
else
	skip_part "engines: mkfs has no --io-engine"
fi

# an epoch that clamps nothing: the change and birth times of a copy are no part of the tree
cp -a "$WORK/tree" "$WORK/copy"
SOURCE_DATE_EPOCH=4000000000 build first-late -r "$WORK/tree"
SOURCE_DATE_EPOCH=4000000000 build copy-late -r "$WORK/copy"
cmp -s "$WORK/first-late.sum" "$WORK/copy-late.sum" || fail "other bytes: a copy of the tree"
say 'a copy of the tree'
rm -rf "$WORK/copy"

# one core
if command -v taskset >/dev/null; then
	ALL=$BTRFS_OFFLINE
	printf '#!/bin/sh\nexec taskset -c 0 "%s" "$@"\n' "$ALL" >"$WORK/bin/one-core"
	chmod +x "$WORK/bin/one-core"
	BTRFS_OFFLINE=$WORK/bin/one-core build one-core -r "$WORK/tree"
	same one-core
fi

# the same tree from a tmpfs: other inode numbers, order of names, block counts
if [ "$(id -u)" = 0 ]; then
	mkdir "$WORK/tmpfs"
	mount -t tmpfs -o size=200M none "$WORK/tmpfs" || fail "cannot mount a tmpfs"
	cp -a --sparse=never "$WORK/tree" "$WORK/tmpfs/tree"
	treelist "$WORK/tree" >"$WORK/l1"; treelist "$WORK/tmpfs/tree" >"$WORK/l2"
	if cmp -s "$WORK/l1" "$WORK/l2"; then
		# holes are lost by this copy, so both sides are built from such a copy
		cp -a --sparse=never "$WORK/tree" "$WORK/flat"
		build flat -r "$WORK/flat"
		mv "$WORK/flat.sum" "$WORK/first.sum"
		build tmpfs -r "$WORK/tmpfs/tree"
		same tmpfs
	else
		skip_part "tmpfs: it cannot hold this tree ($(diff "$WORK/l1" "$WORK/l2" | grep -c '^>') names differ)"
	fi
else
	skip_part "tmpfs: needs root"
fi
finish
