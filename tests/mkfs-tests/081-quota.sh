#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Numbers of quota groups: those at the first mount are those that a rescan finds, and limits hold from then on.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; tool treegen

nasty_tree "$WORK/tree" 3000
treegen many "$WORK/tree/many" 1500
mkdir -p "$WORK/tree/sub/in/ner" "$WORK/tree/void"
treegen noise "$WORK/tree/sub/noise" 1234567
treegen noise "$WORK/tree/sub/in/ner/noise" 7654321
treegen names "$WORK/tree/sub/in/names"
# to be shared by --dedupe, in part or whole, inside one subvolume and between several
cp "$WORK/tree/sub/noise" "$WORK/tree/sub/copy"
cp "$WORK/tree/sub/in/ner/noise" "$WORK/tree/copy"
head -c 900000 "$WORK/tree/sub/noise" >"$WORK/tree/many/copy"
{ head -c 40960 /dev/zero | tr '\0' z; head -c 4096000 "$WORK/tree/sub/in/ner/noise"; } >"$WORK/tree/void/moved"
rm "$WORK/tree/links/long"
subvolumes=(--subvol rw:sub --subvol ro:sub/in/ner --subvol default:void --subvol many)

groups() { btrfs qgroup show --raw "$MNT" 2>"$WORK/groups.err" | awk '$1 ~ /^0\// {print $1, $2, $3}'; }

mount_image() {	# ro|rw IMAGE
	attach "$1" "$2"
	mount_loops "$1,subvolid=5" || fail "$JUDGED: no mount: $(cat "$WORK/mount.err"; kernel_said)"
}

# The numbers in the image, the same before and after the kernel counts all over; nothing is inconsistent meanwhile.
expect_exact() {	# IMAGE
	local first again
	mount_image ro "$1"
	first=$(groups)
	FIRST=$first
	[ "$(wc -l <<<"$first")" = 5 ] || fail "$JUDGED: not five groups: $first"
	[ ! -s "$WORK/groups.err" ] || fail "$JUDGED: $(cat "$WORK/groups.err")"
	unmount; expect_silent_kernel; detach
	cp --sparse=always "$1" "$WORK/copy"
	mount_image rw "$WORK/copy"
	[ "$(groups)" = "$first" ] || fail "$JUDGED: a writable mount changes $first to $(groups)"
	btrfs quota rescan -w "$MNT" >/dev/null || fail "$JUDGED: no rescan"
	again=$(groups)
	[ "$again" = "$first" ] || fail "$JUDGED: rescan says $(diff <(echo "$first") <(echo "$again"))"
	unmount; expect_silent_kernel
	check_loops
	detach
}

for case in "quota 4K" "quota 16K --dedupe" "quota 4K --dedupe=block" "quota 16K --dedupe --compress=zstd" "quota,^skinny-metadata,^no-holes 64K"; do
	read -r features node dedupe <<<"$case"
	images 300M a
	make_fs -O "$features" -n $node $dedupe "${subvolumes[@]}" -r "$WORK/tree" "$WORK/a"
	JUDGED="$features, nodes of $node $dedupe"
	scrub_status 0 "$WORK/a"
	expect_exact "$WORK/a"
	shared=$(awk '$2 > $3' <<<"$FIRST" | wc -l)
	case $dedupe in
	'') [ "$shared" = 0 ] ;;
	--dedupe) [ "$shared" -ge 2 ] ;;
	*compress*) [ "$shared" -ge 2 ] ;;
	*) [ "$shared" = 5 ] ;;
	esac || fail "$JUDGED: $shared groups share: $FIRST"
	say "$JUDGED"
done

# a limit that is reached
JUDGED="limit"
mount_image rw "$WORK/copy"
btrfs qgroup limit 9M "$MNT/void" || fail "no limit"
treegen noise "$MNT/void/file" 5000000 && sync -f "$MNT" || fail "a limit of 9M does not take 5M"
! treegen noise "$MNT/void/more" 5000000 2>/dev/null || fail "a limit of 9M takes 10M"
unmount; detach
scrub_status 0 "$WORK/copy"

