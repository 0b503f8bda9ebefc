#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every JSON report follows the published schema, whatever became of the run; and the schema refuses what does not.
. "$(dirname "$0")/../common.sh"
need_program; need jq; tool treegen blockedit
SCHEMA=$TOP/Documentation/scrub-report.schema.json
PYTHON=/usr/bin/python3	# the one that Debian's packages belong to
[ -x $PYTHON ] && $PYTHON -c 'import jsonschema' 2>/dev/null || skip "needs python3-jsonschema"

cat >"$WORK/validate.py" <<'EOF'
import json, sys
import jsonschema
schema = json.load(open(sys.argv[1]))
validator = jsonschema.Draft202012Validator(schema)
validator.check_schema(schema)
errors = [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:300]}" for e in validator.iter_errors(json.load(open(sys.argv[2])))]
print("\n".join(errors[:5]))
sys.exit(bool(errors))
EOF
valid() { $PYTHON "$WORK/validate.py" "$SCHEMA" "$1" >"$WORK/problems"; }
check() {	# WHAT
	reports=$((${reports:-0} + 1))
	valid "$WORK/out" || fail "$1: $(cat "$WORK/problems")"
}
report() {	# STATUS DEVICE-OR-OPTION...
	expect "$1" bo scrub --format json "${@:2}"
	check "${*:2}"
}

nasty_tree "$WORK/tree" 3000
images 300M a b c d
make_fs -L $'odd \x01\xff' --csum sha256 -d raid1 -m raid1 -r "$WORK/tree" "$WORK/a" "$WORK/b"
report 0 "$WORK/a" "$WORK/b"
report 0 --metadata-only "$WORK/a" "$WORK/b"
report 0 --data-only "$WORK/a" "$WORK/b"
report 0 --degraded "$WORK/b"
report 1 "$WORK/b"
report 1 "$WORK/missing"
report 1 "$WORK/tree/text"
# one byte in each 256 KiB of one device; of both
for at in $(seq 40 400); do flip "$WORK/a" $((at * 262144 + 777)); done
flip "$WORK/a" $((67108864 + 200))
report 4 "$WORK/a" "$WORK/b"
[ "$(jq '.errors | length' "$WORK/out")" -gt 5 ] || fail "hardly any finding"
for at in $(seq 40 400); do flip "$WORK/b" $((at * 262144 + 777)); done
report 3 "$WORK/a" "$WORK/b"
[ "$(jq '[.errors[] | select(.paths != [])] | length' "$WORK/out")" -gt 0 ] || fail "no finding has a path"
report 3 --max-findings 2 --max-paths 1 "$WORK/a" "$WORK/b"
# parity, and a profile with it
images 300M a b c
make_fs -d raid5 -m raid1 -r "$WORK/tree" "$WORK/a" "$WORK/b" "$WORK/c"
for at in $(seq 32 500); do flip "$WORK/c" $((at * 65536 + 777)); done
expect 4 bo scrub --format json "$WORK/a" "$WORK/b" "$WORK/c"
check raid5
jq -e '[.errors[] | select(.kind == "parity")] | length > 0' "$WORK/out" >/dev/null || fail "no finding about parity"
# interrupted
run timeout --preserve-status -s INT 0.3 "$BTRFS_OFFLINE" scrub --format json --device-rate 2M "$WORK/a" "$WORK/b" "$WORK/c"
[ $RC = 130 ] || fail "interrupted: status $RC"
check "an interrupted run"
# a superblock with the largest numbers
images 100M a
make_fs -r "$WORK/tree" "$WORK/a"
blockedit "$WORK/a" 65536 4096 72 255 73 255 74 255 75 255 76 255 77 255 78 255 79 255
run bo scrub --format json "$WORK/a"
[ $RC != 0 ] || fail "a hostile superblock is clean"
check "a hostile superblock"
[ "$reports" -gt 12 ] || fail "only $reports reports"
# and what is no report is none
reject() {	# JQ-PROGRAM
	jq "$1" "$WORK/good" >"$WORK/bad"
	! cmp -s "$WORK/good" "$WORK/bad" || fail "$1 changes nothing"
	! valid "$WORK/bad" || fail "the schema takes a report after $1"
}
images 100M a
make_fs -r "$WORK/tree" "$WORK/a"
expect 0 bo scrub --format json "$WORK/a"
cp "$WORK/out" "$WORK/good"
valid "$WORK/good" || fail "$(cat "$WORK/problems")"
reject 'del(.verdict)'
reject '.verdict = "fine"'
reject '.format = 2'
reject '.errors_total = -1'
reject '.errors_total = "12"'
reject '.fs.fsid = "x"'
reject 'del(.totals.csum_errors)'
reject '.totals.more = 1'
reject '.devices[0].super[0].status = "odd"'
reject '.new = true'
reject '.errors = [{}]'
finish
