// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A directory that becomes a subvolume: its name stays in the tree of its parent, all else begins a tree.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "mkfs/importer-internal.h"

/* Named by its path, so that further subvolumes do not change it. */
static int make_uuid(const struct importer *importer, const struct source_entry *entry, u8 *uuid)
{
	char *path = source_entry_path(entry), *name = NULL;
	int ret = -ENOMEM;

	if (path && asprintf(&name, "subvolume %s", path) >= 0) {
		mkfs_make_uuid(importer->layout, name, uuid);
		free(name);
		ret = 0;
	}
	free(path);
	return ret;
}

int import_subvolume(struct importer *importer, const struct source_entry *entry)
{
	struct mkfs_subvolumes *subvolumes = &importer->result.subvolumes;
	struct mkfs_subvolume new = {
		.parent = importer->tree,
		.name_len = (u16)entry->name_len,
		.read_only = entry->subvolume->read_only,
	};
	u32 number;
	int ret = import_subvolume_name(importer, entry, mkfs_subvolume_id(subvolumes->nr), &new.dir_index);

	new.dirid = importer->dir.ino;
	if (!ret)
		ret = make_uuid(importer, entry, new.uuid);
	if (!ret)
		ret = mkfs_subvolumes_add(subvolumes, &new, entry->name, &number);
	if (ret)
		return ret;
	if (entry->subvolume->is_default)
		subvolumes->default_number = number;
	importer->tree = number;
	return 0;
}
