/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inputs of the writer, as an iterator of entries. The first entry is the root
 * directory. All entries of one directory come one after the other, sorted by
 * the bytes of their names, and after the directory itself; a directory's
 * content comes some time after all of its siblings have been seen. So the
 * order depends on the tree only, never on readdir order.
 *
 * The iterator belongs to one thread. Files (struct source_file) that it hands out
 * may be read by any thread, one thread at a time for each file range.
 */
#ifndef BO_SOURCE_SOURCE_H
#define BO_SOURCE_SOURCE_H

#include <signal.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#include "common/types.h"
#include "compression/compression.h"

struct source;
struct source_dir;	/* a directory of the tree; opaque */
struct source_file;	/* a regular file whose data can be read; opaque */
struct source_rules;	/* see rules.h */

struct source_xattr {
	const char *name;	/* NUL-terminated, at most 255 bytes */
	const void *value;
	size_t size;
};

struct source_entry {
	const char *name;	/* bytes; "" for the root */
	size_t name_len;	/* 0 .. 255 */
	struct source_dir *parent;	/* NULL for the root */
	struct source_dir *dir;	/* when this entry is a directory, else NULL */
	const struct source_subvolume *subvolume;	/* when this directory becomes one, else NULL */
	struct source_file *file;	/* a regular file with size > 0 or verity, else NULL; the caller puts it */

	u32 mode;		/* type and permission bits as st_mode */
	u32 uid;
	u32 gid;
	u32 rdev_major;		/* character and block devices */
	u32 rdev_minor;
	u64 size;		/* regular files and symlinks */
	struct timespec atime;
	struct timespec mtime;
	struct timespec ctime;
	struct timespec btime;	/* mtime where the source has no birth time */
	/* set by hand, in a manifest: no access or copy of the tree has an influence on them */
	bool fixed_atime;
	bool fixed_ctime;
	bool fixed_btime;

	/* regular files and directories */
	u32 attr_flags;		/* FS_*_FL of linux/fs.h, as chattr(1) sets them */
	bool nodatacow;		/* data is overwritten in place, so it has no checksums and is never compressed */
	bool nodatasum;		/* no checksums, and so no compression either */
	bool verity;		/* is to keep its fs-verity; regular files only */
	const struct compression *compress;	/* what a manifest says of its data; or NULL */

	/* hard links: entries with equal (link_dev, link_ino) and nlink > 1 are names of one inode */
	u32 nlink;
	u64 link_dev;
	u64 link_ino;

	const char *symlink;	/* target bytes, symlink_len of them */
	size_t symlink_len;	/* 1 .. 4095, and the entry's size */
	const struct source_xattr *xattrs;	/* sorted by name; POSIX ACLs under their system. names */
	size_t nr_xattrs;
};

/* What a directory of the tree means to the importer. */
struct source_cookie {
	u64 ino;
	u32 tree;		/* number of the subvolume that its entries are in */
};

void source_dir_set_cookie(struct source_dir *dir, struct source_cookie cookie);
struct source_cookie source_dir_cookie(const struct source_dir *dir);

/* ---- directories that become subvolumes ---- */

struct source_subvolume {
	bool read_only;
	bool is_default;	/* is mounted unless another one is asked for */
};

/* One --subvol option: a directory, or all that are subvolumes in the source already. */
struct source_subvolume_spec {
	const char *text;	/* as the user wrote it */
	const char *path;	/* the part of it that names the directory */
	bool automatic;
	struct source_subvolume type;
};

/*
 * "[rw:|ro:|default:|default-ro:]PATH", "auto" or "auto:"; @text stays the caller's and has to outlive the spec.
 * Returns 0, or -EINVAL after a message.
 */
int source_subvolume_parse(const char *text, struct source_subvolume_spec *spec);

/* "rw", "ro", "default" or "default-ro", @len bytes of it. */
bool source_subvolume_type(const char *word, size_t len, struct source_subvolume *type);

struct source_subvolumes;	/* looked up, checked, ready to be matched; opaque, constant */

/*
 * Looks up every path below @rootdir. Returns 0, or -errno after a message that names option and reason: no such
 * directory, outside, twice, two defaults.
 */
int source_subvolumes_create(struct source_subvolumes **subvolumes, const char *rootdir,
			     const struct source_subvolume_spec *specs, unsigned nr);
/* NULL is fine. */
void source_subvolumes_destroy(struct source_subvolumes *subvolumes);

enum source_on_change {
	SOURCE_CHANGE_FAIL,	/* a file that changed while read is an error at the end of the run */
	SOURCE_CHANGE_KEEP,	/* keep what was read, warn */
};

