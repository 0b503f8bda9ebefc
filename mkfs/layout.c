// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options to layout: defaults, limits, identities. See layout.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <uuid/uuid.h>

#include "common/message.h"
#include "common/units.h"
#include "mkfs/compat.h"
#include "mkfs/layout.h"
#include "source/rules.h"

#define DEFAULT_NODESIZE	((u32)SZ_16K)
#define DEFAULT_SECTORSIZE	((u32)SZ_4K)
#define MIN_DEVICE_SIZE		((u64)4 * SZ_1M)
#define MIN_EMPTY_SIZE		((u64)32 * SZ_1M)

static int check_sizes(const struct mkfs_layout *layout)
{
	if (!is_power_of_2(layout->sectorsize) || layout->sectorsize < SZ_4K || layout->sectorsize > SZ_64K) {
		error("sector size %u: it must be a power of two from 4096 to 65536", layout->sectorsize);
		return -EINVAL;
	}
	if (!is_power_of_2(layout->nodesize) || layout->nodesize < SZ_4K || layout->nodesize > SZ_64K) {
		error("node size %u: it must be a power of two from 4096 to 65536", layout->nodesize);
		return -EINVAL;
	}
	if (layout->nodesize < layout->sectorsize) {
		error("node size %u is smaller than the sector size %u: raise it with -n",
		      layout->nodesize, layout->sectorsize);
		return -EINVAL;
	}
	if (layout_is_mixed(layout) && layout->nodesize != layout->sectorsize) {
		error("node size %u: with mixed block groups it must be the sector size, %u", layout->nodesize,
		      layout->sectorsize);
		return -EINVAL;
	}
	return 0;
}

u64 mkfs_min_device_size(const struct mkfs_options *options)
{
	return options->rootdir ? MIN_DEVICE_SIZE : MIN_EMPTY_SIZE;
}

static int check_byte_count(const struct mkfs_options *options)
{
	const u64 byte_count = options->byte_count, least = mkfs_min_device_size(options);

	if (!byte_count || byte_count >= least)
		return 0;
	error("-b %llu is too small: a device needs at least %llu bytes (%s)", (unsigned long long)byte_count,
	      (unsigned long long)least, format_size(least).text);
	return -EINVAL;
}

static int check_profile(const char *what, u64 type, unsigned nr_devices)
{
	const struct btrfs_raid_attr *attr = btrfs_raid_attr(type);

	if (nr_devices < attr->devs_min) {
		error("%s profile %s needs at least %u devices, %u given", what, attr->name, attr->devs_min,
		      nr_devices);
		return -EINVAL;
	}
	return 0;
}

/* Parity is not updated together with what it protects: a crash in between can cost data later. */
static void warn_raid56(u64 profiles, unsigned nr_devices)
{
	if (!(profiles & BTRFS_BLOCK_GROUP_RAID56_MASK))
		return;
	warning("raid5 and raid6 of btrfs have known defects: use them for tests, not for data that matters");
	if (profiles & BTRFS_BLOCK_GROUP_RAID5 && nr_devices == 2)
		warning("raid5 over 2 devices is raid1 at a higher price; raid5 is worth it from 3 devices on");
	if (profiles & BTRFS_BLOCK_GROUP_RAID6 && nr_devices == 3)
		warning("raid6 over 3 devices is raid1c3 at a higher price; raid6 is worth it from 4 devices on");
}

static void mark_profiles(struct mkfs_layout *layout, u64 profiles)
{
	if (profiles & (BTRFS_BLOCK_GROUP_RAID1C3 | BTRFS_BLOCK_GROUP_RAID1C4))
		layout->incompat |= BTRFS_FEATURE_INCOMPAT_RAID1C34;
	if (profiles & BTRFS_BLOCK_GROUP_RAID56_MASK)
		layout->incompat |= BTRFS_FEATURE_INCOMPAT_RAID56;
}

u32 mkfs_compression_types(const struct mkfs_options *options)
{
	u32 types = options->rules ? source_rules_compression(options->rules) : 0;

	if (options->compress.type)
		types |= 1U << options->compress.type;
	return types;
}

void mkfs_layout_mark_compression(struct mkfs_layout *layout, u32 types)
{
	if (types & 1U << COMPRESSION_LZO)
		layout->incompat |= BTRFS_FEATURE_INCOMPAT_COMPRESS_LZO;
	if (types & 1U << COMPRESSION_ZSTD)
		layout->incompat |= BTRFS_FEATURE_INCOMPAT_COMPRESS_ZSTD;
}

/* One kind of group for both, so one profile: single unless said otherwise. */
static int choose_mixed(struct mkfs_layout *layout, u64 data, u64 metadata)
{
	if (data != metadata) {
		error("mixed block groups hold data and metadata in one profile: -d is %s, -m is %s "
		      "(single where it is not given)",
		      btrfs_raid_attr(data)->name, btrfs_raid_attr(metadata)->name);
		return -EINVAL;
	}
	layout->data_type |= BTRFS_BLOCK_GROUP_METADATA;
	layout->metadata_type |= BTRFS_BLOCK_GROUP_DATA;
	return 0;
}

/*
 * One device: data single, metadata dup. More: data single, metadata raid1. Mixed: single on any number.
 */
