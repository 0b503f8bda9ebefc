// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Subvolumes of a mounted btrfs by libbtrfsutil: see btrfs-source.h.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include <btrfsutil.h>
#include <linux/btrfs.h>

#include "common/message.h"
#include "source/btrfs-source.h"

static int get_fsid(int fd, u8 *fsid)
{
	struct btrfs_ioctl_fs_info_args info = { 0 };

	if (ioctl(fd, BTRFS_IOC_FS_INFO, &info) < 0)
		return -errno;
	memcpy(fsid, info.fsid, sizeof(info.fsid));
	return 0;
}

int btrfs_source_init(struct btrfs_source *source, int fd, const char *path, bool find_default)
{
	enum btrfs_util_error err;
	int ret;

	*source = (struct btrfs_source){ 0 };
	ret = get_fsid(fd, source->fsid);
	if (ret) {
		error("--subvol auto: %s is not on a mounted btrfs; name its subvolumes with --subvol TYPE:PATH", path);
		return ret;
	}
	err = btrfs_util_subvolume_id_fd(fd, &source->top_id);
	if (err) {
		ret = -errno;
		error("%s: cannot read the id of its subvolume: %s", path, btrfs_util_strerror(err));
		return ret;
	}
	if (find_default && btrfs_util_get_default_subvolume_fd(fd, &source->default_id))
		source->default_id = 0;
	return 0;
}

int btrfs_source_subvolume(const struct btrfs_source *source, int fd, struct source_subvolume *type)
{
	enum btrfs_util_error err = btrfs_util_is_subvolume_fd(fd);
	u8 fsid[sizeof(source->fsid)];
	u64 id;
	int ret;

	if (err == BTRFS_UTIL_ERROR_NOT_BTRFS || err == BTRFS_UTIL_ERROR_NOT_SUBVOLUME)
		return 0;
	if (err)
		return -errno;
	ret = get_fsid(fd, fsid);
	if (ret)
		return ret;
	if (memcmp(fsid, source->fsid, sizeof(fsid)) != 0)
		return 0;
	if (btrfs_util_get_subvolume_read_only_fd(fd, &type->read_only) || btrfs_util_subvolume_id_fd(fd, &id))
		return -errno;
	type->is_default = id == source->default_id;
	return 1;
}
