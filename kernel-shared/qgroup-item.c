// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Builders of quota items: see qgroup-item.h.
 */
#include "kernel-shared/qgroup-item.h"

void btrfs_fill_qgroup_status(struct btrfs_qgroup_status_v2 *status, u64 generation)
{
	*status = (struct btrfs_qgroup_status_v2){
		.version = cpu_to_le64(BTRFS_QGROUP_STATUS_VERSION),
		.generation = cpu_to_le64(generation),
		.flags = cpu_to_le64(BTRFS_QGROUP_STATUS_FLAG_ON),
	};
}

void btrfs_fill_simple_qgroup_status(struct btrfs_qgroup_status_v2 *status, u64 generation)
{
	btrfs_fill_qgroup_status(status, generation);
	status->flags = cpu_to_le64(BTRFS_QGROUP_STATUS_FLAG_ON | BTRFS_QGROUP_STATUS_FLAG_SIMPLE_MODE);
	status->enable_gen = cpu_to_le64(generation);
}

void btrfs_fill_qgroup_info(struct btrfs_qgroup_info_item *info, u64 generation, u64 referenced, u64 exclusive,
			    bool simple)
{
	*info = (struct btrfs_qgroup_info_item){
		.generation = cpu_to_le64(generation),
		.rfer = cpu_to_le64(referenced),
		.rfer_cmpr = cpu_to_le64(simple ? 0 : referenced),
		.excl = cpu_to_le64(exclusive),
		.excl_cmpr = cpu_to_le64(simple ? 0 : exclusive),
	};
}
