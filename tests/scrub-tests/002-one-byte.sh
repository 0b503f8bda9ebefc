#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# One flipped byte anywhere in used space is found, located and, without a second copy, status 3.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need jq; tool treegen blockedit

ROUNDS=${ROUNDS:-12}
RANDOM=2
nasty_tree "$WORK/tree" 20000
treegen many "$WORK/tree/many" 3000

pick() { echo $(((RANDOM * 32768 + RANDOM) % $1)); }

for csum in crc32c blake2b; do
	images 700M a b
	make_fs --csum $csum -d raid0 -m raid0 -r "$WORK/tree" "$WORK/a" "$WORK/b"
	names=("$WORK/a" "$WORK/b")
	attach ro "${names[@]}"
	read_map
	# chosen with care: ends of extents; the rest by chance
	: >"$WORK/chosen"
	for kind in data tree; do
		grep "^$kind" "$WORK/extents" >"$WORK/of-kind"
		nr=$(wc -l <"$WORK/of-kind")
		[ "$nr" -gt 0 ] || fail "no $kind extents"
		for round in $(seq "$ROUNDS"); do
			read -r _ logical len < <(sed -n "$(($(pick "$nr") + 1))p" "$WORK/of-kind")
			[ $kind = data ] || len=16384
			sector=$((logical + $(pick $((len / 4096))) * 4096))
			[ "$round" != 1 ] || sector=$((logical + len - 4096))
			byte=$(pick 4096)
			places $sector | while read -r image physical; do
				echo "$kind $logical $sector $image $((physical + byte))"
			done
		done >>"$WORK/chosen"
	done
	detach
	[ "$(wc -l <"$WORK/chosen")" = $((2 * ROUNDS)) ] || fail "places: $(wc -l <"$WORK/chosen") of $((2 * ROUNDS))"
	while read -r kind logical sector image physical; do
		[ $kind = data ] && size=4096 || size=16384
		flip "${names[$image]}" "$physical"
		scrub_json 3 "${names[@]}"
		what="$kind at $logical, device $((image + 1)), byte $physical"
		jq -e --argjson from "$logical" --argjson at "$((physical - size))" --argjson to "$physical" --argjson devid $((image + 1)) '
			def n: if type == "string" then tonumber else . end;
			[.errors[] | select((.devid | n) == $devid and (.physical | n) > $at and (.physical | n) <= $to
				and (.logical | n) >= $from and .correctable == false)] | length > 0' \
			"$WORK/json" >/dev/null || { jq -c '.errors[:3]' "$WORK/json" >&2; fail "not located: $what"; }
		jq -e '.exit_code == 3 and (.totals | [.csum_errors, .verify_errors] | map(if type == "string" then tonumber else . end) | add) > 0
			and (.totals.uncorrectable_errors | if type == "string" then tonumber else . end) > 0' "$WORK/json" >/dev/null ||
			fail "counters: $(jq -c .totals "$WORK/json"): $what"
		flip "${names[$image]}" "$physical"
	done <"$WORK/chosen"
	# in words
	for kind in data tree; do
		read -r _ logical sector image physical < <(grep "^$kind" "$WORK/chosen")
		flip "${names[$image]}" "$physical"
		expect 3 bo scrub "${names[@]}"
		[ $kind = data ] && named=$sector || named=$logical
		cat "$WORK/out" "$WORK/err" >"$WORK/said"
		for word in "${names[$image]}" "$named" $((physical - physical % 4096)); do
			[ $kind = tree ] && [ "$word" != "$named" ] && [ "$word" != "${names[$image]}" ] && continue
			grep -q -e "$word" "$WORK/said" || { show_output; fail "$kind: the text does not name $word"; }
		done
		flip "${names[$image]}" "$physical"
	done
	scrub_status 0 "${names[@]}"
	say "$csum: $((2 * ROUNDS)) places"
done
finish