# simple quotas have no rescan: the sums of the extent tree, by owner, are the judge; then all is taken away
owned() {	# IMAGE NODESIZE
	bo inspect tree -t extent "$1" | awk -v node="$2" '
		$1 == "item" && $5 == "EXTENT_ITEM" { bytes = $6; sub(/\)/, "", bytes) }
		$1 == "item" && $5 == "METADATA_ITEM" { bytes = node }
		/extent owner root|tree block backref root/ && ($NF == 5 || $NF >= 256) && $NF < 1e15 { sum[$NF] += bytes }
		END { for (root in sum) printf "0/%s %.0f %.0f\n", root, sum[root], sum[root] }' | sort -V
}

for node in 4096 16384; do
	images 300M a
	dedupe=--compress=lzo
	[ $node != 4096 ] || dedupe=--dedupe=block
	make_fs -O squota -n $node $dedupe "${subvolumes[@]}" -r "$WORK/tree" "$WORK/a"
	JUDGED="squota, nodes of $node"
	scrub_status 0 "$WORK/a"
	want=$(owned "$WORK/a" $node)
	mount_image rw "$WORK/a"
	first=$(groups)
	[ "$first" = "$want" ] || fail "$JUDGED: $first, extents: $want"
	# what is written now is counted, what goes is taken off
	treegen noise "$MNT/sub/more" 4096000 && sync -f "$MNT"
	[ "$(groups | awk '$1 == "0/257" {print $2}')" -ge \
	  $(($(awk '$1 == "0/257" {print $2}' <<<"$first") + 4096000)) ] || fail "$JUDGED: 4096000 bytes more: $(groups)"
	rm -r "$MNT"/sub/{more,noise,copy} "$MNT"/many/* "$MNT/copy" "$MNT/void/moved"
	btrfs subvolume delete -c "$MNT/sub/in/ner" >/dev/null || fail "$JUDGED: cannot delete a subvolume"
	rm -rf "$MNT"/{names,sizes,noise,text,sparse,dir,links,deep,empty,perm,tail-hole,sub/in}
	sync -f "$MNT"; btrfs subvolume sync "$MNT" >/dev/null; sync -f "$MNT"
	groups >"$WORK/left"
	unmount; expect_silent_kernel; detach
	while read -r id referenced exclusive; do
		want=$(owned "$WORK/a" $node | grep "^$id " || echo "$id 0 0")
		[ "$id $referenced $exclusive" = "$want" ] || fail "$JUDGED: $id has $referenced left, its extents: $want"
		[ "$referenced" -le $((2 * node)) ] || fail "$JUDGED: $id still has $referenced after all has gone"
	done <"$WORK/left"
	scrub_status 0 "$WORK/a"
	say "$JUDGED: $(wc -l <"$WORK/left") groups are empty again"
done

# an empty filesystem, and many groups
for features in quota squota; do
	images 200M a
	make_fs -O $features "$WORK/a"
	JUDGED="empty, $features"
	mount_image ro "$WORK/a"
	[ "$(groups)" = "0/5 16384 16384" ] || fail "$JUDGED: $(groups)"
	unmount; expect_silent_kernel; detach
done
mkdir "$WORK/lots"
options=()
for i in $(seq 400); do
	mkdir "$WORK/lots/s$i" && head -c $((i * 50)) /dev/urandom >"$WORK/lots/s$i/f"
	options+=(--subvol "rw:s$i")
done
images 300M a
make_fs -O quota "${options[@]}" -r "$WORK/lots" "$WORK/a"
JUDGED="400 subvolumes"
mount_image rw "$WORK/a"
first=$(groups)
[ "$(wc -l <<<"$first")" = 401 ] || fail "$JUDGED: $(wc -l <<<"$first") groups"
btrfs quota rescan -w "$MNT" >/dev/null
[ "$(groups)" = "$first" ] || fail "$JUDGED: $(diff <(echo "$first") <(groups) | head)"
unmount; expect_silent_kernel; check_loops; detach
scrub_status 0 "$WORK/a"
finish
