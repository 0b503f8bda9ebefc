#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# raid5 and raid6: one flipped byte in data, trees, P or Q is found, located and judged by what the rest of its
# row gives back; the kernel's scrub mends what we call correctable; what the kernel wrote is clean.
# timeout: 900
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need jq mkfs.btrfs; tool treegen blockedit

nasty_tree "$WORK/tree" 12000
rm "$WORK/tree/links/long"	# more than a node of 4 KiB can hold
treegen many "$WORK/tree/many" 1000

# Flips bytes at "DEVICE PHYSICAL" lines; once more, and they are as before.
flip_places() { while read -r i p; do flip "${names[$i]}" $((p + 77)); done <"$1"; }

# Scrub says STATUS, with one finding of KIND at each place of the file, and counters as told ("name=number").
expect_found() {	# STATUS WHAT KIND FILE COUNTER...
	local device physical counter
	flip_places "$4"
	scrub_json "$1" "${names[@]}"
	while read -r device physical; do
		jq -e --argjson devid $((device + 1)) --argjson at "$physical" --arg kind "$3" '
			def n: if type == "string" then tonumber else . end;
			[.errors[] | select((.devid | n) == $devid and (.physical | n) <= $at and .kind == $kind and
				(.physical | n) > $at - 65536)] | length > 0' "$WORK/json" >/dev/null ||
			{ jq -c '.errors[:5]' "$WORK/json" >&2; fail "$LAYOUT, $2: not located at device $((device + 1)), $physical"; }
	done <"$4"
	for counter in "${@:5}"; do
		[ "$(jq -r ".totals.${counter%=*}" "$WORK/json")" = "${counter#*=}" ] ||
			fail "$LAYOUT, $2: not $counter: $(jq -c .totals "$WORK/json")"
	done
	jq -e '.parity_verified and (.totals.corrected_errors | tostring) == "0"' "$WORK/json" >/dev/null ||
		fail "$LAYOUT, $2: $(jq -c .totals "$WORK/json")"
	flip_places "$4"
}

# After the kernel's scrub all is well again.
expect_mended() {	# WHAT FILE
	flip_places "$2"
	attach rw "${names[@]}"
	mount_loops rw || fail "$LAYOUT, $1: no mount"
	btrfs scrub start -B "$MNT" >"$WORK/kernel-scrub" 2>&1
	unmount
	detach
	scrub_status 0 "${names[@]}"
	say "$LAYOUT: the kernel mended $1"
}

