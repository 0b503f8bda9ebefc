#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --compat: what each kernel gets and what it is refused. And the list of features, as scripts read it.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; tool treegen

mkdir "$WORK/tree" && treegen noise "$WORK/tree/noise" 300000 && echo small >"$WORK/tree/small"

while read -r kernel options want; do
	images 200M a b c
	expect 0 bo mkfs -q --compat $kernel $(tr '~' ' ' <<<"$options") -r "$WORK/tree" "$WORK/a" "$WORK/b" "$WORK/c"
	JUDGE_LABEL="--compat $kernel $options"
	got=$(bo inspect super "$WORK/a" | sed -n 's/^\(compat_ro\|incompat\)_flags.*(\(.*\))/\2/p' | tr ',\n' '  ')
	for word in $want; do
		if [ "${word:0:1}" = ^ ]; then
			! grep -qw -e "${word#^}" <<<"$got" || fail "$JUDGE_LABEL: ${word#^} is set: $got"
		else
			grep -qw -e "$word" <<<"$got" || fail "$JUDGE_LABEL: $word is not set: $got"
		fi
	done
	judge -s "$WORK/tree" "$WORK/a" "$WORK/b" "$WORK/c"
	scrub_status 0 "$WORK/a" "$WORK/b" "$WORK/c"
done <<-END
	5.4 -q extref skinny-metadata no-holes free-space-tree ^block-group-tree ^squota
	5.4 -O~quota,^no-holes extref ^no-holes ^block-group-tree
	5.10 --csum~sha256~-m~raid1c3 raid1c34 ^block-group-tree
	5.15 -q no-holes free-space-tree ^block-group-tree
	6.1 -q ^block-group-tree
	6.1 -O~block-group-tree block-group-tree
	6.6 -q block-group-tree
	6.6 -O~^block-group-tree ^block-group-tree
	6.12 -O~squota block-group-tree squota
END

# whichever comes first, and with what it cannot have: the message names both sides
refused() {	# MESSAGE OPTION...
	images 200M a b c
	expect 1 bo mkfs "${@:2}" "$WORK/a" "$WORK/b" "$WORK/c"
	expect_message "$1"
	expect_no_magic "$WORK/a" "$WORK/b" "$WORK/c"
}
refused 'block-group-tree needs Linux 6.1, .*5.15' --compat 5.15 -O bgt
refused 'block-group-tree needs Linux 6.1, .*5.4' -O block-group-tree --compat 5.4
refused 'squota needs Linux 6.7, .*6.6' --compat 6.6 -O squota
refused 'squota needs Linux 6.7, .*6.6' -R squota --compat 6.6
refused 'raid1c3 .*needs Linux 5.5, .*5.4' --compat 5.4 -d raid1c3
refused 'raid1c34? .*needs Linux 5.5, .*5.4' --compat 5.4 -O raid1c34
for csum in xxhash sha256 blake2; do
	refused "checksum $csum.* needs Linux 5.5, .*5.4" --compat 5.4 --csum $csum
done
refused '--compat 4.19: .*5.4, ' --compat 4.19
refused "--compat '*: .*5.4, " --compat ''
refused "quota' and 'squota'" -O quota -O squota
refused "block-group-tree' needs .*'free-space-tree' is turned off" -O bgt,^fst
refused "block-group-tree' needs .*'no-holes' is turned off" -O bgt -O ^no-holes
for word in zoned raid-stripe-tree extent-tree-v2; do
	refused "$word.*not supported" -O $word
done

# sector sizes are a matter of the machine: said, not refused
images 200M a
expect 0 bo mkfs -q --compat 5.15 -s 16K -n 16K "$WORK/a"
expect_message 'sector size 16384: Linux 5.15 mounts it only on machines with pages of that size'
expect 0 bo mkfs -q -f --compat 5.4 "$WORK/a"
[ ! -s "$WORK/err" ] || fail "a warning for nothing: $(cat "$WORK/err")"
expect 0 bo mkfs -q -f -n 64K "$WORK/a"
[ ! -s "$WORK/err" ] || fail "a warning for nothing: $(cat "$WORK/err")"

# list-all: a line begins with a name for what can be used, and for nothing else
for option in '-O list-all' '-R list-all' '--features list-all' '-O no-holes,list-all'; do
	expect 0 bo mkfs $option
	[ ! -s "$WORK/err" ] || fail "$option writes errors"
	cp "$WORK/out" "$WORK/list"
	for word in quota squota extref skinny-metadata no-holes raid1c34 free-space-tree block-group-tree; do
		grep -qE "^$word +- .+ \(compat=[0-9.]+(, safe=[0-9.]+)?(, default=[0-9.]+)?\)$" "$WORK/list" ||
			fail "$option: no line for $word"
	done
	for word in zoned raid-stripe-tree extent-tree-v2; do
		! grep -qE "^[[:space:]]*$word\\b" "$WORK/list" || fail "$option: $word has a line, but does not work"
		grep -qw -e "$word" "$WORK/list" || fail "$option does not name $word"
	done
	while read -r word; do
		images 200M a
		expect 0 bo mkfs -q -O "^$word" "$WORK/a"
	done < <(awk 'NR > 1 && $2 == "-" {print $1}' "$WORK/list")
done

# the versions are those of mkfs.btrfs, where it knows the feature
need_versions() { sed -nE 's/^([a-z0-9-]+) +- .*\((compat=[^)]*)\)$/\1 \2/p' "$1" | sort; }
if mkfs.btrfs -O list-all >"$WORK/theirs" 2>&1 && mkfs.btrfs -R list-all >>"$WORK/theirs" 2>&1; then
	need_versions "$WORK/list" >"$WORK/ours.txt"
	need_versions "$WORK/theirs" >"$WORK/theirs.txt"
	[ "$(join "$WORK/ours.txt" "$WORK/theirs.txt" | wc -l)" -ge 5 ] || fail "cannot read one of the lists"
	while read -r word rest; do
		theirs=$(grep "^$word " "$WORK/theirs.txt") || continue
		# a later version may have made one the default
		[[ $word\ $rest == "$theirs"* ]] || fail "list-all: $word $rest, mkfs.btrfs: $theirs"
	done <"$WORK/ours.txt"
fi
finish
