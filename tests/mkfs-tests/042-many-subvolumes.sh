#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Thousands of subvolumes, wide and deep: same bytes whatever the memory and the threads, all good to the kernel.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; tool treegen maxrss

T=$WORK/tree
WIDE=5000 DEEP=150
mkdir -p "$T/wide"
args=(-u wide)
for i in $(seq $WIDE); do
	mkdir "$T/wide/$i"
	echo "file $i" >"$T/wide/$i/small"
	args+=(-u "wide/$i")
done
treegen noise "$T/wide/77/big" 3000000
treegen many "$T/wide/78/many" 5000	# a tree of several levels among leaves
# one file with a name in every tenth
echo everywhere >"$T/everywhere"
for i in $(seq 10 10 $WIDE); do ln "$T/everywhere" "$T/wide/$i/link"; done
p=deep
for i in $(seq $DEEP); do
	mkdir -p "$T/$p" && echo "$i" >"$T/$p/file"
	args+=(-u "$p")
	p+=/d
done

export SOURCE_DATE_EPOCH=4000000000	# later than every time in the tree
build() { make_fs -b 1G --seed many "${@:2}" -r "$T" "${args[@]}" "$WORK/$1"; }

start=$SECONDS
build a
say "made in $((SECONDS - start)) s"
for how in '--csum-threads 0' '--csum-threads 5 --csum-mode overlap' '--metadata-memory 1M --buffer-memory 4M' '--io-engine sync'; do
	# shellcheck disable=SC2086
	build b $how
	cmp "$WORK/a" "$WORK/b" || fail "other bytes with $how"
	rm "$WORK/b"
	say "same bytes: $how"
done

# the order of the options means nothing but for the types
mapfile -t turned < <(printf '%s\n' "${args[@]}" | grep -v '^-u$' | tac)
opts=()
for t in "${turned[@]}"; do opts+=("--subvol=rw:./$t/"); done
make_fs -b 1G --seed many -r "$T" "${opts[@]}" "$WORK/b"
cmp "$WORK/a" "$WORK/b" || fail "other bytes with the options in another order"
rm "$WORK/b"

judged=()
for t in "${turned[@]}"; do judged+=(-u "$t"); done
judge -s "$T" "${judged[@]}" "$WORK/a"
scrub_status 0 "$WORK/a"

truncate -s +1G "$WORK/a"
attach rw "$WORK/a"
mount_loops rw || fail "no mount"
JUDGED=many
[ "$(btrfs subvolume list "$MNT" | wc -l)" = $((WIDE + 1 + DEEP)) ] || fail "$(btrfs subvolume list "$MNT" | wc -l) subvolumes"
[ "$(stat -c %h "$MNT/wide/10/link" "$MNT/everywhere" | sort -u)" = 1 ] || fail "link counts of split names"
for i in $(seq 7 7 $WIDE); do echo "$MNT/wide/$i"; done | xargs btrfs subvolume delete -c >/dev/null || fail "delete"
btrfs subvolume sync "$MNT" >/dev/null || fail "sync"
kernel_scrub
unmount
expect_silent_kernel
check_loops --check-data-csum
detach
scrub_status 0 "$WORK/a"

# memory is bounded; a sanitizer build needs memory of its own
if ldd "$BTRFS_OFFLINE" 2>/dev/null | grep -q 'lib[atl]san'; then
	skip_part "memory: a sanitizer build"
else
	expect 0 maxrss "$WORK/rss" timeout $LIMIT "$BTRFS_OFFLINE" mkfs -q -b 1G --csum-threads 1 --buffer-memory 4M \
		--metadata-memory 1M -r "$T" "${args[@]}" "$WORK/c"
	say "$(cat "$WORK/rss") KiB with 1M for metadata"
	[ "$(cat "$WORK/rss")" -lt 60000 ] || fail "$(cat "$WORK/rss") KiB of memory"
fi
finish
