#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The matrix: profiles x numbers of unequal devices x checksums x node and sector sizes x compression x features. Every
# pair of values that goes together occurs (but for the profiles of data and metadata, which 001 and 050 cross).
. "$(dirname "$0")/../common.sh"
need_program; need awk; tool treegen; need_judge
LIMIT=60

nasty_tree "$WORK/tree" 6000
rm "$WORK/tree/links/long"		# nodes of 4096 bytes have no room for it
yes 'text that is worth being compressed' | head -c 700000 >"$WORK/tree/compressible"

# Rows DEVICES DATA METADATA CSUM NODESIZE SECTORSIZE COMPRESSION FEATURES, by greedy choice among random rows of a fixed
# seed; the last line says how many pairs there are and how many were covered.
rows() {
	awk 'BEGIN {
		srand(1)
		nr = split("devices data metadata csum node sector compress features", name, " ")
		value["devices"] = "1 2 3 4 5 6"
		value["data"] = value["metadata"] = "single dup raid0 raid1 raid1c3 raid1c4 raid10 raid5 raid6"
		value["csum"] = "crc32c xxhash sha256 blake2"
		value["node"] = "4 8 16 32 64"
		value["sector"] = "4 8 16 64"
		value["compress"] = "no zstd zlib lzo"
		value["features"] = "default ^block-group-tree ^free-space-tree,^block-group-tree " \
			"^no-holes,^block-group-tree quota mixed"
		for (i = 1; i <= nr; i++)
			count[i] = split(value[name[i]], list, " ")
		for (i = 1; i <= nr; i++) {
			split(value[name[i]], list, " ")
			for (k = 1; k <= count[i]; k++)
				word[i, k] = list[k]
		}
		split("single 1 dup 1 raid0 1 raid1 2 raid1c3 3 raid1c4 4 raid10 2 raid5 2 raid6 3", list, " ")
		for (i = 1; list[i]; i += 2)
			least[list[i]] = list[i + 1]
		# what pairs there are, is seen from many rows
		for (t = 0; t < 60000; t++) {
			draw()
			for (i = 1; i < nr; i++)
				for (k = i + 1; k <= nr; k++)
					if (!(i == 2 && k == 3) && !((i, k, r[i], r[k]) in open)) {
						open[i, k, r[i], r[k]] = 1
						pairs++
					}
		}
		left = pairs
		while (left && made < 200) {
			best = 0
			for (t = 0; t < 300; t++) {
				draw()
				new = 0
				for (i = 1; i < nr; i++)
					for (k = i + 1; k <= nr; k++)
						new += open[i, k, r[i], r[k]]
				if (new > best) {
					best = new
					for (i = 1; i <= nr; i++)
						keep[i] = r[i]
				}
			}
			if (!best)
				continue
			made++
			line = ""
			for (i = 1; i <= nr; i++)
				line = line keep[i] " "
			print line
			for (i = 1; i < nr; i++)
				for (k = i + 1; k <= nr; k++)
					if (open[i, k, keep[i], keep[k]]) {
						open[i, k, keep[i], keep[k]] = 0
						left--
					}
		}
		print "pairs " pairs " left " left
	}
	# A row that is valid.
	function draw() {
		do {
			for (i = 1; i <= nr; i++)
				r[i] = word[i, 1 + int(rand() * count[i])]
			if (r[8] == "mixed") {
				r[3] = r[2]
				r[5] = r[6]
			}
		} while (r[1] < least[r[2]] || r[1] < least[r[3]] || r[5] + 0 < r[6] + 0)
	}'
}

rows >"$WORK/rows"
read -r _ pairs _ left < <(tail -n 1 "$WORK/rows")
[ "$left" = 0 ] && [ "$pairs" -gt 500 ] || fail "$left of $pairs pairs are not covered"
sed -i '$d' "$WORK/rows"
say "$(wc -l <"$WORK/rows") filesystems for $pairs pairs"

sizes=(300M 340M 420M 310M 700M 333M)
number=0
while read -r devices data metadata csum node sector compress features; do
	number=$((number + 1))
	names=() opts=(-d "$data" -m "$metadata" --csum "$csum" -n "${node}K" -s "${sector}K" --compress "$compress") judged=()
	case $features in
	default) ;;
	mixed) opts+=(--mixed) ;;
	*) opts+=(-O "$features") ;;
	esac
	for i in $(seq "$devices"); do
		images "${sizes[i - 1]}" "d$i"
		names+=("$WORK/d$i")
	done
	# each third one is fitted to its content, and each fourth one is written to and balanced by the kernel
	[ $((number % 3)) != 0 ] || opts+=(--shrink)
	JUDGE_LABEL="$devices ${opts[*]}"
	make_fs -r "$WORK/tree" "${opts[@]}" "${names[@]}"
	scrub_status 0 "${names[@]}"
	if [ "$sector" != 4 ]; then
		# the kernel takes sectors of the size of its pages here
		attach ro "${names[@]}"
		JUDGED=$JUDGE_LABEL check_loops
		detach
		continue
	fi
	[ $((number % 4)) != 1 ] || judged+=(-w)
	! grep -qE 'raid[56]' <<<"$data" || judged+=(-p)
	judge "${judged[@]}" -s "$WORK/tree" "${names[@]}"
done <"$WORK/rows"
finish