struct source_options {
	const char *path;
	bool one_file_system;
	const struct source_subvolumes *subvolumes;	/* NULL: none; outlives the source */
	const struct source_rules *rules;	/* NULL: the tree as it is on disk; outlives the source */
	struct timespec now;		/* the times of entries that a manifest makes */
	/* Files that must not be part of the tree: the targets. An entry with one of these is skipped
	 * with a warning. */
	const struct source_identity {
		u64 dev;
		u64 ino;
	} *skip;
	unsigned nr_skip;
	/* set by a signal handler: the survey ends with -EINTR; NULL: never */
	const volatile sig_atomic_t *stop;
};

/* A directory tree. Returns 0 or -errno after a message that names the path. */
int source_dir_open(struct source **source, const struct source_options *options);

/*
 * The next entry; valid until the next call. Returns 1 (there is one), 0 (end), or -errno
 * after a message that names the entry. After an error the iterator is only good for destroy.
 */
int source_next(struct source *source, const struct source_entry **entry);
/*
 * How many names vanished, or became something else, while the tree was walked. Each was left out
 * (a directory: is empty) after a warning. With SOURCE_CHANGE_FAIL any is an error at the end of the run.
 */
u64 source_changes(const struct source *source);
/* Directory of @entry and its name as one printable path, relative to the tree's top. Caller frees. */
char *source_entry_path(const struct source_entry *entry);
/* Printable path of a directory; of a file. Caller frees; NULL when memory is short. */
char *source_dir_path(const struct source_dir *dir);
char *source_file_path(const struct source_file *file);
void source_destroy(struct source *source);

/*
 * Totals of a tree, before anything is written: a walk of its own that opens no file and counts
 * each hard-linked file once in each subvolume. An entry of the skip list inside the tree is an error here (-EINVAL).
 */
struct source_totals {
	u64 entries;
	u64 files;
	u64 directories;
	u64 subvolumes;
	u64 bytes;		/* of regular files, without holes */
	u64 ranges;		/* of data, in the files with holes */
	u64 data_sectors;	/* the same in sectors of @sectorsize, no inline files (<= @max_inline) */
	u64 inline_bytes;
	u64 name_bytes;
	u64 verity_bytes;	/* of fs-verity, about */
};

int source_survey(const struct source_options *options, u32 sectorsize, u32 max_inline,
		  struct source_totals *totals);

/* ---- data of one file ---- */

/*
 * The next range of data at or behind @offset: [*start, *end), end <= size; holes and preallocated
 * space lie between. Returns 1, 0 (only a hole up to the end), or -errno (no message). Opens the file
 * on first use and keeps it open. Cheap for files that can have no holes. A file that turns out to have
 * changed has data in its last block at least, so that source_file_read() comes to tell.
 */
int source_file_next_data(struct source_file *file, u64 offset, u64 *start, u64 *end);

enum source_file_state {
	SOURCE_FILE_SAME = 0,	/* as it was when its entry was made */
	SOURCE_FILE_CHANGED = 1,	/* shrunk, grown, rewritten, replaced or vanished meanwhile */
};

/*
 * Read [offset, offset + len) into @buf. Never blocks on anything but a regular file, never reads
 * past the size of the entry. *got: bytes from the file; the rest of @buf is zeroed.
 * Returns 0 or -errno (no message); *state accumulates SOURCE_FILE_CHANGED.
 * Vanished, replaced, or shrunk: *got is short, CHANGED is set and the return value is 0.
 */
int source_file_read(struct source_file *file, void *buf, u64 offset, size_t len, size_t *got,
		     enum source_file_state *state);

/*
 * fs-verity metadata, @type as in struct fsverity_read_metadata_arg: bytes from @offset on, 0 at the end, or -errno
 * (no message): -ENODATA when there is none of this type.
 */
ssize_t source_file_read_verity(struct source_file *file, u64 type, void *buf, u64 offset, size_t len);

/*
 * [offset, offset + len) of the file appears at @dest of the file behind @fd too, sharing its blocks; all three
 * multiples of the host's block size. Returns 0 or -errno (no message); -EBUSY: the file has changed since its entry
 * was made, or so lately that a change would not show, so what appeared may not be what was read.
 */
int source_file_clone(struct source_file *file, u64 offset, u64 len, int fd, u64 dest);

u64 source_file_size(const struct source_file *file);
/* Closes the descriptor but keeps the file: the next use opens it again. Not while a read is under way. */
void source_file_close(struct source_file *file);
/* Takes or drops a reference; the last one closes. Any thread. */
struct source_file *source_file_get(struct source_file *file);
void source_file_put(struct source_file *file);

#endif
