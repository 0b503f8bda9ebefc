# SPDX-License-Identifier: GPL-2.0-or-later
# The library of the end-to-end tests, read by each of them first:
#
#     . "${TOP:-$(dirname "$0")/../..}/tests/common.sh"
#
# A test reads: what it needs, set-up, action, check, `finish`. All it makes, attaches or mounts lies below
# $WORK, a private directory: the clean-up undoes what it finds there, so nothing has to be on record when
# a signal comes. Exit status: 0 passed, 77 skipped (reason on the last line), else failed.
# KEEP=1 keeps $WORK of a failed test.

set -u
TOP=$(cd "${TOP:-$(dirname "${BASH_SOURCE[0]}")/..}" && pwd)
BTRFS_OFFLINE=${BTRFS_OFFLINE:-$TOP/btrfs-offline}
WORK=$(realpath "$(mktemp -d "${TMPDIR:-/tmp}/btrfs-offline-test.XXXXXX")") || exit 1
chmod 711 "$WORK"
MNT=$WORK/mnt
LIMIT=${LIMIT:-240}	# seconds for one run of the program: more is a hang
LOOPS=()		# loop devices of the images attached now
SKIPPED=()		# parts that could not be tried here
SUBVOLUMES=()		# options of treelist for the tree that is judged
export LC_ALL=C
mkdir "$MNT" "$WORK/bin"
PATH=$WORK/bin:$PATH:/usr/sbin:/sbin

# ---- the end of a test ----

mounts_below() { awk '{print $2}' /proc/self/mounts | grep -F "$WORK" | sort -r; }

cleanup() {
	local m
	trap '' INT TERM HUP
	[ ! -f "$WORK/swap-on" ] || swapoff "$(cat "$WORK/swap-on")" 2>/dev/null
	# images may lie on file systems that this test mounted too: what shows them goes first
	mounts_below | while read -r m; do umount "$m" 2>/dev/null; done
	detach
	mounts_below | while read -r m; do
		umount "$m" 2>/dev/null || { sleep 1; umount "$m" 2>/dev/null; } || umount -l "$m"
	done
	detach
	if [ "${KEEP:-0}" = 1 ] && [ "$1" != 0 ]; then
		echo "kept: $WORK"
	else
		rm -rf --one-file-system "$WORK"
	fi
}
trap 'rc=$?; cleanup $rc' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

fail() {
	echo "FAIL: $*" >&2
	exit 1
}

skip() {
	echo "skipped: $*"
	exit 77
}

# A part that cannot be tried here. The test goes on, and says at its end that it was not whole.
skip_part() {
	echo "not tried: $*"
	SKIPPED+=("$*")
}

