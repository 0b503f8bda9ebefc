#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# raid5 and raid6 over 2 to 6 devices of unequal sizes: judged whole, and with devices missing, when all
# that was on them comes from parity. Some are written to and balanced by the kernel.
# timeout: 900
. "$(dirname "$0")/../common.sh"
need_program; need_judge; tool treegen

nasty_tree "$WORK/tree" 9000
rm "$WORK/tree/links/long"	# more than a node of 4 KiB can hold

# Without the devices whose numbers (from 0) are given the tree is the same.
read_without() {	# NUMBER... -- IMAGE...
	local gone=() left=() i
	while [ "$1" != -- ]; do gone[$1]=1; shift; done
	shift
	for ((i = 0; i < $#; i++)); do
		[ -n "${gone[i]-}" ] || left+=("${@:i+1:1}")
	done
	JUDGED="$LAYOUT without $(echo "${!gone[@]}")"
	attach ro "${left[@]}"
	mount_loops degraded,ro || fail "$JUDGED: no degraded mount: $(cat "$WORK/mount.err"; kernel_said | tail -n 5)"
	compare_tree "$WORK/tree" motslxd
	unmount
	! kernel_said | grep -qE 'csum failed|checksum verify failed|WARNING:|BUG:' ||
		fail "$JUDGED: the kernel complained: $(kernel_said | tail -n 5)"
	detach
}

super_has() { btrfs inspect-internal dump-super -f "$1" | grep -qw "$2"; }

# data metadata devices checksum options [w: also the writable copy]
while read -r data meta nr csum options w; do
	names=()
	for i in $(seq "$nr"); do
		images $((300 + 130 * (i * 2 % 5)))M "dev$i"
		names+=("$WORK/dev$i")
	done
	LAYOUT="$data/$meta on $nr, $csum, $options"
	make_fs -d "$data" -m "$meta" --csum "$csum" ${options//+/ } -r "$WORK/tree" "${names[@]}"
	expect_message 'raid5 and raid6 .*known defects'
	super_has "$WORK/dev1" RAID56 || fail "$LAYOUT: the feature flag is not set"
	JUDGE_LABEL=$LAYOUT judge -p ${w:+-w} -s "$WORK/tree" "${names[@]}"
	scrub_status 0 "${names[@]}"
	for ((i = 0; i < nr; i++)); do
		read_without $i -- "${names[@]}"
	done
	if [ "$data$meta" = raid6raid6 ]; then
		for ((i = 0; i + 1 < nr; i++)); do
			read_without $i $(((i + 1 + i % 2) % nr)) -- "${names[@]}"
		done
	fi
	say "$LAYOUT"
	rm -f "${names[@]}"
done <<-END
	raid5 raid5 2 crc32c -n+16k w
	raid5 raid5 3 xxhash64 -n+4k w
	raid5 raid5 4 sha256 -n+64k w
	raid5 raid5 5 blake2b --csum-mode+overlap
	raid5 raid5 6 crc32c -n+32k
	raid6 raid6 3 sha256 -n+16k w
	raid6 raid6 4 blake2b -n+64k w
	raid6 raid6 5 crc32c --io-engine+sync w
	raid6 raid6 6 xxhash64 --csum-mode+overlap+--io+buffered
	raid5 raid1 3 blake2b -n+16k w
	raid6 raid1c3 5 sha256 -n+16k w
	raid1 raid5 4 crc32c -n+8k
	raid5 raid6 4 xxhash64 -O+^block-group-tree w
END

# an empty filesystem, and the smallest devices
images 64M dev1 dev2 dev3
make_fs -d raid5 -m raid5 "$WORK"/dev{1,2,3}
JUDGE_LABEL="empty raid5" judge -p -w "$WORK"/dev{1,2,3}

# what is unused of a row that is not full is zeros on the devices, whatever was there before
for i in 1 2 3; do tr '\0' '\325' </dev/zero | head -c 128M >"$WORK/dev$i"; done
mkdir "$WORK/small" && echo one >"$WORK/small/one" && treegen noise "$WORK/small/noise" 10000
make_fs -K -f -d raid5 -m raid5 -r "$WORK/small" "$WORK"/dev{1,2,3}
JUDGE_LABEL="over dirt" judge -p -s "$WORK/small" "$WORK"/dev{1,2,3}
scrub_status 0 "$WORK"/dev{1,2,3}

# the bytes do not depend on the machinery
sum_of() {	# OPTIONS...
	images 200M dev1 dev2 dev3 dev4
	SOURCE_DATE_EPOCH=1700000000 make_fs --seed x -d raid6 -m raid5 "$@" -r "$WORK/tree" "$WORK"/dev{1,2,3,4}
	cat "$WORK"/dev{1,2,3,4} | sha256sum
}
want=$(sum_of --csum-threads 0 --io-engine sync)
for options in "--csum-threads 8" "--csum-mode overlap --csum-threads 3 --queue-depth 2" \
	"--buffer-memory 1M --csum-mode inline" "--io buffered --metadata-memory 1M"; do
	[ "$(sum_of $options)" = "$want" ] || fail "other bytes with $options"
done

# too few devices, and what is not recommended
images 300M dev1 dev2 dev3
expect 1 bo mkfs -d raid5 -m single "$WORK/dev1"
expect_message 'raid5 needs at least 2 devices'
expect 1 bo mkfs -d single -m raid6 "$WORK/dev1" "$WORK/dev2"
expect_message 'raid6 needs at least 3 devices'
expect_no_magic "$WORK"/dev{1,2}
make_fs -d raid5 -m raid1 "$WORK/dev1" "$WORK/dev2"
expect_message 'raid5 over 2 devices'
make_fs -f -d raid6 -m raid1 "$WORK"/dev{1,2,3}
expect_message 'raid6 over 3 devices'
# too much content: said before anything is written
treegen noise "$WORK/large" $((600 << 20))
mkdir "$WORK/toolarge" && mv "$WORK/large" "$WORK/toolarge/"
expect 1 bo mkfs -f -d raid5 -m raid5 -r "$WORK/toolarge" "$WORK"/dev{1,2,3}
expect_message 'too small'
# the flag alone
images 300M dev1
make_fs -O raid56 "$WORK/dev1"
super_has "$WORK/dev1" RAID56 || fail "-O raid56 sets no flag"
finish
