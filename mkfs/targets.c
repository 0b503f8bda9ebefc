// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checks and wipes targets: see targets.h. libblkid knows the signatures.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <blkid/blkid.h>

#include "common/message.h"
#include "common/units.h"
#include "kernel-shared/disk-io.h"
#include "mkfs/targets.h"

#define WIPE_SIZE	((u64)2 << 20)	/* at both ends */
#define MAX_SIGNATURES	64		/* a disk can carry several; more is no disk */

/* ---- signatures ---- */

/* A buffered descriptor of its own: libblkid reads at any alignment. */
static int open_buffered(const struct io_device *device, int flags)
{
	return open(device->temporary ? device->temporary : device->path, flags | O_CLOEXEC | O_NONBLOCK);
}

static blkid_probe new_probe(const struct io_device *device, int fd)
{
	blkid_probe probe = blkid_new_probe();

	if (!probe)
		return NULL;
	if (blkid_probe_set_device(probe, fd, (blkid_loff_t)device->base, (blkid_loff_t)device->size)) {
		blkid_free_probe(probe);
		return NULL;
	}
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_MAGIC | BLKID_SUBLKS_LABEL |
					  BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(probe, 1);
	blkid_probe_set_partitions_flags(probe, BLKID_PARTS_MAGIC);
	return probe;
}

static int report_signature(const struct io_device *device, blkid_probe probe)
{
	const char *type = NULL, *kind = "filesystem or RAID signature";

	if (blkid_probe_lookup_value(probe, "TYPE", &type, NULL)) {
		kind = "partition table";
		blkid_probe_lookup_value(probe, "PTTYPE", &type, NULL);
	}
	error("%s already holds data (%s: %s); -f overwrites it", device->path, kind, type ? type : "unknown");
	return -EEXIST;
}

static int check_signature(const struct io_device *device)
{
	blkid_probe probe;
	int fd, ret;

	if (device->temporary)
		return 0;
	fd = open_buffered(device, O_RDONLY);
	probe = fd < 0 ? NULL : new_probe(device, fd);
	if (!probe) {
		ret = fd < 0 ? -errno : -EIO;
		error("cannot look for signatures on %s: %s", device->path, strerror(-ret));
	} else {
		ret = blkid_do_probe(probe);	/* 0: found one, 1: nothing */
		if (!ret)
			ret = report_signature(device, probe);
		else if (ret > 0)
			ret = 0;
		else
			error("cannot look for signatures on %s", device->path);
		blkid_free_probe(probe);
	}
	if (fd >= 0)
		close(fd);
	return ret;
}

static int wipe_signatures(const struct io_device *device)
{
	blkid_probe probe;
	int fd, i, ret = 0;

	if (device->temporary)
		return 0;
	fd = open_buffered(device, O_RDWR);
	probe = fd < 0 ? NULL : new_probe(device, fd);
	for (i = 0; probe && !ret && i < MAX_SIGNATURES && !blkid_do_probe(probe); i++)
		ret = blkid_do_wipe(probe, 0);
	if (!probe || ret) {
		error("cannot wipe old signatures on %s: %s", device->path, strerror(errno ? errno : EIO));
		ret = -EIO;
	}
	if (probe)
		blkid_free_probe(probe);
	if (fd >= 0)
		close(fd);
	return ret;
}

/* ---- sizes ---- */

static int check_size(const struct io_device *device, const struct mkfs_options *options, u32 sectorsize, u64 *size)
{
	const u64 least = mkfs_min_device_size(options);

	*size = device->size;
	if (device->temporary && !options->byte_count) {
		*size = FIT_SIZE;
		return 0;
	}
	if (options->byte_count) {
		if (ALIGN_DOWN(options->byte_count, (u64)sectorsize) > device->size) {
			error("%s has %llu bytes (%s), -b asks for %llu (%s)", device->path,
			      (unsigned long long)device->size, format_size(device->size).text,
			      (unsigned long long)options->byte_count, format_size(options->byte_count).text);
			return -ENOSPC;
		}
		*size = options->byte_count;
	}
	*size = ALIGN_DOWN(*size, (u64)sectorsize);
	if (*size < least) {
		error("%s is too small: %llu bytes (%s) available, at least %llu (%s) needed", device->path,
		      (unsigned long long)*size, format_size(*size).text, (unsigned long long)least,
		      format_size(least).text);
		return -ENOSPC;
	}
	return 0;
}

/* Blocks can be shared between files of one file system. */
static int check_reflink(const struct io_device *device, const struct mkfs_options *options)
{
	if (!options->reflink || !device->is_block)
		return 0;
	error("%s is a block device: --reflink shares blocks of the tree with image files on the same file system",
	      device->path);
	return -EINVAL;
}

