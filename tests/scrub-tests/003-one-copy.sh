#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# One bad copy of two: status 4. Both: status 3. For metadata and data, each mirrored profile, either copy.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need jq; tool treegen blockedit

RANDOM=3
nasty_tree "$WORK/tree" 4000
treegen many "$WORK/tree/many" 1000

while read -r profile nr csum; do
	names=()
	for i in $(seq "$nr"); do images 500M "d$i"; names+=("$WORK/d$i"); done
	make_fs --csum "$csum" -d "$profile" -m "$profile" -r "$WORK/tree" "${names[@]}"
	attach ro "${names[@]}"
	read_map
	shuf --random-source="$WORK/tree/noise" "$WORK/extents" >"$WORK/shuffled"
	for kind in data tree; do
		read -r _ logical _ < <(grep "^$kind" "$WORK/shuffled")
		places "$logical" >"$WORK/places.$kind"
		[ "$(wc -l <"$WORK/places.$kind")" -ge 2 ] || fail "$profile: one place of $kind $logical"
		echo "$logical" >"$WORK/logical.$kind"
	done
	detach
	for kind in data tree; do
		copies=$(wc -l <"$WORK/places.$kind") bad=0
		while read -r image physical; do
			flip "${names[$image]}" $((physical + 1234))
			scrub_json 4 "${names[@]}"
			jq -e --argjson devid $((image + 1)) --argjson physical "$physical" '
				def n: if type == "string" then tonumber else . end;
				[.errors[] | select((.devid | n) == $devid and (.physical | n) == $physical and .correctable == true)]
				| length > 0' "$WORK/json" >/dev/null || { jq -c '.errors[:3]' "$WORK/json" >&2; fail "$profile $kind: not located"; }
			jq -e '(.totals | (.uncorrectable_errors | tostring) == "0" and (.corrected_errors | tostring) == "0")' \
				"$WORK/json" >/dev/null || fail "$profile $kind: $(jq -c .totals "$WORK/json")"
			flip "${names[$image]}" $((physical + 1234))
		done <"$WORK/places.$kind"
		while read -r image physical; do
			flip "${names[$image]}" $((physical + 1000 + bad))
			bad=$((bad + 1))
			[ $bad = "$copies" ] && want=3 || want=4
			scrub_status $want "${names[@]}"
		done <"$WORK/places.$kind"
		bad=0
		while read -r image physical; do
			flip "${names[$image]}" $((physical + 1000 + bad))
			bad=$((bad + 1))
		done <"$WORK/places.$kind"
		say "$profile $kind: $copies copies"
	done
	scrub_status 0 "${names[@]}"
	rm -f "${names[@]}"
done <<-END
	dup 1 crc32c
	raid1 2 xxhash64
	raid1c3 3 sha256
	raid1c4 4 blake2b
	raid10 4 crc32c
END
finish
