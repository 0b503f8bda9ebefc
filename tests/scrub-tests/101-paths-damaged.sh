#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Names of hit files where trees are hurt as well: what can be known is said, a loop of directories ends.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need jq; tool treegen blockedit
LIMIT=20

mkdir -p "$WORK/tree/a/b"
treegen noise "$WORK/tree/a/b/file" 100000
cp "$WORK/tree/a/b/file" "$WORK/tree/top"
images 200M good
make_fs -m single -r "$WORK/tree" "$WORK/good"
attach ro "$WORK/good"
read_map
btrfs inspect-internal dump-tree "${LOOPS[0]}" >"$WORK/dump" 2>/dev/null
# the first extent of /a/b/file, the root of the extent tree, the leaf of the top level
data=$(awk '/^fs tree/ {fs = 1} fs && /key \(260 EXTENT_DATA 0\)/ {at = 1} at && /disk byte/ {print $5; exit}' "$WORK/dump")
extent_root=$(awk '/EXTENT_TREE ROOT_ITEM/ {e = 1} e && /bytenr/ {for (i = 1; i < NF; i++) if ($i == "bytenr") {print $(i + 1); exit}}' "$WORK/dump")
leaf=$(awk '/^fs tree/ {fs = 1} fs && /^leaf/ {print $2; exit}' "$WORK/dump")
slot=$(awk '/^fs tree/ {fs = 1} fs && /key \(257 INODE_REF 256\)/ {print $2; exit}' "$WORK/dump")
for found in "$data" "$extent_root" "$leaf" "$slot"; do
	[[ $found =~ ^[0-9]+$ ]] || fail "not found in the dump: '$data' '$extent_root' '$leaf' '$slot'"
done
read -r _ data_at < <(places "$data")
read -r _ extent_at < <(places "$extent_root")
read -r _ leaf_at < <(places "$leaf")
detach

damaged() { cp --sparse=always "$WORK/good" "$WORK/a" && flip "$WORK/a" $((data_at + 100)); }
path() { jq -c '.errors[] | select(.kind == "data") | .paths[0] | [.path, .complete, .inode]' "$WORK/json"; }

damaged
scrub_json 3 "$WORK/a"
[ "$(path)" = '["/a/b/file",true,260]' ] || fail "without other damage: $(path)"
# found without the extent tree
flip "$WORK/a" $((extent_at + 200))
scrub_json 3 "$WORK/a"
[ "$(path)" = '["/a/b/file",true,260]' ] || fail "without an extent tree: $(path)"

# directory a lies in b: 101 bytes of header, 25 for each item, its key's offset behind 9 bytes
damaged
blockedit "$WORK/a" "$leaf_at" 16384 $((101 + slot * 25 + 9)) 3 || fail "cannot edit the leaf"
scrub_json 3 "$WORK/a"
path | grep -qE '^\["(/[ab])+/file",false,260\]$' || fail "a loop of directories: $(path | cut -c1-200)"
expect 3 bo scrub "$WORK/a"
grep -qE '^  file \.\.\.(/[ab])+/file \(subvolume 5, inode 260, at byte 0\)$' "$WORK/out" || fail "$(grep '  file' "$WORK/out")"

# the leaf with all names is lost: the data is bad, and nobody knows whose it is
damaged
flip "$WORK/a" $((leaf_at + 300))
scrub_json 3 "$WORK/a"
jq -e '.errors[] | select(.kind == "data") | .paths == [] and .paths_total == 0 and .paths_lost' "$WORK/json" >/dev/null ||
	fail "names from a lost leaf: $(path)"
expect 3 bo scrub "$WORK/a"
grep -q '^  file not known: blocks' "$WORK/out" || fail "$(grep '  ' "$WORK/out")"

# the tool says so on its own filesystems with subvolumes as well
mkdir -p "$WORK/sub/one/two" && cp "$WORK/tree/top" "$WORK/sub/one/two/file"
make_fs -f -m single --subvol one --subvol one/two -r "$WORK/sub" "$WORK/a"
attach ro "$WORK/a"
read_map
read -r _ logical _ < <(grep '^data' "$WORK/extents")
read -r _ physical < <(places "$logical")
detach
flip "$WORK/a" "$physical"
scrub_json 3 --data-only "$WORK/a"
[ "$(path)" = '["/one/two/file",true,257]' ] || fail "in a nested subvolume: $(path)"
finish
