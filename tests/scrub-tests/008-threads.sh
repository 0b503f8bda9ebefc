#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The report does not depend on the number of threads.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need jq; tool treegen blockedit

nasty_tree "$WORK/tree" 20000
treegen many "$WORK/tree/many" 3000
images 500M a b c
make_fs -d raid0 -m raid1 -r "$WORK/tree" "$WORK/a" "$WORK/b" "$WORK/c"
attach ro "$WORK/a" "$WORK/b" "$WORK/c"
read_map
names=("$WORK/a" "$WORK/b" "$WORK/c")
for kind in data tree; do
	grep "^$kind" "$WORK/extents" | awk 'NR % 7 == 3' | head -n 25 | while read -r _ logical _; do places "$logical" | head -n 1; done
done >"$WORK/places"
detach
[ "$(wc -l <"$WORK/places")" -gt 20 ] || fail "few places: $(wc -l <"$WORK/places")"
while read -r image physical; do flip "${names[$image]}" $((physical + 777)); done <"$WORK/places"

report() { jq -S 'del(.started, .duration_ms, .tool, .version) | del(.. | .threads?, .rate?, .seconds?)' "$WORK/json"; }
for threads in 1 2 8 2; do
	scrub_json 3 --threads $threads "${names[@]}"
	report >"$WORK/report.$threads"
	[ -s "$WORK/first" ] || cp "$WORK/report.$threads" "$WORK/first"
	cmp -s "$WORK/first" "$WORK/report.$threads" || { diff "$WORK/first" "$WORK/report.$threads" | head -n 20 >&2; fail "$threads threads: another report"; }
	say "$threads threads"
done
n=$(jq '.errors | length' "$WORK/json")
[ "$n" -ge "$(wc -l <"$WORK/places")" ] || fail "$n errors of $(wc -l <"$WORK/places") damaged places"

# data and metadata each alone
scrub_json 3 --data-only "${names[@]}"
jq -e '[.errors[] | select(.kind == "data")] | length > 5' "$WORK/json" >/dev/null || fail "--data-only finds no data"
scrub_json 4 --metadata-only "${names[@]}"
jq -e '[.errors[] | select(.kind == "data")] | length == 0' "$WORK/json" >/dev/null || fail "--metadata-only reads data"
# a bounded list, exact totals
scrub_json 3 --max-findings 3 "${names[@]}"
jq -e --argjson n "$n" '(.errors | length) == 3 and (.errors_total | tostring | tonumber) == $n' "$WORK/json" >/dev/null ||
	fail "--max-findings 3: $(jq -c '[(.errors | length), .errors_total]' "$WORK/json") of $n"
finish
