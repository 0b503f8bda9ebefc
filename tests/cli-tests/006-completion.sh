#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Completion in bash: every option of --help, words, features, file names.
. "$(dirname "$0")/../common.sh"
need_program

mkdir "$WORK/names" && ln -s "$(realpath "$BTRFS_OFFLINE")" "$WORK/names/btrfs-offline" &&
	ln -s btrfs-offline "$WORK/names/mkfs.btrfs-offline"
PATH=$WORK/names:$PATH
. "$TOP/completion/btrfs-offline.bash"

# complete WORD...: fills COMPREPLY as bash would for the last word.
complete_words()
{
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_btrfs_offline
}

offers() {	# WANT WORD...
	local want=$1
	shift
	complete_words "$@"
	printf '%s\n' "${COMPREPLY[@]}" | grep -qxF -e "$want" || fail "'$*' does not offer $want but: ${COMPREPLY[*]}"
}

offers mkfs btrfs-offline m
offers chunks btrfs-offline inspect ch
offers --csum-threads btrfs-offline mkfs --csum
offers --rootdir mkfs.btrfs-offline --root
offers --max-findings btrfs-offline scrub --
offers --exists btrfs-offline inspect csum --ex
offers raid1c3 btrfs-offline mkfs -d raid1
offers no-holes btrfs-offline mkfs -O no
offers extref,no-holes btrfs-offline mkfs -O extref,no
cd "$WORK" && : >some.img
offers some.img btrfs-offline scrub so

# what is offered is what the program knows
complete_words btrfs-offline mkfs --
[ ${#COMPREPLY[@]} -ge 20 ] || fail "only ${#COMPREPLY[@]} options of mkfs"
for option in "${COMPREPLY[@]}"; do
	run bo mkfs "$option"
	! grep -q 'unrecognized option' "$WORK/err" || fail "mkfs $option is offered and not known"
done
finish
