#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --manifest: an ordinary user makes a tree with owners, devices, times and attributes that he cannot make on
# disk; the same tree made by root is the same image.
. "$(dirname "$0")/../common.sh"
need_program; need_judge; need setfattr getfattr setpriv; tool treegen

M=$WORK/manifest
mkdir -p "$WORK/tree/etc" "$WORK/host" "$WORK/user"
T=$WORK/tree
echo shadow >"$T/etc/shadow" && echo motd >"$T/etc/motd" && ln -s old "$T/etc/link" && echo placeholder >"$T/placeholder"
treegen noise "$WORK/host/large" 3333333
printf 'host data' >"$WORK/host/with space"
touch -d '2000-01-01 00:00:00.123 UTC' "$T"/etc/* "$T/etc" "$T/placeholder" "$T"
cat >"$M" <<'END'
# what root would do
.			mode=0750 uid=0 gid=3 xattr.user.top=1 mtime=1000000000.25
etc			uid=0 gid=0
etc/shadow		mode=0600 uid=0 gid=42 mtime=-1 xattr.user.bin=\x00\001\n\\ xattr.trusted.t=yes
/etc/link		target=../new\040target uid=1 gid=2 mtime=5.000000007
./etc/motd		content=host/large uid=7 gid=7
placeholder		type=char major=4095 minor=1048575 mode=0620 uid=0 gid=5 mtime=77
dev			type=dir mode=0755 mtime=78 uid=0 gid=0
dev/null		type=char major=1 minor=3 mode=0666 mtime=79
dev/loop\x20disk	type=block major=7 minor=300 mode=0660 gid=6 mtime=79
dev/initctl		type=fifo mode=0600 mtime=79
dev/log			type=sock mode=0666 mtime=79
var/log			type=dir mode=2755 gid=4 mtime=80
var			type=dir mtime=81
var/log/new\nline\377	type=file mode=4711 uid=4294967294 content=host/with\040space mtime=9000000000
var/empty		type=file mtime=82
var/l			type=symlink target=log mtime=83
END
cd "$WORK" || exit 1

# the same by hand
W=$WORK/by-hand
cp -a "$T" "$W" && cd "$W" || exit 1
chown -R 0:0 . && chown 0:3 . && chown 0:42 etc/shadow && chmod 0600 etc/shadow
setfattr -n user.bin -v 0x00010a5c etc/shadow && setfattr -n trusted.t -v yes etc/shadow && setfattr -n user.top -v 1 .
ln -sf '../new target' etc/link && chown -h 1:2 etc/link
cp "$WORK/host/large" etc/motd && chown 7:7 etc/motd
rm placeholder && mknod -m 0620 placeholder c 4095 1048575 && chown 0:5 placeholder
mkdir dev var var/log && chmod 0755 dev var && chown 0:4 var/log && chmod 2755 var/log
mknod -m 0666 dev/null c 1 3 && mknod -m 0660 'dev/loop disk' b 7 300 && chown 0:6 'dev/loop disk' && mkfifo -m 0600 dev/initctl
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("dev/log")' 2>/dev/null ||
	{ sed -i '/^dev.log/d' "$M"; skip_part "a socket: needs python3"; }
[ ! -e dev/log ] || chmod 0666 dev/log
f=$(printf 'var/log/new\nline\377')
cp "$WORK/host/with space" "$f" && chown 4294967294:0 "$f" && chmod 4711 "$f"
: >var/empty && chmod 0644 var/empty "$f" && chmod 4711 "$f" && ln -s log var/l
touch -d @-1 etc/shadow && touch -h -d @5.000000007 etc/link && touch -d @77 placeholder && touch -d @9000000000 "$f"
touch -d @82 var/empty && touch -h -d @83 var/l && touch -d @79 dev/* && touch -d @78 dev && touch -d @80 var/log && touch -d @81 var
touch -r "$T/etc/motd" etc/motd && touch -r "$T/etc" etc && touch -d @1000000000.25 . && chmod 0750 .
cd "$WORK" || exit 1

images 300M a
make_fs -r "$T" --manifest "$M" "$WORK/a"
judge -s "$W" "$WORK/a"
scrub_status 0 "$WORK/a"

# ... by an ordinary user, and the same bytes
export SOURCE_DATE_EPOCH=8000000000
rm -f by-root by-user
make_fs -b 300M --seed s -r "$W" by-root
chmod 777 user && chmod -R a+rX tree host && chmod a+r manifest && cp "$BTRFS_OFFLINE" "$WORK/bin/program" && chmod 755 "$WORK/bin"{,/program}
chown -R 1234:1234 tree
closed=$(p=$WORK; while [ "$p" != / ]; do p=$(dirname "$p"); [ $((0$(stat -c %a "$p") & 1)) = 1 ] || echo "$p"; done)
if [ -z "$closed" ]; then
	expect 0 setpriv --reuid 65534 --regid 65534 --clear-groups -- timeout "$LIMIT" "$WORK/bin/program" mkfs -q -b 300M --seed s \
		-r tree --owner 0:0 --manifest manifest user/by-user
	cmp by-root user/by-user || fail "a user with a manifest makes another image than root by hand"
	say 'a user makes what root makes'
else
	skip_part "as a user: $closed is closed to ordinary users"
fi
# times that were set by hand stay with a seed, but are clamped
printf 'etc atime=1 ctime=2 mtime=3 btime=4\n. btime=8000000001\n' >times
images 300M b
SOURCE_DATE_EPOCH=1700000000 make_fs --seed s -r tree --manifest times "$WORK/b"
attach ro "$WORK/b" && mount_loops ro || fail "no mount"
got=$(stat -c '%X %Z %Y %W' "$MNT/etc")
[ "$got" = '1 2 3 4' ] || fail "times: $got"
[ "$(stat -c %W "$MNT")" = 1700000000 ] || fail "the epoch does not clamp $(stat -c %W "$MNT")"
unmount
detach
say 'times'

# subvolumes: directories of the tree and new ones, nested, beside those of --subvol
mkdir -p with/a/b with/c && echo x >with/a/b/f && echo y >with/c/f
printf 'a subvol=ro\na/b/new type=dir subvol=default uid=5\na/b/new/f type=file content=host/large\n' >subvolumes
images 300M b
make_fs -r with --manifest subvolumes --subvol rw:c --subvol a/b "$WORK/b"
judge "$WORK/b"
scrub_status 0 "$WORK/b"
attach ro "$WORK/b" && mount_loops ro,subvol=/ || fail "no mount"
got=$(btrfs subvolume list "$MNT" | awk '{print $NF}' | sort | tr '\n' ' ')
[ "$got" = 'a a/b a/b/new c ' ] || fail "subvolumes: $got"
[ "$(btrfs subvolume get-default "$MNT" | awk '{print $NF}')" = a/b/new ] || fail "default: $(btrfs subvolume get-default "$MNT")"
[ "$(btrfs property get "$MNT/a" ro) $(btrfs property get "$MNT/c" ro)" = 'ro=true ro=false' ] || fail "read-only flags"
[ "$(stat -c %u "$MNT/a/b/new")" = 5 ] && cmp host/large "$MNT/a/b/new/f" || fail "content of a new subvolume"
unmount
detach
say 'subvolumes'

# many entries: one manifest makes a tree of 20000, in no order
mkdir bare
seq 20000 | shuf --random-source=host/large | awk '{ printf "d%d/f%d type=file mode=%o content=host/with\\040space\n", $1 % 100, $1, 0600 + $1 % 64 }' >many
seq 0 99 | awk '{ printf "d%d type=dir uid=%d\n", $1, $1 }' >>many
make_fs --seed s -b 500M -r bare --manifest many "$WORK/many.img"
sort many >many-sorted
make_fs --seed s -b 500M -r bare --manifest many-sorted "$WORK/many-sorted.img"
cmp many.img many-sorted.img || fail "the order of a manifest shows"
attach ro "$WORK/many.img" && mount_loops ro || fail "no mount"
[ "$(find "$MNT" -type f -size 9c | wc -l)" = 20000 ] || fail "files are missing"
unmount
detach
judge "$WORK/many.img"
say 'many entries'

# a second manifest, and what takes nothing
refused() {	# REGEX LINE OPTIONS...
	printf '%b\n' "$2" >bad
	rm -f refused
	expect 1 bo mkfs -q -b 300M -r tree "${@:3}" --manifest bad refused
	expect_message "$1"
	[ ! -e refused ] || fail "a failed run left an image"
}
refused 'bad:1: nothing/here: no such entry' 'nothing/here mode=1'
refused 'bad:3: .*unknown key colour' '# comment\n\netc colour=red'
refused 'bad:1: etc/no/thing: the directory' 'etc/no/thing type=file'
refused 'bad:2: the path has an entry already: bad:1' 'etc mode=1\n/etc/ uid=1'
refused 'bad:1: the path has an entry already: times:1' 'etc mode=1' --manifest times
refused 'bad:1: .*goes out of' '../x type=file'
refused 'bad:1: .*backslash' 'etc\\q mode=1'
refused 'bad:1: .*NUL' 'etc\\000 mode=1'
refused 'bad:1: .*mode= takes' 'etc mode=888'
refused 'bad:1: .*needs major= and minor=' 'x type=char'
refused 'bad:1: etc: is a directory' 'etc type=file'
refused 'bad:1: placeholder: is no directory' 'placeholder type=dir'
refused 'bad:1: etc: is no regular file' 'etc content=host/large'
refused 'bad:1: x: cannot take its content from none: No such' 'x type=file content=none'
refused 'etc/motd: no such entry' 'etc/motd mode=1' --exclude etc/motd
refused 'subvol=. takes|subvol= takes' 'etc subvol=maybe'
refused 'only one can become' 'etc/motd subvol=rw'
refused 'top level' '. subvol=rw'
refused 'default subvolume already' 'etc subvol=default\nx type=dir subvol=default'
refused 'only one subvolume can be the default' 'etc subvol=default' --subvol default:etc
refused 'compress=zstd:77 takes levels -15 to 15' 'etc compress=zstd:77'
refused 'compress=gzip takes zstd, zlib' 'etc compress=gzip'
refused 'xattr .*known|names begin with' 'etc xattr.foo.bar=1'
expect 1 bo mkfs -q -b 300M -r tree --manifest none refused
expect_message 'none: cannot open'
expect 1 bo mkfs -q -b 300M --manifest manifest refused
expect_message 'manifest needs --rootdir'
say 'wrong use is refused'

# content that the target is, and that may not be read
images 300M c
echo 'x type=file content=c' >bad
expect 1 bo mkfs -q -r tree --manifest bad c
expect_message 'target of this run'
finish
