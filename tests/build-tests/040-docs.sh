#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every page renders without a warning; each manual page has exactly the long
# options that its command names in --help, and names no other option of this
# program anywhere.

set -u

fail() { echo "FAIL: $*"; exit 1; }
command -v rst2man >/dev/null || { echo 'skipped: no rst2man'; exit 77; }

for page in "$TOP"/Documentation/*.rst; do
	rst2man --strict "$page" "$TMPDIR/page.8" 2>"$TMPDIR/log" || fail "$page: $(cat "$TMPDIR/log")"
	[ -s "$TMPDIR/log" ] && fail "$page: $(cat "$TMPDIR/log")"
	grep -q '^\.SH NAME' "$TMPDIR/page.8" || fail "$page is no manual page"
done
for page in "$TOP"/Documentation/dev/*.rst; do
	rst2html --strict "$page" "$TMPDIR/page.html" || fail "$page"
done

long_options() { grep -oE '(^|[^a-zA-Z0-9-])--[a-z][a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+' | sort -u; }

# Options at the start of a line are terms; other programs' are in examples, which are indented.
terms() { grep -E '^-' "$1" | long_options; }
prose() { grep -oE '\*\*[^*]*\*\*' "$1" | long_options; }

# accepted OPTION COMMAND...: the program does not call it unknown, whatever else it says.
accepted()
{
	local option=$1
	shift
	"$BTRFS_OFFLINE" "$@" "$option" >"$TMPDIR/out" 2>&1 </dev/null
	! grep -qE 'unrecognized option|ambiguous|not (supported|available)' "$TMPDIR/out"
}

# compare PAGE "SECOND NAMES" COMMAND...: each COMMAND is words of one command line.
compare()
{
	local page=$TOP/Documentation/$1.rst seconds=$2 command option found
	shift 2
	for command; do
		# shellcheck disable=SC2086
		"$BTRFS_OFFLINE" $command --help | long_options
	done >"$TMPDIR/help"
	# shellcheck disable=SC2086
	[ -z "$seconds" ] || printf '%s\n' $seconds >>"$TMPDIR/help"
	sort -u "$TMPDIR/help" >"$TMPDIR/program"
	terms "$page" >"$TMPDIR/page"
	[ "$(wc -l <"$TMPDIR/page")" -ge 5 ] || fail "$page: only $(wc -l <"$TMPDIR/page") options found"
	diff "$TMPDIR/program" "$TMPDIR/page" ||
		fail "$page: < only --help knows it, > only the manual"
	prose "$page" | comm -23 - "$TMPDIR/page" >"$TMPDIR/strange"
	[ -s "$TMPDIR/strange" ] && fail "$page: names, but does not describe, $(tr '\n' ' ' <"$TMPDIR/strange")"
	while read -r option; do
		found=
		for command; do
			# shellcheck disable=SC2086
			accepted "$option" $command && found=1 && break
		done
		[ -n "$found" ] || fail "$page: $option: $(cat "$TMPDIR/out")"
	done <"$TMPDIR/page"
}

compare btrfs-offline-mkfs '--checksum --runtime-features' mkfs
compare btrfs-offline-scrub '' scrub
compare btrfs-offline-inspect '' 'inspect super' 'inspect tree' 'inspect chunks' 'inspect csum'

for option in --help --version; do
	grep -q -e "\*\*.*$option" "$TOP/Documentation/btrfs-offline.rst" || fail "btrfs-offline.rst: no $option"
	accepted $option || fail "$option: $(cat "$TMPDIR/out")"
done
exit 0
