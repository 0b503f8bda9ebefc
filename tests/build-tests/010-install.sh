#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# make install puts the program, its second name and the manual pages below
# DESTDIR; make uninstall takes all of them away again.

set -eu

fail() { echo "$*"; exit 1; }

dest=$TMPDIR/dest
make -C "$BUILD" install DESTDIR="$dest" >/dev/null
prefix=$dest$(sed -n 's/^prefix := //p' "$BUILD/Makefile")

[ -x "$prefix/bin/btrfs-offline" ] || fail "no program"
[ -L "$prefix/sbin/mkfs.btrfs-offline" ] || fail "no symbolic link mkfs.btrfs-offline"
[ "$(basename "$(readlink "$prefix/sbin/mkfs.btrfs-offline")")" = btrfs-offline ] || fail "the link points elsewhere"
"$prefix/bin/btrfs-offline" --version | grep -q '[0-9]' || fail "the installed program does not run"

[ -s "$prefix/share/bash-completion/completions/btrfs-offline" ] || fail "no completion"

[ -s "$prefix/share/btrfs-offline/scrub-report.schema.json" ] || fail "no schema of the scrub's report"

for page in "$TOP"/Documentation/btrfs-offline*.rst; do
	[ -e "$page" ] || continue
	grep -q '^enable_documentation.*no' "$BUILD/config.log" && break
	page=$prefix/share/man/man8/$(basename "$page" .rst).8
	[ -s "$page" ] || fail "$page was not installed"
done

make -C "$BUILD" uninstall DESTDIR="$dest" >/dev/null
left=$(find "$dest" ! -type d)
[ -z "$left" ] || fail "uninstall leaves: $left"
