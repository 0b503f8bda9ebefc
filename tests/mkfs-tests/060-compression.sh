#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --compress: files of every length around the edges, in every algorithm and sector size, read back by the kernel.
# timeout: 900
. "$(dirname "$0")/../common.sh"
need_program; need_judge; tool treegen

# Contents that compress well, a little, not at all, and in turns.
mkdir "$WORK/raw" "$WORK/lengths"
yes 'a line that repeats itself, and some more of it' | head -c 400000 >"$WORK/raw/text"
treegen noise "$WORK/raw/noise" 400000
od -An -tx4 -v "$WORK/raw/noise" | tr -d '\n' | head -c 400000 >"$WORK/raw/hex"
for i in $(seq 0 5); do
	head -c $((i * 40960 + 40960)) "$WORK/raw/noise" | tail -c 40960
	head -c 40960 "$WORK/raw/text"
done >"$WORK/raw/turns"
head -c 400000 /dev/zero >"$WORK/raw/zeros"

# lengths around what matters: sectors, inline files, pieces of 128 KiB, blocks of 1 MiB
for size in 1 2 3 4 5 7 8 100 511 512 2000 2047 2048 2049 4000 4095 4096 4097 8191 8192 8193 12287 65535 65536 65537 \
	    131071 131072 131073 135167 135168 135169 196607 262143 262144 262145 393215 393217; do
	for what in text noise hex turns zeros; do
		head -c $size "$WORK/raw/$what" >"$WORK/lengths/$what-$size"
	done
done
# every length modulo 4096, whose last sector lzo frames on its own
mkdir "$WORK/lengths/each"
for ((i = 0; i < 4096; i += 3)); do
	head -c $((8192 + i)) "$WORK/raw/hex" >"$WORK/lengths/each/$i"
done
# larger than a block, holes, a hole at the end
for i in 1 2 3 4 5 6 7; do cat "$WORK"/raw/{text,hex,noise,turns}; done >"$WORK/lengths/big"
head -c 3000001 "$WORK/lengths/big" | tail -c 2900001 >"$WORK/lengths/big-odd"
truncate -s 5M "$WORK/lengths/sparse"
for at in 0 33 64 65 200 700 1000; do
	dd if="$WORK/raw/text" of="$WORK/lengths/sparse" bs=4096 seek=$at count=7 conv=notrunc status=none
done
# compresses to nothing at all in whole blocks
yes | head -c 20M >"$WORK/lengths/yes"

extents_of() {	# IMAGE: how many file extents of each compression
	bo inspect tree -t fs "$1" | awk '/extent compression/ { n[$4]++ } END { for (i in n) printf "%s %s;", i, n[i] }'
}

while read -r how data options; do
	images 700M a b
	make_fs --compress "$how" -d "$data" ${options//+/ } -r "$WORK/lengths" "$WORK/a" "$WORK/b"
	JUDGE_LABEL="$how, $data, $options" judge -w -s "$WORK/lengths" "$WORK/a" "$WORK/b"
	scrub_status 0 "$WORK/a" "$WORK/b"
	say "$how, $data, $options: $(extents_of "$WORK/a")"
done <<-END
	zstd single -n+16k
	zlib raid0 -n+4k
	lzo raid1 -n+16k
	zstd:15 raid0 --csum+sha256
	zstd:-15 single --csum+xxhash
	zlib:9 single -O+^no-holes
	zlib:1 single --csum-threads+0
	lzo raid0 --csum-mode+overlap+--csum+blake2
	zstd single --dedupe
	zstd raid0 --dedupe=block
	lzo single --dedupe=block
	zlib single -M
END
finish
