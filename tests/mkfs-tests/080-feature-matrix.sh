#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Features on and off x node sizes x sector sizes x checksums: the kernel mounts, compares, scrubs, writes and balances.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; tool treegen

nasty_tree "$WORK/tree" 700
treegen many "$WORK/tree/many" 1000
rm "$WORK/tree/links/long"	# does not fit a node of 4 KiB

# words of btrfs-progs for what must be set, or (^) must not
expect_flags() {	# IMAGE WORD...
	local flags word
	flags=$(btrfs inspect-internal dump-super "$1" | sed -n '/^compat_ro_flags/,/^cache_generation/p')
	for word in "${@:2}"; do
		if grep -qw "${word#^}" <<<"$flags"; then
			[ "${word:0:1}" != ^ ] || fail "$JUDGE_LABEL: ${word#^} is set"
		else
			[ "${word:0:1}" = ^ ] || fail "$JUDGE_LABEL: $word is not set"
		fi
	done
}

# features nodesize checksum flags
while read -r features node csum flags; do
	images 400M a
	make_fs -O "$features" -n $node --csum $csum -r "$WORK/tree" "$WORK/a"
	JUDGE_LABEL="$features, nodes of $node, $csum"
	expect_flags "$WORK/a" $flags
	scrub_status 0 "$WORK/a"
	judge -w -s "$WORK/tree" "$WORK/a"
	say "$JUDGE_LABEL"
done <<-END
	bgt 4K sha256 FREE_SPACE_TREE BLOCK_GROUP_TREE SKINNY_METADATA NO_HOLES EXTENDED_IREF
	^bgt 32K xxhash FREE_SPACE_TREE ^BLOCK_GROUP_TREE
	^free-space-tree 16K crc32c ^FREE_SPACE_TREE ^FREE_SPACE_TREE_VALID ^BLOCK_GROUP_TREE
	^no-holes 4K blake2 ^NO_HOLES ^BLOCK_GROUP_TREE FREE_SPACE_TREE
	^extref 8K sha256 ^EXTENDED_IREF BLOCK_GROUP_TREE
	^skinny-metadata 4K xxhash ^SKINNY_METADATA BLOCK_GROUP_TREE
	^skinny-metadata,^bgt 64K crc32c ^SKINNY_METADATA ^BLOCK_GROUP_TREE
	quota 4K crc32c BLOCK_GROUP_TREE
	quota,^skinny-metadata,^fst,^no-holes 16K blake2 ^SKINNY_METADATA ^FREE_SPACE_TREE ^NO_HOLES
	squota 16K crc32c unknown
	squota,^skinny-metadata,^no-holes 64K sha256 unknown ^SKINNY_METADATA ^NO_HOLES
	^extref,^skinny-metadata,^no-holes,^fst 4K crc32c ^EXTENDED_IREF ^SKINNY_METADATA ^NO_HOLES ^FREE_SPACE_TREE
END

# Without a free space tree there is no cache to be stale; the kernel begins one, and takes the tree when asked to.
images 400M a
make_fs -O ^fst -r "$WORK/tree" "$WORK/a"
JUDGED="free space"
cache_generation() { btrfs inspect-internal dump-super "$WORK/a" | awk '$1 == "cache_generation" {print $2}'; }
generation() { btrfs inspect-internal dump-super "$WORK/a" | awk '$1 == "generation" {print $2}'; }
[ "$(cache_generation)" = 18446744073709551615 ] || fail "cache generation $(cache_generation)"
! bo inspect tree -t root "$WORK/a" | grep -q FREE_SPACE || fail "a free space cache in a new filesystem"
for option in nospace_cache space_cache=v1 "" space_cache=v2 ""; do
	attach rw "$WORK/a"
	mount_loops "rw${option:+,$option}" || fail "no mount with '$option': $(cat "$WORK/mount.err")"
	rm -rf "$MNT/more" && treegen noise "$MNT/more" 2000000 && sync -f "$MNT" || fail "'$option': cannot write"
	unmount; expect_silent_kernel
	check_loops
	detach
	scrub_status 0 "$WORK/a"
	[ "$option" != space_cache=v1 ] || [ "$(cache_generation)" = "$(generation)" ] || fail "the kernel keeps no cache"
	say "free space, '$option'"
done
JUDGE_LABEL="free space" expect_flags "$WORK/a" FREE_SPACE_TREE

# sector sizes that this kernel cannot mount are for others to judge
mountable=$(cat /sys/fs/btrfs/features/supported_sectorsizes 2>/dev/null || getconf PAGE_SIZE)
while read -r features sector node csum; do
	images 400M a
	expect 0 bo mkfs -q -O "$features" -s $sector -n $node --csum $csum -r "$WORK/tree" "$WORK/a"
	JUDGED="$features, sectors of $sector, nodes of $node, $csum"
	case " $mountable " in
	*" $sector "*) [ ! -s "$WORK/err" ] || fail "$JUDGED: a warning: $(cat "$WORK/err")" ;;
	*) expect_message "sector size $sector: the running kernel mounts $mountable" ;;
	esac
	LOOPS=("$WORK/a")
	check_loops --check-data-csum
	LOOPS=()
	scrub_status 0 "$WORK/a"
	say "$JUDGED"
done <<-END
	bgt 8192 8K crc32c
	quota,^skinny-metadata 16384 64K sha256
	^no-holes,^fst 32768 32K xxhash
	squota 65536 64K blake2
END
finish
