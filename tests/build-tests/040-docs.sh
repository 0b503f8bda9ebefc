#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every page renders without a warning, and each manual page has exactly the
# options that the program has.

set -u

fail() { echo "FAIL: $*"; exit 1; }
command -v rst2man >/dev/null || { echo 'skipped: no rst2man'; exit 77; }

for page in "$TOP"/Documentation/*.rst; do
	rst2man --strict "$page" "$TMPDIR/page.8" || fail "$page"
	grep -q '^\.SH NAME' "$TMPDIR/page.8" || fail "$page is no manual page"
done
for page in "$TOP"/Documentation/dev/*.rst; do
	rst2html --strict "$page" "$TMPDIR/page.html" || fail "$page"
done

long_options() { grep -oE '(^|[^a-zA-Z0-9-])--[a-z][a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+' | sort -u; }

# compare PAGE COMMAND...: the options of COMMAND --help against the terms of the page.
compare()
{
	local page=$TOP/Documentation/$1.rst
	shift
	"$BTRFS_OFFLINE" "$@" --help | long_options >>"$TMPDIR/program"
	grep -E '^-' "$page" | long_options >"$TMPDIR/page"
}

: >"$TMPDIR/program"
compare btrfs-offline-mkfs mkfs
# second names, in the manual only
printf '%s\n' --checksum --runtime-features >>"$TMPDIR/program"
sort -u "$TMPDIR/program" | diff - "$TMPDIR/page" || fail 'mkfs: < only the program knows it, > only the manual'

: >"$TMPDIR/program"
compare btrfs-offline-scrub scrub
sort -u "$TMPDIR/program" | diff - "$TMPDIR/page" || fail 'scrub: < only the program knows it, > only the manual'

: >"$TMPDIR/program"
for sub in super tree chunks csum; do
	compare btrfs-offline-inspect inspect $sub
done
sort -u "$TMPDIR/program" | diff - "$TMPDIR/page" || fail 'inspect: < only the program knows it, > only the manual'
[ "$(wc -l <"$TMPDIR/page")" -ge 5 ] || fail "only $(wc -l <"$TMPDIR/page") options found"
