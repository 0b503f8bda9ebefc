#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The counters are those of the kernel: bytes of data and trees per device, sectors without checksum.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need mkfs.btrfs jq; tool treegen

nasty_tree "$WORK/tree" 12000
treegen many "$WORK/tree/many" 2000

kernel_counters() {	# "DEVID NAME VALUE" of each device, mounted read-only
	btrfs scrub start -B -R -d -r "$MNT" 2>/dev/null | awk '
		/^Scrub device/ { gsub(/[()]/, ""); for (i = 1; i < NF; i++) if ($i == "id") id = $(i + 1) }
		/(data_bytes_scrubbed|tree_bytes_scrubbed|no_csum):/ { sub(":", "", $1); print id, $1, $2 }' | sort
}

our_counters() {
	jq -r '.devices[] | .devid as $id | .stats | to_entries[] |
		select(.key == "data_bytes_scrubbed" or .key == "tree_bytes_scrubbed" or .key == "no_csum") |
		"\($id) \(.key) \(.value)"' "$WORK/json" | sort
}

same_counters() {	# WHAT IMAGE...
	attach ro "${@:2}"
	mount_loops ro || fail "no mount: $1"
	kernel_counters >"$WORK/kernel"
	unmount
	detach
	[ -s "$WORK/kernel" ] || fail "$1: no counters of the kernel"
	scrub_json 0 "${@:2}"
	our_counters >"$WORK/ours"
	cmp -s "$WORK/kernel" "$WORK/ours" || { diff "$WORK/kernel" "$WORK/ours" >&2; fail "$1: other counters than the kernel's"; }
	say "$1"
}

while read -r data meta nr; do
	names=()
	for i in $(seq "$nr"); do images 500M "d$i"; names+=("$WORK/d$i"); done
	make_fs -d "$data" -m "$meta" -r "$WORK/tree" "${names[@]}"
	same_counters "ours, $data/$meta" "${names[@]}"
	mkfs.btrfs -q -f -d "$data" -m "$meta" "${names[@]}" >/dev/null 2>&1 || fail "mkfs.btrfs"
	attach rw "${names[@]}"
	mount_loops rw || fail "no mount"
	cp -a "$WORK/tree" "$MNT/tree"
	mkdir "$MNT/nocow" && chattr +C "$MNT/nocow" && cp "$WORK/tree/noise" "$MNT/nocow/"
	fallocate -l 5M "$MNT/prealloc"
	btrfs subvolume snapshot "$MNT" "$MNT/snap" >/dev/null
	rm -r "$MNT/tree/sizes"
	unmount
	detach
	same_counters "kernel's, $data/$meta" "${names[@]}"
	rm -f "${names[@]}"
done <<-END
	single dup 1
	raid0 raid1 2
	raid1 raid1 3
	raid10 raid10 4
	raid5 raid5 3
	raid6 raid6 5
	raid6 raid5 3
END
finish