int targets_check(const struct io_device_set *set, const struct mkfs_options *options, u32 sectorsize, u64 *sizes)
{
	unsigned i;
	int ret = 0;

	for (i = 0; !ret && i < set->nr; i++)
		ret = check_size(&set->devices[i], options, sectorsize, &sizes[i]);
	for (i = 0; !ret && i < set->nr; i++)
		ret = check_reflink(&set->devices[i], options);
	for (i = 0; !ret && !options->force && i < set->nr; i++)
		ret = check_signature(&set->devices[i]);
	return ret;
}

/* ---- wiping ---- */

static int zero_range(const struct io_device *device, void *zeros, u64 offset, u64 len)
{
	while (len) {
		size_t step = (size_t)MIN(len, WIPE_SIZE);
		int ret = io_device_pwrite(device, zeros, step, offset);

		if (ret) {
			error("wiping %s at byte %llu: %s", device->path, (unsigned long long)offset, strerror(-ret));
			return ret;
		}
		offset += step;
		len -= step;
	}
	return 0;
}

static bool has_magic(const struct io_device *device, int mirror)
{
	_Alignas(SZ_4K) u8 block[BTRFS_SUPER_INFO_SIZE];
	const struct btrfs_super_block *super = (const struct btrfs_super_block *)block;

	return !io_device_pread(device, block, sizeof(block), btrfs_sb_offset(mirror)) &&
	       le64_to_cpu(super->magic) == BTRFS_MAGIC;
}

/* All that lie in the first @size bytes, and behind them what is a superblock without doubt. */
static int zero_supers(const struct io_device *device, void *zeros, u64 size)
{
	int mirror, ret = 0;

	for (mirror = 0; !ret && mirror < btrfs_sb_copies(device->size); mirror++) {
		if (mirror < btrfs_sb_copies(size) || has_magic(device, mirror))
			ret = zero_range(device, zeros, btrfs_sb_offset(mirror), BTRFS_SUPER_INFO_SIZE);
	}
	return ret;
}

/* Not every device can; what it keeps is never read. */
static void discard_content(const struct io_device *device, u64 size)
{
	u64 range[2] = { device->base, size };

	if (device->temporary)
		return;
	if (device->is_block)
		(void)ioctl(device->fd, BLKDISCARD, range);
	else
		(void)fallocate(device->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)device->base,
				(off_t)size);
}

static int zero_ends(const struct io_device *device, void *zeros, u64 size)
{
	u64 end = ALIGN_DOWN(size, SZ_4K);
	int ret = zero_range(device, zeros, 0, MIN(WIPE_SIZE, end));

	if (!ret && end > WIPE_SIZE)
		ret = zero_range(device, zeros, end - WIPE_SIZE, WIPE_SIZE);
	return ret;
}

int targets_wipe(struct io_device_set *set, const struct mkfs_options *options, const u64 *sizes)
{
	void *zeros = aligned_alloc(SZ_4K, WIPE_SIZE);
	unsigned i;
	int ret = 0;

	if (!zeros)
		return -ENOMEM;
	memset(zeros, 0, WIPE_SIZE);
	for (i = 0; !ret && i < set->nr; i++)
		ret = zero_supers(&set->devices[i], zeros, sizes[i]);
	if (!ret)
		ret = io_device_set_flush(set);
	for (i = 0; !ret && i < set->nr; i++) {
		const struct io_device *device = &set->devices[i];

		ret = wipe_signatures(device);
		if (ret)
			break;
		if (options->discard)
			discard_content(device, sizes[i]);
		/* a new file is nothing but zeros */
		if (!device->temporary)
			ret = zero_ends(device, zeros, sizes[i]);
	}
	free(zeros);
	return ret;
}

void targets_void(struct io_device_set *set, const u64 *sizes)
{
	void *zeros = aligned_alloc(SZ_4K, BTRFS_SUPER_INFO_SIZE);
	unsigned i;
	int mirror;

	if (!zeros)
		return;
	memset(zeros, 0, BTRFS_SUPER_INFO_SIZE);
	for (i = 0; i < set->nr; i++) {
		const struct io_device *device = &set->devices[i];

		/* it has no name yet, and never gets one */
		if (device->temporary)
			continue;
		for (mirror = 0; mirror < btrfs_sb_copies(sizes[i]); mirror++)
			(void)io_device_pwrite(device, zeros, BTRFS_SUPER_INFO_SIZE, btrfs_sb_offset(mirror));
		(void)fdatasync(device->fd);
	}
	free(zeros);
}