finish() {
	[ ${#SKIPPED[@]} = 0 ] || skip "all else passed, not tried: $(IFS=\;; echo "${SKIPPED[*]}")"
	exit 0
}

say() { echo "- $*"; }

# ---- requirements ----

need_program() { [ -x "$BTRFS_OFFLINE" ] || fail "no program at $BTRFS_OFFLINE: build it first"; }
need_root() { [ "$(id -u)" = 0 ] || skip "needs root"; }

need() {	# COMMAND...
	local c
	for c in "$@"; do
		command -v "$c" >/dev/null || skip "needs $c"
	done
}

# All that the judge uses: the kernel's own btrfs, loop devices, btrfs-progs.
need_judge() {
	need_root
	need losetup btrfs mount umount dmesg
	grep -qw btrfs /proc/filesystems || modprobe btrfs 2>/dev/null || skip "this kernel has no btrfs"
	losetup --find >/dev/null 2>&1 || skip "no loop devices"
	tool treelist
}

# Builds tests/tools/NAME.c when the build has not done so already.
tool() {	# NAME...
	local t
	for t in "$@"; do
		if [ -x "$TOP/tests/tools/$t" ] && [ "$TOP/tests/tools/$t" -nt "$TOP/tests/tools/$t.c" ]; then
			ln -sf "$TOP/tests/tools/$t" "$WORK/bin/$t"
			continue
		fi
		command -v "${CC:-cc}" >/dev/null || skip "needs a C compiler for tests/tools/$t.c"
		${CC:-cc} -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -O2 -o "$WORK/bin/$t" \
			"$TOP/tests/tools/$t.c" || fail "cannot build $t"
	done
}

# The preloaded fault library: sets $IOFAULT.
tool_iofault() {
	IOFAULT=$WORK/bin/iofault.so
	command -v "${CC:-cc}" >/dev/null || skip "needs a C compiler for tests/tools/iofault.c"
	${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O2 -shared -fPIC -o "$IOFAULT" "$TOP/tests/tools/iofault.c" -ldl ||
		fail "cannot build iofault.c"
	ldd "$BTRFS_OFFLINE" >/dev/null 2>&1 || skip "a static program cannot be given a preloaded library"
	! ldd "$BTRFS_OFFLINE" | grep -q 'lib[atl]san' || skip "sanitizers do not go with a preloaded library"
}

# Whether the program's manual page on the command line knows an option.
has_option() {	# COMMAND --OPTION
	"$BTRFS_OFFLINE" "$1" --help 2>&1 | grep -q -e "$2\\b"
}

# ---- running the program ----

bo() { timeout -k 10 "$LIMIT" "$BTRFS_OFFLINE" "$@"; }

# Runs a command; RC is its status, $WORK/out and $WORK/err what it said.
run() {
	"$@" >"$WORK/out" 2>"$WORK/err" </dev/null
	RC=$?
	[ $RC != 124 ] || fail "no end after $LIMIT s: $*"
}

show_output() { tail -n 15 "$WORK/out" "$WORK/err" >&2; }

expect() {	# STATUS COMMAND...
	local want=$1
	shift
	run "$@"
	[ $RC = "$want" ] && return
	show_output
	fail "status $RC, not $want: ${*:1:20}"
}

# What the last command wrote on standard error matches all of these.
expect_message() {	# REGEX...
	local re
	for re in "$@"; do
		grep -qiE -e "$re" "$WORK/err" && continue
		show_output
		fail "the message does not say '$re'"
	done
}

make_fs() { expect 0 bo mkfs -q "$@"; }
scrub_status() { expect "$1" bo scrub "${@:2}"; }

# One JSON object on standard output, kept in $WORK/json.
scrub_json() {	# STATUS DEVICE...
	expect "$1" bo scrub --format json "${@:2}"
	cp "$WORK/out" "$WORK/json"
	jq -e . "$WORK/json" >/dev/null || fail "scrub wrote no valid JSON"
}

# ---- images ----

images() {	# SIZE NAME...: fresh sparse files in $WORK
	local n
	for n in "${@:2}"; do
		rm -f "$WORK/$n"
		truncate -s "$1" "$WORK/$n" || fail "cannot make $n"
	done
}

attach() {	# ro|rw IMAGE...
	local how=() i l
	[ "$1" = rw ] || how=(--read-only)
	for i in "${@:2}"; do
		l=$(losetup --find --show "${how[@]}" "$i" 2>"$WORK/losetup.err") ||
			l=$(sleep 1; losetup --find --show "${how[@]}" "$i") || fail "cannot attach $i"
		LOOPS+=("$l")
	done
	# from here on only, since the same device may a moment ago have been another test's
	[ ${#LOOPS[@]} -ne $(($# - 1)) ] || kernel_mark
}

# Every loop device whose file lies below $WORK.
detach() {
	local l
	losetup -l -n -O NAME,BACK-FILE 2>/dev/null | grep -F " $WORK/" | awk '{print $1}' | while read -r l; do
		btrfs device scan --forget "$l" >/dev/null 2>&1
		losetup -d "$l"
	done
	LOOPS=()
}

mount_loops() {	# OPTIONS: mounts what is attached as one file system
	local l list= try
	for l in "${LOOPS[@]}"; do
		# a device number that was free a moment ago can still be in the hands of whoever looks at all
		for try in 1 2 3 4 5; do
			btrfs device scan "$l" >/dev/null 2>"$WORK/scan.err" && break
			sleep 0.$try
		done
		list+=",device=$l"
	done
	mount -t btrfs -o "noatime,$1$list" "${LOOPS[0]}" "$MNT" 2>"$WORK/mount.err"
}

unmount() {
	local i
	for i in 1 2 3 4 5; do
		umount "$MNT" 2>/dev/null && return
		sleep 0.$i
	done
	fail "cannot unmount"
}

# Offsets (of 65536, 67108864) where the image has a finished superblock's magic.
magic_at() {	# IMAGE
	local o
	for o in 65536 67108864; do
		[ "$(dd if="$1" bs=1 skip=$((o + 64)) count=8 status=none 2>/dev/null | tr -d '\0')" = _BHRfS_M ] &&
			echo $o
	done
	return 0
}

expect_no_magic() {	# IMAGE...
	local i m
	for i in "$@"; do
		[ -e "$i" ] || continue
		m=$(magic_at "$i")
		[ -z "$m" ] || fail "$i has a valid magic at $m after a run that failed"
	done
}

# ---- trees ----

# A small tree with one of everything. Needs treegen; more of it when root.
nasty_tree() {	# DIR [KIB of noise]
	local d=$1 i
	mkdir -p "$d"/{dir,links,deep/er/still,empty,perm}
	treegen names "$d/names"
	treegen sizes "$d/sizes"
	treegen noise "$d/noise" $((${2:-5000} * 1024 + 77))
	yes 'a line that repeats' | head -c 300000 >"$d/text"
	truncate -s 5M "$d/sparse"
	treegen noise "$WORK/piece" 10000
	dd if="$WORK/piece" of="$d/sparse" bs=4096 seek=700 conv=notrunc status=none
	echo start >"$d/tail-hole" && truncate -s 100001 "$d/tail-hole"
	echo bottom >"$d/deep/er/still/file"
	echo linked >"$d/links/a"
	for i in 1 2 3 4 5; do ln "$d/links/a" "$d/links/a$i"; done
	ln "$d/links/a" "$d/dir/elsewhere"
	ln -s ../text "$d/links/symlink"
	ln -s nowhere "$d/links/dangling"
	ln -s "$(head -c 4095 /dev/zero | tr '\0' s)" "$d/links/long"
	mkfifo "$d/links/fifo"
	for i in 0000 0644 1777 2755 4755 6711; do
		echo $i >"$d/perm/f$i" && chmod $i "$d/perm/f$i"
		mkdir "$d/perm/d$i" && chmod $i "$d/perm/d$i"
	done
	if [ "$(id -u)" = 0 ]; then
		mknod "$d/links/null" c 1 3
		mknod "$d/links/char" c 4095 1048575
		mknod "$d/links/block" b 259 70000
		for i in 1 65534 65536 100000 4294967294; do
			echo $i >"$d/perm/u$i" && chown $i:$((i / 2)) "$d/perm/u$i"
		done
	fi
	setfattr -n user.one -v value "$d/text" 2>/dev/null
	setfattr -n user.empty "$d/text" 2>/dev/null
	setfattr -n user.binary -v 0x00ff000a00 "$d/dir" 2>/dev/null
	touch -h -d '1969-12-31 23:59:58.999999999 UTC' "$d/links/dangling"
	touch -d '1902-01-01 00:00:00.5 UTC' "$d/text"
	touch -d '2400-02-29 12:00:00.123456789 UTC' "$d/tail-hole"
	touch -d '2001-02-03 04:05:06.789012345 UTC' "$d/dir" "$d"
}

# ---- the judge ----

# Kernel messages since the attach (or a later kernel_mark) that name one of our devices.
kernel_mark() {
	MARK="btrfs-offline-test $$ $RANDOM$RANDOM"
	echo "$MARK" >/dev/kmsg
}

kernel_said() {
	local names
	names=$(IFS='|'; echo "${LOOPS[*]#/dev/}")
	dmesg | sed "1,/$MARK/d" | grep -E "BTRFS.*\\b($names)\\b|(WARNING|BUG):.*btrfs"
}

expect_silent_kernel() {
	local lines
	lines=$(kernel_said | grep -E 'BTRFS (warning|error|critical)|WARNING:|BUG:' |
		grep -vE 'space cache v1 is being deprecated|metadata profile .* has lower redundancy than data')
	[ -z "$lines" ] || fail "$JUDGED: the kernel complained: $lines"
}

kernel_scrub() {	# OPTIONS...: finds nothing
	local out bad
	out=$(btrfs scrub start -B -R "$@" "$MNT" 2>&1) || fail "$JUDGED: kernel scrub: $out"
	bad=$(grep -E '_errors:|csum_discards:' <<<"$out" | awk '$2 != 0')
	[ -z "$bad" ] || fail "$JUDGED: kernel scrub counts $bad"
	grep -q 'tree_extents_scrubbed: [1-9]' <<<"$out" || fail "$JUDGED: the kernel scrubbed no tree: $out"
	bad=$(btrfs device stats "$MNT" | awk '$NF != 0')
	[ -z "$bad" ] || fail "$JUDGED: device statistics: $bad"
}

compare_tree() {	# SOURCE FIELDS
	treelist -f "$2" "${SUBVOLUMES[@]}" "$1" >"$WORK/want" || fail "$JUDGED: cannot list $1"
	treelist -L -f "$2" "$MNT" >"$WORK/got" || fail "$JUDGED: cannot read all that is mounted"
	cmp -s "$WORK/want" "$WORK/got" && return
	diff "$WORK/want" "$WORK/got" | cut -c1-400 | head -n 10 >&2
	fail "$JUDGED: the tree differs in $(diff "$WORK/want" "$WORK/got" | grep -c '^[<>]') lines"
}

# btrfs check of what is attached.
check_loops() {	# OPTIONS...
	local l
	for l in "${LOOPS[@]}"; do btrfs device scan "$l" >/dev/null 2>&1; done
	btrfs check --readonly "$@" "${LOOPS[0]}" >"$WORK/check.log" 2>&1 && return
	# simple quotas are younger than some btrfs-progs; of these only the kernel and our scrub can judge
	grep -q 'unsupported option features (10000)' "$WORK/check.log" && say "$JUDGED: unknown to btrfs check" && return
	grep -vE '^(total|btree|found|file data| referenced|UUID|\[)' "$WORK/check.log" | head -n 20 >&2
	fail "$JUDGED: btrfs check $*"
}

# The kernel writes to copies of the images, deletes, balances; all must stay good, our scrub agreeing.
judge_writable() {	# SOURCE FIELDS IMAGE...
	local copies=() i out stamp id
	for i in "${@:3}"; do
		copies+=("$WORK/copy${#copies[@]}")
		cp --sparse=always "$i" "${copies[-1]}" || fail "no room for a copy"
		truncate -s +1G "${copies[-1]}"
	done
	attach rw "${copies[@]}"
	mount_loops rw,subvolid=5 || fail "$JUDGED: no writable mount: $(cat "$WORK/mount.err"; kernel_said)"
	stamp=$(stat -c @%.9Y "$MNT")
	for id in $(btrfs filesystem show "$MNT" | awk '$1 == "devid" {print $2}'); do
		btrfs filesystem resize "$id:max" "$MNT" >/dev/null 2>&1 || fail "$JUDGED: cannot grow device $id"
	done
	mkdir "$MNT/.judge" || fail "$JUDGED: cannot make a directory"
	for i in $(seq 100); do echo "written $i" >"$MNT/.judge/f$i"; done
	head -c 3M /dev/urandom >"$MNT/.judge/big" || fail "$JUDGED: cannot write"
	sync -f "$MNT"
	rm "$MNT"/.judge/*[13579]
	sync -f "$MNT"
	if ! out=$(btrfs balance start -f --full-balance "$MNT" 2>&1); then
		# Linux 6.18 runs out of room on its own raid1c3 and raid1c4 system chunks, however much there is
		grep -q 'No space left' <<<"$out" || fail "$JUDGED: balance: $out"
		say "$JUDGED: balance stopped for want of room"
	fi
	rm -r "$MNT/.judge"
	touch -d "$stamp" "$MNT"
	sync -f "$MNT"
	kernel_scrub
	[ -z "$1" ] || compare_tree "$1" "$2"
	unmount
	expect_silent_kernel
	check_loops $DATA_CHECK
	detach
	scrub_status 0 "${copies[@]}"
	rm -f "${copies[@]}"
}

# Everything an outsider can say about a set of images, which are only ever attached read-only.
#   -s DIR  the tree it was made from   -f FIELDS  of treelist   -w  also the writable copy
#   -u PATH  a directory of it that became a subvolume (repeat it): its hard links end there
#   -p  raid5 or raid6: btrfs-progs 6.2 takes good data for bad there (it says so of the kernel's own, too)
judge() {
	local source="" fields=motslxd writable=0 opt OPTIND=1 DATA_CHECK=--check-data-csum
	SUBVOLUMES=()
	while getopts s:f:u:wp opt; do
		case $opt in
		s) source=$OPTARG ;;
		f) fields=$OPTARG ;;
		u) SUBVOLUMES+=(-u "$OPTARG") ;;
		w) writable=1 ;;
		p) DATA_CHECK= ;;
		*) fail "judge: bad option" ;;
		esac
	done
	shift $((OPTIND - 1))
	JUDGED=${JUDGE_LABEL:-$(basename -a "$@" | tr '\n' ' ')}
	attach ro "$@"
	mount_loops ro,subvolid=5 || fail "$JUDGED: no mount: $(cat "$WORK/mount.err"; kernel_said | tail -n 5)"
	[ -z "$source" ] || compare_tree "$source" "$fields"
	kernel_scrub -r
	unmount
	expect_silent_kernel
	check_loops $DATA_CHECK
	detach
	[ $writable = 0 ] || judge_writable "$source" "$fields" "$@"
}

# ---- addresses, as btrfs-progs tells them ----

# The attached images' chunks for places, and in $WORK/extents their extents: "data ADDRESS LENGTH" or
# "tree ADDRESS"; but not the roots of the chunk and root tree, without which nothing else can be found.
read_map() {
	local l roots
	for l in "${LOOPS[@]}"; do btrfs device scan "$l" >/dev/null 2>&1; done
	btrfs inspect-internal dump-tree -t chunk "${LOOPS[0]}" 2>/dev/null | awk '
		/ CHUNK_ITEM / { start = $6; sub(/\)/, "", start) }
		$1 == "length" && $3 == "owner" { length_ = $2; type = $NF }
		$1 == "num_stripes" { printf "\n%s %s %s %s", start, length_, type, $2 }
		$1 == "stripe" && $3 == "devid" { printf " %s:%s", $4, $6 }
		END { print "" }' >"$WORK/chunks"
	roots=$(btrfs inspect-internal dump-super "${LOOPS[0]}" |
		awk '$1 == "root" || $1 == "chunk_root" { printf " %s ", $2 }')
	btrfs inspect-internal dump-tree -t extent "${LOOPS[0]}" 2>/dev/null | awk -v roots="$roots" '
		/item [0-9]+ key \([0-9]+ (EXTENT_ITEM|METADATA_ITEM) / {
			address = $4; sub(/\(/, "", address); kind = $5; len = $6; sub(/\)/, "", len) }
		/ flags DATA/ && kind == "EXTENT_ITEM" { print "data", address, len }
		/ flags TREE_BLOCK/ && !index(roots, " " address " ") { print "tree", address }' >"$WORK/extents"
	[ "$(grep -c : "$WORK/chunks")" -ge 3 ] && grep -q '^tree' "$WORK/extents" || fail "cannot read the map of the images"
}

# Copies of a logical address: "DEVICE PHYSICAL", one a line; devices count from 0 (devid 1).
places() {	# LOGICAL [PARITY]
	awk -v logical="$1" -v parity="${2-}" '
	NF > 4 && logical >= $1 && logical < $1 + $2 {
		within = logical - $1
		element = int(within / 65536)
		nr_parity = $3 ~ /RAID6/ ? 2 : $3 ~ /RAID5/
		if (nr_parity) {
			data = $4 - nr_parity
			row = int(element / data)
			column = element % data
			first = last = (row + column) % $4
			if (parity) {
				first = last = (row + data + parity - 1) % $4
				if (parity > nr_parity)
					next
			}
			wide = data
		} else if ($3 ~ /RAID10/) { wide = $4 / 2; first = element % wide * 2; last = first + 1 }
		else if ($3 ~ /RAID0/) { wide = $4; first = last = element % wide }
		else { wide = 0; first = 0; last = $4 - 1 }
		if (wide)
			within = int(element / wide) * 65536 + within % 65536
		for (i = first; i <= last; i++) {
			split($(5 + i), stripe, ":")
			printf "%d %.0f\n", stripe[1] - 1, stripe[2] + within
		}
	}' "$WORK/chunks"
}

# Of raid5 and raid6: the place of P (1) or Q (2) that protects a logical address.
parity_place() { places "$1" "$2"; }	# LOGICAL 1|2

# Inverts one byte; once more, and it is as before.
flip() {	# IMAGE OFFSET
	blockedit "$1" "$2" || fail "cannot change $1 at $2"
}