while read -r profile nr csum nodesize; do
	names=()
	for i in $(seq "$nr"); do images $((300 + 70 * (i * 2 % 5)))M "d$i"; names+=("$WORK/d$i"); done
	LAYOUT="$profile on $nr, $csum"
	make_fs --csum "$csum" -n "$nodesize" -d "$profile" -m "$profile" -r "$WORK/tree" "${names[@]}"
	scrub_json 0 "${names[@]}"
	jq -e '.parity_verified and .verdict == "clean"' "$WORK/json" >/dev/null || fail "$LAYOUT: $(jq -c .verdict "$WORK/json")"
	attach ro "${names[@]}"
	read_map
	shuf --random-source="$WORK/tree/noise" "$WORK/extents" >"$WORK/shuffled"
	read -r _ data _ < <(grep '^data' "$WORK/shuffled" | awk '$3 >= 8192')
	read -r _ tree < <(grep '^tree' "$WORK/shuffled")
	# the data column beside it, in the same row and at the same place
	columns=$((nr - (${profile#raid} - 4)))
	start=$(awk -v l="$data" 'NF > 4 && l >= $1 && l < $1 + $2 { print $1 }' "$WORK/chunks")
	element=$(((data - start) / 65536))
	if [ $((element % columns)) = 0 ]; then beside=$((data + 65536)); else beside=$((data - 65536)); fi
	places "$data" >"$WORK/at.data"
	places "$beside" >"$WORK/at.beside"
	places "$tree" >"$WORK/at.tree"
	for i in 1 2; do
		parity_place "$data" $i >"$WORK/at.$i"
		parity_place "$tree" $i >"$WORK/at.tree$i"
	done
	detach
	node=$((nodesize / 4096))

	expect_found 4 "a byte of data" data "$WORK/at.data" csum_errors=1 correctable_errors=1 uncorrectable_errors=0 \
		parity_errors_p=0 parity_errors_q=0
	expect_found 4 "P of data" parity "$WORK/at.1" parity_errors_p=1 parity_errors_q=0 correctable_errors=1 csum_errors=0
	jq -e '.data_errors_total == 1 and .metadata_errors_total == 0' "$WORK/json" >/dev/null || fail "$LAYOUT: P of data is no data error"
	expect_found 4 "a tree block" tree_block "$WORK/at.tree" csum_errors=$node correctable_errors=$node \
		uncorrectable_errors=0 parity_errors_p=0
	expect_found 4 "P of trees" parity "$WORK/at.tree1" parity_errors_p=1 parity_errors_q=0 correctable_errors=1
	jq -e '.data_errors_total == 0 and .metadata_errors_total == 1' "$WORK/json" >/dev/null || fail "$LAYOUT: P of trees is no metadata error"
	# in words
	flip_places "$WORK/at.1"
	expect 4 bo scrub "${names[@]}"
	read -r i p <"$WORK/at.1"
	for word in "${names[$i]}" $((p / 4096 * 4096)) 'parity P' 'Parity: *P 1, Q 0'; do
		grep -q -e "$word" "$WORK/out" || { show_output; fail "$LAYOUT: the text does not say $word"; }
	done
	flip_places "$WORK/at.1"

	cat "$WORK/at.data" "$WORK/at.1" >"$WORK/at.both"
	cat "$WORK/at.data" "$WORK/at.beside" >"$WORK/at.two"
	if [ "$profile" = raid5 ]; then
		flip_places "$WORK/at.both"
		scrub_json 3 "${names[@]}"
		flip_places "$WORK/at.both"
		[ "$nr" -lt 3 ] || expect_found 3 "two of data" data "$WORK/at.two" csum_errors=2 uncorrectable_errors=2
	else
		expect_found 4 "Q of data" parity "$WORK/at.2" parity_errors_p=0 parity_errors_q=1 correctable_errors=1
		expect_found 4 "Q of trees" parity "$WORK/at.tree2" parity_errors_p=0 parity_errors_q=1
		flip_places "$WORK/at.both"
		scrub_json 4 "${names[@]}"
		jq -e '.totals | [.csum_errors, .parity_errors_p, .parity_errors_q, .correctable_errors, .uncorrectable_errors] |
			map(tostring) == ["1", "1", "0", "2", "0"]' "$WORK/json" >/dev/null || fail "$LAYOUT: data and P: $(jq -c .totals "$WORK/json")"
		flip_places "$WORK/at.both"
		cat "$WORK/at.1" "$WORK/at.2" >"$WORK/at.parity"
		expect_found 4 "P and Q" parity "$WORK/at.parity" parity_errors_p=1 parity_errors_q=1 correctable_errors=2
		if [ "$nr" -gt 3 ]; then
			expect_found 4 "two of data" data "$WORK/at.two" csum_errors=2 correctable_errors=2 uncorrectable_errors=0
			cat "$WORK/at.two" "$WORK/at.1" >"$WORK/at.three"
			flip_places "$WORK/at.three"
			scrub_json 3 "${names[@]}"
			jq -e '.totals | [.csum_errors, .uncorrectable_errors, .parity_errors_p, .parity_errors_q] |
				map(tostring) == ["2", "2", "0", "0"]' "$WORK/json" >/dev/null || fail "$LAYOUT: two and P: $(jq -c .totals "$WORK/json")"
			flip_places "$WORK/at.three"
		fi
	fi
	scrub_status 0 "${names[@]}"

	# a device is missing: what it held comes from the others, and something bad beside it is lost
	scrub_status 1 "${names[@]:1}"
	scrub_status 0 --degraded "${names[@]:1}"
	grep -q MISSING "$WORK/out" || fail "$LAYOUT: the verdict does not say that a device is missing"
	read -r i p <"$WORK/at.data"
	left=()
	for k in "${!names[@]}"; do [ "$k" = "$i" ] || left+=("${names[$k]}"); done
	scrub_status 0 --degraded "${left[@]}"
	if [ "$profile" = raid5 ]; then
		flip_places "$WORK/at.1"
		scrub_status 3 --degraded "${left[@]}"
		flip_places "$WORK/at.1"
	else
		flip_places "$WORK/at.1"
		scrub_status 4 --degraded "${left[@]}"
		flip_places "$WORK/at.1"
	fi

	expect_mended "data" "$WORK/at.data"
	expect_mended "P" "$WORK/at.1"
	[ "$profile" = raid5 ] || expect_mended "Q" "$WORK/at.2"
	rm -f "${names[@]}"
done <<-END
	raid5 2 crc32c 16384
	raid5 3 xxhash64 4096
	raid5 5 sha256 65536
	raid6 3 blake2b 16384
	raid6 4 crc32c 16384
	raid6 6 xxhash64 4096
END

# what the kernel wrote, with everything that leaves rows half used
while read -r data meta nr; do
	names=()
	for i in $(seq "$nr"); do images $((2000 + 70 * (i * 2 % 5)))M "d$i"; names+=("$WORK/d$i"); done
	LAYOUT="the kernel's $data/$meta on $nr"
	JUDGED=$LAYOUT
	# never empty: what was there before must not be taken for parity
	for i in "${names[@]}"; do yes rubbish | dd of="$i" bs=1M count=300 iflag=fullblock conv=notrunc status=none 2>/dev/null; done
	mkfs.btrfs -q -f -K -d "$data" -m "$meta" "${names[@]}" >/dev/null 2>&1 || fail "mkfs.btrfs"
	attach rw "${names[@]}"
	mount_loops rw || fail "no mount"
	cp -a "$WORK/tree" "$MNT/tree"
	mkdir "$MNT/nocow" && chattr +C "$MNT/nocow" && cp "$WORK/tree/noise" "$MNT/nocow/"
	fallocate -l 8M "$MNT/prealloc"
	fallocate -l 8M "$MNT/nocow/prealloc" && dd if="$WORK/tree/noise" of="$MNT/nocow/prealloc" bs=4k count=3 seek=100 conv=notrunc status=none
	sync -f "$MNT"
	truncate -s 1M "$MNT/nocow/prealloc"
	btrfs subvolume snapshot "$MNT" "$MNT/snap" >/dev/null
	rm -r "$MNT/tree/sizes" "$MNT"/tree/many/*[13579]
	for i in $(seq 30); do
		dd if="$WORK/tree/noise" of="$MNT/nocow/noise" bs=4k count=$i seek=$((i * 37)) conv=notrunc status=none
		dd if="$WORK/tree/noise" of="$MNT/tree/noise" bs=4k count=$i seek=$((i * 41)) conv=notrunc status=none
		sync -f "$MNT"
	done
	unmount; detach
	scrub_json 0 "${names[@]}"
	jq -e .parity_verified "$WORK/json" >/dev/null || fail "$LAYOUT: parity was not verified"
	attach rw "${names[@]}"
	mount_loops rw || fail "no mount"
	btrfs balance start -d "$MNT" >/dev/null 2>"$WORK/err" || fail "$LAYOUT: $(cat "$WORK/err")"
	# Linux 6.18 runs out of room for metadata of raid6 on 3 devices here, however much there is, and stops
	btrfs balance start -f -m "$MNT" >/dev/null 2>"$WORK/err" || say "$LAYOUT: $(head -n 1 "$WORK/err")"
	unmount; detach
	scrub_status 0 "${names[@]}"
	say "$LAYOUT"
	rm -f "${names[@]}"
done <<-END
	raid5 raid5 2
	raid5 raid1 3
	raid5 raid5 5
	raid6 raid6 3
	raid6 raid6 4
	raid6 raid1c3 6
END
finish
