/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One --subvol option looked up in the source tree.
 */
#ifndef BO_SOURCE_SUBVOLUME_SPEC_H
#define BO_SOURCE_SUBVOLUME_SPEC_H

#include "source/source.h"

/*
 * *path: the directory of @spec relative to @top, the real path of @rootdir; the caller frees it. Its names
 * have one slash between them, none of them is . or .. or a symlink. Returns 0 or -errno after a message.
 */
int subvolume_spec_resolve(const struct source_subvolume_spec *spec, const char *rootdir, const char *top,
			   char **path);

/* "auto" where there is a directory of that name: -EINVAL after a message. */
int subvolume_spec_check_automatic(const struct source_subvolume_spec *spec, const char *top);

#endif