static int choose_profiles(struct mkfs_layout *layout, const struct mkfs_options *options)
{
	u64 data = options->data_profile, metadata = options->metadata_profile;
	const bool mixed = layout_is_mixed(layout);
	int ret;

	if (data == MKFS_PROFILE_DEFAULT)
		data = 0;
	if (metadata == MKFS_PROFILE_DEFAULT && mixed)
		metadata = 0;
	else if (metadata == MKFS_PROFILE_DEFAULT)
		metadata = options->nr_devices > 1 ? BTRFS_BLOCK_GROUP_RAID1 : BTRFS_BLOCK_GROUP_DUP;
	layout->data_type = BTRFS_BLOCK_GROUP_DATA | data;
	layout->metadata_type = BTRFS_BLOCK_GROUP_METADATA | metadata;
	layout->system_type = BTRFS_BLOCK_GROUP_SYSTEM | metadata;
	mark_profiles(layout, data | metadata);
	ret = mixed ? choose_mixed(layout, data, metadata) : 0;
	if (!ret)
		ret = check_profile("data", data, options->nr_devices);
	if (!ret)
		ret = check_profile("metadata", metadata, options->nr_devices);
	if (!ret)
		warn_raid56(data | metadata, options->nr_devices);
	return ret;
}

static int check_label(struct mkfs_layout *layout, const char *label)
{
	size_t len = label ? strlen(label) : 0;

	if (len > MKFS_LABEL_MAX) {
		error("the label has %zu bytes, %d are allowed", len, MKFS_LABEL_MAX);
		return -EINVAL;
	}
	if (len && strchr(label, '\n')) {
		error("the label must not hold a newline");
		return -EINVAL;
	}
	memcpy(layout->label, label ? label : "", len);
	return 0;
}

static void choose_time(struct mkfs_layout *layout, const struct mkfs_options *options)
{
	layout->has_epoch = options->has_epoch;
	layout->epoch = options->epoch;
	if (options->has_epoch)
		layout->now = (struct timespec){ .tv_sec = options->epoch };
	else
		clock_gettime(CLOCK_REALTIME, &layout->now);
}

/* Every uuid of a run with a seed is a name-based uuid (RFC 4122, version 5) below the seed's own. */
static void seed_namespace(const char *seed, uuid_t namespace)
{
	static const char domain[] = "btrfs-offline mkfs --seed";
	uuid_t root;

	if (!uuid_parse(seed, namespace))
		return;
	uuid_generate_sha1(root, *uuid_get_template("oid"), domain, strlen(domain));
	uuid_generate_sha1(namespace, root, seed, strlen(seed));
}

void mkfs_make_uuid(const struct mkfs_layout *layout, const char *name, u8 *uuid)
{
	if (layout->has_seed)
		uuid_generate_sha1(uuid, layout->seed, name, strlen(name));
	else
		uuid_generate(uuid);
}

static int choose_uuids(struct mkfs_layout *layout, const struct mkfs_options *options)
{
	unsigned i;

	if (options->seed) {
		seed_namespace(options->seed, layout->seed);
		layout->has_seed = true;
	}
	layout->nr_devices = options->nr_devices;
	layout->device_uuids = calloc(options->nr_devices, sizeof(*layout->device_uuids));
	if (!layout->device_uuids)
		return -ENOMEM;
	mkfs_make_uuid(layout, "filesystem", layout->fsid);
	mkfs_make_uuid(layout, "chunk tree", layout->chunk_tree_uuid);
	mkfs_make_uuid(layout, "top-level subvolume", layout->subvolume_uuid);
	for (i = 0; i < options->nr_devices; i++) {
		char name[32];

		snprintf(name, sizeof(name), "device %u", i + 1);
		mkfs_make_uuid(layout, name, layout->device_uuids[i]);
	}
	if (options->fsid)
		memcpy(layout->fsid, options->fsid, BTRFS_FSID_SIZE);
	if (options->device_uuid && options->nr_devices > 1) {
		error("--device-uuid is for one device, %u given", options->nr_devices);
		return -EINVAL;
	}
	if (options->device_uuid)
		memcpy(layout->device_uuids[0], options->device_uuid, BTRFS_UUID_SIZE);
	return 0;
}

int mkfs_layout_init(struct mkfs_layout *layout, const struct mkfs_options *options)
{
	int ret;

	*layout = (struct mkfs_layout){
		.nodesize = options->nodesize,
		.sectorsize = options->sectorsize ? options->sectorsize : DEFAULT_SECTORSIZE,
		.csum = options->csum,
		.incompat = options->incompat,
		.compat_ro = options->compat_ro,
		.quota = options->quota,
	};
	if (!layout->nodesize)
		layout->nodesize = layout_is_mixed(layout) ? layout->sectorsize :
							     MAX(DEFAULT_NODESIZE, layout->sectorsize);
	if (layout->nodesize > SZ_4K)
		layout->incompat |= BTRFS_FEATURE_INCOMPAT_BIG_METADATA;
	mkfs_layout_mark_compression(layout, mkfs_compression_types(options));
	ret = check_sizes(layout);
	if (!ret)
		ret = check_byte_count(options);
	if (!ret)
		ret = choose_profiles(layout, options);
	if (!ret)
		ret = compat_check(layout, options->compat_kernel);
	if (!ret)
		ret = check_label(layout, options->label);
	if (ret)
		return ret;
	choose_time(layout, options);
	return choose_uuids(layout, options);
}

void mkfs_layout_release(struct mkfs_layout *layout)
{
	free(layout->device_uuids);
	layout->device_uuids = NULL;
}

struct timespec mkfs_clamp_time(const struct mkfs_layout *layout, struct timespec time)
{
	if (layout->has_epoch && time.tv_sec >= layout->epoch)
		return (struct timespec){ .tv_sec = layout->epoch };
	return time;
}
