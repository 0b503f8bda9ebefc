#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A judge that is not ours, where there is one beside the sources.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; tool treegen
outside=$TOP/../shared/tools
[ -x "$outside/kernel-verify.sh" ] || skip "no outside judge (kernel-verify.sh) beside the sources"

if [ -x "$outside/make-tree.sh" ]; then
	"$outside/make-tree.sh" "$WORK/tree" >/dev/null || fail "make-tree.sh"
else
	nasty_tree "$WORK/tree"
fi

# profile data/metadata, devices, checksum
while read -r data meta nr csum how; do
	names=()
	for i in $(seq "$nr"); do images 600M "dev$i"; names+=("$WORK/dev$i"); done
	make_fs -d "$data" -m "$meta" --csum "$csum" -r "$WORK/tree" "${names[@]}"
	TMPDIR=$WORK run "$outside/kernel-verify.sh" -q $how -s "$WORK/tree" "${names[@]}"
	case $RC in
	0) say "$data/$meta on $nr, $csum" ;;
	77) skip_part "$data/$meta: $(tail -n 1 "$WORK/out")" ;;
	*)
		show_output
		fail "the outside judge rejects $data/$meta on $nr, $csum" ;;
	esac
	rm -f "${names[@]}"
done <<-END
	single dup 1 crc32c -w
	dup dup 1 sha256
	raid0 raid1 2 xxhash64 -w
	raid0 raid0 3 blake2b
	raid1 raid1 2 sha256
	raid1c3 raid1c3 3 crc32c
	raid1c4 raid1c4 4 xxhash64
	raid10 raid10 4 crc32c
END
finish
