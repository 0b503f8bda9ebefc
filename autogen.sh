#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes ./configure from configure.ac. Needs autoconf, aclocal (package
# automake) and pkg.m4 (package pkg-config).
set -e

cd "$(dirname "$0")"

for tool in aclocal autoconf pkg-config; do
	if ! command -v "$tool" >/dev/null; then
		echo "autogen.sh: $tool is missing; ./quickstart installs what a build needs" >&2
		exit 1
	fi
done

aclocal
autoconf --warnings=all
rm -rf autom4te.cache
echo "Now run ./configure and make."
