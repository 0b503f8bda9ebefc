#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The files that bad data is in: every name in every subvolume and snapshot, as the kernel finds them from the address.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need jq python3; tool treegen blockedit

# Built by the kernel: hard links, snapshots, reflinks, bookends, compressed data, odd names.
images 600M a
mkfs.btrfs -q "$WORK/a" >/dev/null 2>&1 || fail "mkfs.btrfs"
attach rw "$WORK/a"
mount_loops rw,subvolid=5 || fail "no mount"
mkdir -p "$MNT/d/e" "$MNT/other"
btrfs subvolume create "$MNT/d/sub" >/dev/null
btrfs subvolume create "$MNT/d/sub/inner" >/dev/null
treegen noise "$MNT/d/sub/file" 1000000
treegen noise "$MNT/d/sub/inner/deep" 300000
treegen noise "$MNT/top" 700000
for i in $(seq 40); do ln "$MNT/top" "$MNT/d/e/link$i"; done
ln "$MNT/top" "$MNT/other/again"
cp --reflink=always "$MNT/d/sub/file" "$MNT/cloned"
sync -f "$MNT"
btrfs subvolume snapshot "$MNT/d/sub" "$MNT/snap1" >/dev/null
btrfs subvolume snapshot -r "$MNT/d/sub" "$MNT/other/snap2" >/dev/null
# what is overwritten is in the snapshots still: the extent is, and so is its first half in the file
dd if=/dev/urandom of="$MNT/d/sub/file" bs=4096 seek=100 count=50 conv=notrunc status=none
yes 'compressible text' | head -c 400000 >"$MNT/plain"
mkdir "$MNT/c" && btrfs property set "$MNT/c" compression zstd
yes 'more of compressible text' | head -c 400000 >"$MNT/c/text"
name=$'odd\n\x01\xff\\ name'
treegen noise "$MNT/odd" 50000 && mv "$MNT/odd" "$MNT/$name"
sync -f "$MNT"

# address -> paths as the kernel says: "ADDRESS PATH-IN-HEX"
cat >"$WORK/oracle.py" <<'EOF'
import re, subprocess, sys
mnt, addresses = sys.argv[1], sys.argv[2:]
def run(*args):
    return subprocess.run(["btrfs", *args], capture_output=True, check=True).stdout
subvolumes = {5: b""}
for line in run("subvolume", "list", mnt).decode().splitlines():
    words = line.split(" ", 8)
    subvolumes[int(words[1])] = b"/" + words[8].encode()
names = {}
def names_of(root, ino):
    if (root, ino) not in names:
        top = mnt.encode() + subvolumes[root]
        out = run("inspect-internal", "inode-resolve", str(ino), top.decode())
        # a name may hold a newline: what begins a path is the mount point
        paths = (b"\n" + out.rstrip(b"\n")).split(b"\n" + top + b"/")[1:]
        names[root, ino] = [subvolumes[root] + b"/" + n for n in paths]
    return names[root, ino]
for address in addresses:
    out = run("inspect-internal", "logical-resolve", "-P", "-s", "1048576", address, mnt).decode()
    for ino, root in set(re.findall(r"inode (\d+) offset \d+ root (\d+)", out)):
        for name in names_of(int(root), int(ino)):
            print(address, name.hex())
EOF
# every 37th sector of data, and no neighbours: those would be one finding
btrfs inspect-internal dump-tree -t extent "${LOOPS[0]}" 2>/dev/null |
	awk '/EXTENT_ITEM/ {gsub(/[()]/, " "); a = $4; l = $6} /refs .* flags DATA/ {print a, l}' >"$WORK/data"
[ "$(wc -l <"$WORK/data")" -gt 6 ] || fail "no data extents: $(cat "$WORK/data")"
awk '{for (a = $1; a < $1 + $2; a += 37 * 4096) if (a > last + 4096) print last = a}' "$WORK/data" >"$WORK/addresses"
python3 "$WORK/oracle.py" "$MNT" $(cat "$WORK/addresses") | sort >"$WORK/want"
unmount
[ "$(wc -l <"$WORK/want")" -gt 100 ] || fail "the kernel names only $(wc -l <"$WORK/want") paths"
read_map
# all of them damaged at once
while read -r address; do
	places "$address" | while read -r image physical; do echo "$physical"; done
done <"$WORK/addresses" >"$WORK/physical"
detach
while read -r physical; do flip "$WORK/a" $((physical + 7)); done <"$WORK/physical"
scrub_json 3 --max-paths 1000 "$WORK/a"
cat >"$WORK/found.py" <<'EOF'
import json, sys
report = json.load(open(sys.argv[1]))
seen = set()
for e in report["errors"]:
    assert e["kind"] == "data", e
    assert e["paths_total"] == len(e["paths"]), e
    for p in e["paths"]:
        assert p["complete"], p
        raw = bytes.fromhex(p["path_bytes"]) if "path_bytes" in p else p["path"].encode()
        seen.add((e["logical"], raw.hex()))
for logical, path in sorted(seen, key=lambda x: (str(x[0]), x[1])):
    print(logical, path)
EOF
python3 "$WORK/found.py" "$WORK/json" | sort >"$WORK/found" || fail "the report is not as it should be"
diff "$WORK/want" "$WORK/found" >"$WORK/diff" || { head -n 20 "$WORK/diff" >&2; fail "other paths than the kernel's (<): $(wc -l <"$WORK/diff") lines"; }
say "$(wc -l <"$WORK/addresses") addresses, $(wc -l <"$WORK/want") paths"

# in words: escaped, at most as many as asked for, and how many more
expect 3 bo scrub --max-paths 3 "$WORK/a"
grep -qF '  file /odd\n\x01\xff\\ name (subvolume 5, inode ' "$WORK/out" || fail "the odd name: $(grep odd "$WORK/out")"
grep -q '^  and 39 more$' "$WORK/out" || fail "42 names of one file: $(grep more "$WORK/out" | head -n 3)"
! grep -qP '[\x00-\x08\x0b-\x1f\x80-\xff]' "$WORK/out" || fail "control bytes in the report"
expect 3 bo scrub --max-paths 0 "$WORK/a"
! grep -q '^  file' "$WORK/out" || fail "--max-paths 0 names files"
# the same from any number of threads
for threads in 0 1 8; do
	expect 3 bo scrub --threads $threads --max-paths 5 "$WORK/a"
	grep -v '^Duration\|^Rate' "$WORK/out" >"$WORK/text$threads"
	cmp "$WORK/text0" "$WORK/text$threads" || fail "$threads threads: another report"
done
finish
