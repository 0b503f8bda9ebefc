/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line of a manifest: what it says about one path. See the manual page for the form.
 */
#ifndef BO_SOURCE_MANIFEST_H
#define BO_SOURCE_MANIFEST_H

#include "common/message.h"
#include "source/source.h"

enum manifest_key {
	MANIFEST_TYPE		= 1 << 0,
	MANIFEST_MODE		= 1 << 1,
	MANIFEST_UID		= 1 << 2,
	MANIFEST_GID		= 1 << 3,
	MANIFEST_ATIME		= 1 << 4,
	MANIFEST_MTIME		= 1 << 5,
	MANIFEST_CTIME		= 1 << 6,
	MANIFEST_BTIME		= 1 << 7,
	MANIFEST_MAJOR		= 1 << 8,
	MANIFEST_MINOR		= 1 << 9,
	MANIFEST_TARGET		= 1 << 10,
	MANIFEST_CONTENT	= 1 << 11,
	MANIFEST_NODATACOW	= 1 << 12,
	MANIFEST_NODATASUM	= 1 << 13,
	MANIFEST_SUBVOL		= 1 << 14,
	MANIFEST_COMPRESS	= 1 << 15,
	MANIFEST_XATTR		= 1 << 16,	/* may be there many times */
};

struct manifest_xattr {
	struct source_xattr xattr;
	bool removed;
};

/* Owns all that it points to, but for ->file. */
struct manifest_entry {
	const char *file;	/* the manifest, for messages */
	u64 line;
	u32 keys;		/* enum manifest_key: those that are there */
	u32 type;		/* S_IF*, 0: as in the source */
	u32 mode;		/* without the type */
	u32 uid;
	u32 gid;
	u32 rdev_major;
	u32 rdev_minor;
	struct timespec atime;
	struct timespec mtime;
	struct timespec ctime;
	struct timespec btime;
	bool nodatacow;
	bool nodatasum;
	char *target;		/* of a symlink */
	char *content;		/* path of a file of this machine that has the data */
	struct source_subvolume subvol;
	struct compression compress;
	struct manifest_xattr *xattrs;	/* sorted by name */
	size_t nr_xattrs;
};

/* What is wrong with a line. */
struct manifest_problem {
	int error;		/* -EINVAL or -ENOMEM */
	char text[200];		/* for people */
};

/* Fills in the problem; returns @error. */
int manifest_problem(struct manifest_problem *problem, int error, const char *fmt, ...) PRINTF_FORMAT(3, 4);

/*
 * Parses @line (changed on the way). *path: relative to the top, *path_len bytes inside of @line. Returns 0, or
 * -EINVAL or -ENOMEM with the problem filled in. The entry is to be released in either case.
 */
int manifest_parse_line(char *line, struct manifest_entry *entry, char **path, size_t *path_len,
			struct manifest_problem *problem);
void manifest_release_entry(struct manifest_entry *entry);

/* A word of a line, unescaped where it stands. */
struct manifest_word {
	char *at;		/* NUL-terminated */
	size_t len;		/* there may be NUL bytes in it */
	size_t key_len;		/* up to the first = that was not escaped; len: there is none */
};

/* 1: *word is the next of *line, which moves on; 0: there is none; -EINVAL. (manifest-word.c) */
int manifest_next_word(char **line, struct manifest_word *word, struct manifest_problem *problem);

#endif
