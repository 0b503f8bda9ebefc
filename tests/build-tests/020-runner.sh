#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Does the test runner count and tell what it should? It runs here on a small
# tree of its own, with tests that pass, fail, skip, hang and leave files.

set -eu

fail() { echo "$*"; [ -e "$TMPDIR/out" ] && cat "$TMPDIR/out"; exit 1; }

tree=$TMPDIR/tree
mkdir -p "$tree/tests/demo" "$tree/tests/unit"
cp "$TOP/tests/run" "$tree/tests/run"
printf '#!/bin/sh\nexit 0\n' >"$tree/tests/check-layers"
printf 'btrfs-offline unit-programs: ;\n' >"$tree/Makefile"
chmod +x "$tree/tests/check-layers"

demo()	# NAME, text on standard input
{
	{ echo '#!/bin/bash'; cat; } >"$tree/tests/demo/$1.sh"
	chmod +x "$tree/tests/demo/$1.sh"
}
demo 010-pass <<<'touch "$TMPDIR/rubbish"; [ -n "$TOP$BTRFS_OFFLINE" ]'
demo 020-fail <<<'echo the reason of it; exit 3'
demo 030-skip <<<'echo needs the moon; exit 77'
demo 040-hang <<<$'# timeout: 1\nsleep 60'
demo 050-alone <<<$'# run-alone\ntrue'
demo not-a-test <<<'exit 1'

runner() { TMPDIR=$TMPDIR "$tree/tests/run" --quick "$@" >"$TMPDIR/out" 2>&1; }

runner && fail "succeeds in spite of failures"
[ "$(tail -n 1 "$TMPDIR/out")" = "4 passed, 2 failed, 1 skipped" ] || fail "wrong count"
grep -q '^PASS demo/010-pass (' "$TMPDIR/out" || fail "no line for what passed"
grep -q '^SKIP demo/030-skip: needs the moon$' "$TMPDIR/out" || fail "no reason for what was skipped"
grep -q 'the reason of it' "$TMPDIR/out" || fail "does not show why it failed"
grep -q '^FAIL demo/040-hang took more than 1 s' "$TMPDIR/out" || fail "no time limit"
grep -q 'the reason of it' "$tree/test-results/demo-020-fail.log" || fail "no log of what failed"
[ ! -e "$tree/test-results/demo-010-pass.log" ] || fail "keeps the log of what passed"
[ -z "$(find "$TMPDIR" -name rubbish)" ] || fail "does not remove the folder of a test"

runner 010-pass || fail "one passing test is no success"
[ "$(tail -n 1 "$TMPDIR/out")" = "1 passed, 0 failed, 0 skipped" ] || fail "the filter does not filter"

runner 030-skip && fail "skipping all is a success"
[ "$(tail -n 1 "$TMPDIR/out")" = "0 passed, 0 failed, 1 skipped" ] || fail "wrong count of skipped"

runner no-such-test && fail "no test at all is a success"
exit 0
