/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What belongs to an entry besides its statx(): extended attributes, target of a symlink. The
 * buffers are used again for the next entry, so that most entries allocate nothing.
 *
 * One thread. Results are valid until the next call of the same function.
 */
#ifndef BO_SOURCE_ENTRY_META_H
#define BO_SOURCE_ENTRY_META_H

#include "common/types.h"
#include "source/rules-internal.h"
#include "source/source.h"

#define SOURCE_SYMLINK_MAX	4095	/* bytes of a target, as the kernel's PATH_MAX allows */

struct entry_meta {
	bool use_proc;
	int fd;			/* of the entry, when it happens to be open: the shortest way; else -1 */
	const struct source_rules *rules;	/* name attributes that are not read, or NULL */
	char *list;		/* names as llistxattr() gives them */
	size_t list_size;
	u8 *values;		/* all values of one entry, back to back */
	size_t values_used;
	size_t values_size;
	struct source_xattr *xattrs;
	size_t nr_xattrs;
	size_t xattrs_size;
	struct source_xattr *merged;	/* with those of a manifest */
	const char *failed;	/* name of the attribute that an error is about, or NULL */
	char target[SOURCE_SYMLINK_MAX + 2];
};

/* @use_proc: /proc is there (see entry_meta_proc_works()). Returns 0 or -ENOMEM. */
int entry_meta_init(struct entry_meta *meta, bool use_proc, const struct source_rules *rules);
void entry_meta_release(struct entry_meta *meta);

/* Does /proc/self/fd lead to what this process has open? Asks with the descriptor of a directory. */
bool entry_meta_proc_works(int fd);

/*
 * meta->xattrs: all extended attributes of @name in the directory @at_fd ("." is the directory
 * itself), sorted by name. A symlink's own, never its target's. @mode: type as in st_mode. A file
 * system without attributes has none. Returns 0 or -errno without a message; meta->failed then names
 * the attribute, if it was a single one.
 */
int entry_meta_read_xattrs(struct entry_meta *meta, int at_fd, const char *name, u32 mode);

/* Forgets the attributes: for an entry that the source does not have. */
void entry_meta_no_xattrs(struct entry_meta *meta);
/* Adds, replaces and removes attributes as the manifest says. 0 or -ENOMEM. */
int entry_meta_override_xattrs(struct entry_meta *meta, const struct manifest_entry *entry);
void entry_meta_drop_xattr(struct entry_meta *meta, const char *name);

/*
 * meta->target and *len. Returns 0, -ENAMETOOLONG (above 4095 bytes), -ENODATA (empty), -ESTALE
 * (no symlink any more), or another -errno.
 */
int entry_meta_read_symlink(struct entry_meta *meta, int at_fd, const char *name, size_t *len);

#endif
