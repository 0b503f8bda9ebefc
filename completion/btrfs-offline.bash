# SPDX-License-Identifier: GPL-2.0-or-later
# Completion for bash. Options come from the program's own --help, so none is missing.

# The long options that COMMAND... --help names.
_btrfs_offline_options()
{
	"$@" --help 2>/dev/null | grep -oE '(^|[ ,[])--[a-z][a-z0-9-]*' | tr -d ' ,[' | sort -u
}

# Words that an option takes; nothing when it takes a size, a name or a number.
_btrfs_offline_values()
{
	case $1 in
	--data | -d | --metadata | -m)
		echo single dup raid0 raid1 raid1c3 raid1c4 raid10 raid5 raid6 ;;
	--csum | --checksum) echo crc32c xxhash sha256 blake2 ;;
	--csum-mode) echo auto inline offload overlap ;;
	--csum-threads) echo auto ;;
	--io) echo auto direct buffered ;;
	--io-engine) echo auto io_uring sync ;;
	--format) echo text json ;;
	--progress) echo auto always never ;;
	--on-change) echo fail keep ;;
	--nodesize | -n | --sectorsize | -s) echo 4K 8K 16K 32K 64K ;;
	--compat) echo 5.4 5.10 5.15 6.1 6.6 6.12 ;;
	--compress) echo zstd zlib lzo no ;;
	--verity) echo off copy ;;
	esac
}

_btrfs_offline_features()
{
	"$@" -O list-all 2>&1 | awk 'NF > 2 && $1 ~ /^[a-z][a-z0-9-]+$/ { print $1 }'
}

_btrfs_offline()
{
	local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	local -a command=("$program")
	local words prefix=

	COMPREPLY=()
	case ${program##*/} in
	mkfs.*) ;;
	*)
		if [ "$COMP_CWORD" -eq 1 ]; then
			mapfile -t COMPREPLY < <(compgen -W 'mkfs scrub inspect --help --version' -- "$word")
			return
		fi
		command+=("${COMP_WORDS[1]}")
		if [ "${COMP_WORDS[1]}" = inspect ]; then
			if [ "$COMP_CWORD" -eq 2 ]; then
				mapfile -t COMPREPLY < <(compgen -W 'super tree chunks csum --help' -- "$word")
				return
			fi
			command+=("${COMP_WORDS[2]}")
		fi ;;
	esac
	case $previous in
	--features | -O | --runtime-features | -R)
		case $word in *,*) prefix=${word%,*}, ;; esac
		words=$(_btrfs_offline_features "${command[@]}")
		mapfile -t COMPREPLY < <(compgen -P "$prefix" -W "$words" -- "${word##*,}")
		return ;;
	esac
	words=$(_btrfs_offline_values "$previous")
	if [ -n "$words" ]; then
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
	elif [ "${word:0:1}" = - ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_btrfs_offline_options "${command[@]}")" -- "$word")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	fi
}

complete -o filenames -F _btrfs_offline btrfs-offline mkfs.btrfs-offline
