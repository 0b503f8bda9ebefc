// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of kernels: see compat.h. Source: "Features by version" and mkfs.btrfs(8) of the btrfs documentation,
 * the release notes of Linux.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/message.h"
#include "mkfs/compat.h"

#define V(major, minor)		KERNEL_VERSION(major, minor, 0)
#define SECTORSIZES_FILE	"/sys/fs/btrfs/features/supported_sectorsizes"

struct flag_since {
	u64 flag;
	u32 since;
	const char *name;
};

static const struct flag_since incompat_flags[] = {
	{ BTRFS_FEATURE_INCOMPAT_COMPRESS_ZSTD, V(4, 14), "zstd compression" },
	{ BTRFS_FEATURE_INCOMPAT_METADATA_UUID, V(5, 0), "metadata-uuid" },
	{ BTRFS_FEATURE_INCOMPAT_RAID1C34, V(5, 5), "profile raid1c3 or raid1c4" },
	{ BTRFS_FEATURE_INCOMPAT_SIMPLE_QUOTA, V(6, 7), "squota" },
};

static const struct flag_since compat_ro_flags[] = {
	{ BTRFS_FEATURE_COMPAT_RO_VERITY, V(5, 15), "fs-verity" },
	{ BTRFS_FEATURE_COMPAT_RO_BLOCK_GROUP_TREE, V(6, 1), "block-group-tree" },
};

struct known_kernel {
	const char *word;
	u32 version;
};

static const struct known_kernel kernels[] = {
	{ "5.4", V(5, 4) },
	{ "5.10", V(5, 10) },
	{ "5.15", V(5, 15) },
	{ "6.1", V(6, 1) },
	{ "6.6", V(6, 6) },
	{ "6.12", V(6, 12) },
};

struct kernel_version_text kernel_version_text(u32 version)
{
	struct kernel_version_text out;
	const unsigned patch = version & 0xff;
	int len = snprintf(out.text, sizeof(out.text), "%u.%u", version >> 16 & 0xff, version >> 8 & 0xff);

	if (patch)
		snprintf(out.text + len, sizeof(out.text) - (size_t)len, ".%u", patch);
	return out;
}

int mkfs_compat_kernel(const char *word, u32 *version)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kernels); i++) {
		if (strcmp(word, kernels[i].word))
			continue;
		*version = kernels[i].version;
		return 0;
	}
	return -EINVAL;
}

/* ---- what a kernel lacks ---- */

static int lacks(u32 kernel, const char *what, u32 since)
{
	error("%s needs Linux %s, but --compat asks for a filesystem that Linux %s mounts", what,
	      kernel_version_text(since).text, kernel_version_text(kernel).text);
	return -EINVAL;
}

static int check_flags(u64 flags, const struct flag_since *table, size_t nr, u32 kernel)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if ((flags & table[i].flag) && kernel < table[i].since)
			return lacks(kernel, table[i].name, table[i].since);
	}
	return 0;
}

static int check_csum(const struct csum_algorithm *csum, u32 kernel)
{
	char what[48];

	if (csum->type == BTRFS_CSUM_TYPE_CRC32 || kernel >= V(5, 5))
		return 0;
	snprintf(what, sizeof(what), "checksum %s", csum->name);
	return lacks(kernel, what, V(5, 5));
}

/* ---- sector sizes and pages ---- */

/* All of them mount 4096 and what a page of their machine has, the older ones only the latter. */
static void warn_foreign_pages(u32 sectorsize, u32 kernel)
{
	if (sectorsize != SZ_4K)
		warning("sector size %u: Linux %s mounts it only on machines with pages of that size", sectorsize,
			kernel_version_text(kernel).text);
}

/* Is @sectorsize among the numbers of @list? */
static bool listed(const char *list, u32 sectorsize)
{
	char *end;

	for (;; list = end) {
		const unsigned long number = strtoul(list, &end, 10);

		if (end == list)
			return false;
		if (number == sectorsize)
			return true;
	}
}

/* What the running kernel says of itself; without btrfs in it, pages decide. */
static void warn_running_kernel(u32 sectorsize)
{
	FILE *file = fopen(SECTORSIZES_FILE, "re");
	char list[128] = "";

	if (file) {
		if (!fgets(list, sizeof(list), file))
			list[0] = '\0';
		fclose(file);
	}
	list[strcspn(list, "\n")] = '\0';
	if (!*list)
		snprintf(list, sizeof(list), "%ld", sysconf(_SC_PAGESIZE));
	if (!listed(list, sectorsize))
		warning("sector size %u: the running kernel mounts %s; the filesystem is for another machine",
			sectorsize, list);
}

int compat_check(const struct mkfs_layout *layout, u32 kernel)
{
	int ret;

	if (!kernel) {
		warn_running_kernel(layout->sectorsize);
		return 0;
	}
	ret = check_flags(layout->incompat, incompat_flags, ARRAY_SIZE(incompat_flags), kernel);
	if (!ret)
		ret = check_flags(layout->compat_ro, compat_ro_flags, ARRAY_SIZE(compat_ro_flags), kernel);
	if (!ret)
		ret = check_csum(layout->csum, kernel);
	if (!ret)
		warn_foreign_pages(layout->sectorsize, kernel);
	return ret;
}
