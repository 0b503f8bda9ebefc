#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A collection of damaged images, when there is one beside the sources: nothing crashes, hangs or is written;
# what is clean is called clean. How many get exactly the expected class is counted and said.
. "$(dirname "$0")/../common.sh"
need_program; need xz
collection=$TOP/../shared/images
[ -d "$collection" ] || skip "no collection of images beside the sources"
LIMIT=30

total=0 matched=0 wrong=0
: >"$WORK/misses"
complain() { echo "  $*"; wrong=$((wrong + 1)); }

# clean | metadata-errors | data-errors | unreadable by status and JSON
class() {	# STATUS
	case $1 in
	0) echo clean ;;
	1) echo unreadable ;;
	3 | 4)
		# metadata wins when both
		if command -v jq >/dev/null && jq -e '[.errors[].kind] | length > 0 and all(. == "data" or . == "missing_csum" or . == "parity")' \
			"$WORK/out" >/dev/null 2>&1; then
			echo data-errors
		else
			echo metadata-errors
		fi ;;
	*) echo undocumented ;;
	esac
}

for list in "$collection"/{mut,fsck,fuzz}/expected.tsv; do
	[ -r "$list" ] || continue
	dir=$(dirname "$list")
	while IFS=$'\t' read -r files want reason; do
		devices=()
		IFS=+ read -r -a packed <<<"$files"
		for f in "${packed[@]}"; do
			[ -r "$dir/$f" ] || continue 2
			xz -dc "$dir/$f" | cp --sparse=always /dev/stdin "$WORK/image${#devices[@]}"
			devices+=("$WORK/image${#devices[@]}")
		done
		total=$((total + 1))
		before=$(stat -c '%Y %s' "${devices[@]}")
		timeout -k 5 $LIMIT "$BTRFS_OFFLINE" scrub --format json "${devices[@]}" >"$WORK/out" 2>"$WORK/err" </dev/null
		rc=$?
		[ "$before" = "$(stat -c '%Y %s' "${devices[@]}")" ] || complain "$files: written to"
		got=$(class $rc)
		case $rc in
		0 | 1 | 3 | 4) ;;
		124) complain "$files: no end after $LIMIT s" ;;
		*) complain "$files: status $rc: $(tail -n 1 "$WORK/err")" ;;
		esac
		! grep -qE 'Sanitizer|runtime error:' "$WORK/err" || complain "$files: $(grep -m 1 -E 'Sanitizer|runtime error:' "$WORK/err")"
		[ "$(wc -c <"$WORK/err")" -lt 2000000 ] || complain "$files: endless messages"
		case $want in
		no-crash-only)
			case $reason in
			nonzero*) [ $rc != 0 ] && matched=$((matched + 1)) || echo "$files: 0, want $reason" >>"$WORK/misses" ;;
			*) matched=$((matched + 1)) ;;
			esac ;;
		clean)
			if [ $rc = 0 ]; then
				matched=$((matched + 1))
			elif [[ "$files $reason" == *[Rr][Aa][Ii][Dd][56]* ]]; then
				echo "$files: $got, want clean (raid5/6 is not supported yet)" >>"$WORK/misses"
			else
				complain "$files is clean ($reason), but scrub says $rc: $(jq -c '.errors[0]' "$WORK/out" 2>/dev/null) $(tail -n 1 "$WORK/err")"
			fi ;;
		"$got") matched=$((matched + 1)) ;;
		*) echo "$files: $got ($rc), want $want: $reason" >>"$WORK/misses" ;;
		esac
		rm -f "${devices[@]}"
	done <"$list"
done
[ $total -gt 0 ] || skip "the collection is empty"
cat "$WORK/misses"
say "$matched of $total get their class"
[ $wrong = 0 ] || fail "$wrong images are handled wrongly"
finish
