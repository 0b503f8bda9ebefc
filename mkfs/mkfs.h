/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writer: lays down a complete filesystem over one or more targets.
 *
 * One call does it all. The caller owns every pointer in the options, and they stay valid during
 * the call. Everything that concerns a person (errors with names) has been printed when it returns.
 */
#ifndef BO_MKFS_MKFS_H
#define BO_MKFS_MKFS_H

#include <signal.h>

#include "common/types.h"
#include "compression/compression.h"
#include "crypto/csum.h"
#include "io/device-set.h"
#include "io/ring.h"
#include "source/source.h"

#define MKFS_PROFILE_DEFAULT	((u64)-1)	/* as mkfs.btrfs chooses by the number of devices */
#define MKFS_THREADS_AUTO	(-1)
#define MKFS_LABEL_MAX		255

enum mkfs_csum_mode {
	MKFS_CSUM_AUTO,
	MKFS_CSUM_INLINE,
	MKFS_CSUM_OFFLOAD,
	MKFS_CSUM_OVERLAP,
};

enum mkfs_dedupe {
	MKFS_DEDUPE_OFF,
	MKFS_DEDUPE_FILE,	/* whole extents: equal files, and equal pieces at equal distances */
	MKFS_DEDUPE_BLOCK,	/* sectors */
};

enum mkfs_reflink {
	MKFS_REFLINK_NEVER,
	MKFS_REFLINK_AUTO,	/* image files share the blocks of the source tree, where that can be */
	MKFS_REFLINK_ALWAYS,	/* and where it cannot, that is an error */
};

enum mkfs_quota {
	MKFS_QUOTA_NONE,
	MKFS_QUOTA_HIERARCHY,
	MKFS_QUOTA_SIMPLE,
};

struct mkfs_progress {
	u64 bytes_done;		/* of file data in whole sectors, written */
	u64 bytes_total;	/* never less than is done */
	u64 entries_done;
	u64 entries_total;
	double seconds;
	unsigned nr_devices;
	bool last;		/* all data is placed: end the line */
};

struct mkfs_options {
	char *const *devices;
	unsigned nr_devices;
	const char *rootdir;	/* NULL: an empty filesystem */
	const struct source_rules *rules;	/* what makes the tree another one than that of rootdir, or NULL */

	/* format */
	u64 byte_count;		/* of each device; 0: all of it, and new image files are fitted to the content */
	bool shrink;		/* all targets are fitted to the content */
	u64 slack;		/* room for more bytes of file data on what is fitted */
	u64 offset;		/* of the one target: bytes before it stay as they are */
	u64 length;		/* bytes from there on; 0: up to the end */
	bool dry_run;		/* write nothing, find out everything */
	u32 nodesize;		/* 0: default */
	u32 sectorsize;		/* 0: default */
	u64 data_profile;	/* BTRFS_BLOCK_GROUP_* profile bit, 0 single, or MKFS_PROFILE_DEFAULT */
	u64 metadata_profile;	/* also of the system chunks */
	const struct csum_algorithm *csum;
	const char *label;
	const u8 *fsid;		/* NULL: random or derived from the seed */
	const u8 *device_uuid;	/* of a single device */
	const char *seed;	/* NULL: random uuids */
	u64 incompat;		/* from mkfs_choose_features() */
	u64 compat_ro;
	enum mkfs_quota quota;
	u32 compat_kernel;	/* KERNEL_VERSION() that must be able to mount it; 0: none in particular */
	bool has_epoch;
	s64 epoch;		/* SOURCE_DATE_EPOCH: no time stamp is later */

	struct compression compress;	/* of data whose directory entry asks for nothing else */
	enum mkfs_dedupe dedupe;
	enum mkfs_reflink reflink;
	u64 dedupe_memory;	/* bytes of the table of what is known; 0: default */

	/* behaviour */
	bool force;
	bool discard;
	bool strict;		/* any warning about the source is an error */
	bool one_file_system;
	const struct source_subvolume_spec *subvolumes;	/* directories of rootdir that become subvolumes */
	unsigned nr_subvolumes;
	enum source_on_change on_change;

	/* machinery: none of it changes the bytes of the image */
	int csum_threads;	/* or MKFS_THREADS_AUTO; 0: the serial twin */
	enum mkfs_csum_mode csum_mode;
	u32 csum_inline_max;	/* bytes */
	enum io_direct_mode direct;
	enum io_ring_kind ring;
	unsigned queue_depth;	/* 0: default */
	u64 buffer_memory;	/* bytes; 0: default */
	u64 metadata_memory;
	u64 device_rate;	/* bytes per second and device; 0: unlimited */
	/* Tests: as in struct io_ring_options. */
	u64 fail_at;
	int fail_errno;
	bool short_io;

	/*
	 * Called when all is on stable storage and before new image files get their names, with the open targets.
	 * Returns 0 when what it reads back is right, or -errno after a message: then the run fails. NULL: nobody
	 * looks.
	 */
	int (*verify)(void *arg, const struct io_device_set *targets);
	void *verify_arg;

	/* set to the signal's number by a handler: the run stops and cleans up */
	const volatile sig_atomic_t *stop;
	/* called in the calling thread, a few times a second; NULL: nobody looks */
	void (*progress)(void *arg, const struct mkfs_progress *progress);
	void *progress_arg;
	/* called when a phase ends, with its name and seconds; NULL: nobody looks */
	void (*phase_done)(void *arg, const char *name, double seconds);
	void *phase_arg;
};

#define MKFS_NR_GROUP_KINDS 3

struct mkfs_device_report {
	const char *path;
	u64 devid;
	u64 size;
	u64 bytes_written;
	u8 uuid[16];
};

/* What was made. Released with mkfs_report_release(). */
struct mkfs_report {
	u8 fsid[16];
	u32 nodesize;
	u32 sectorsize;
	u64 total_bytes;
	u64 bytes_used;		/* logical, as the superblock says */
	u64 data_bytes;		/* of files, on disk */
	u64 metadata_bytes;
	u64 entries;
	u64 files;
	u64 directories;
	u64 hard_links;		/* additional names */
	u64 split_links;	/* inodes made because names of one file are in several subvolumes */
	u64 subvolumes;		/* without the top level */
	u64 default_subvolume;	/* id */
	u64 changed_files;
	u64 shared_bytes;	/* of files, stored once more than they are kept */
	u64 compressed_bytes;	/* of files, that are kept compressed */
	u64 compressed_to;	/* what they were compressed to, in whole sectors where they are not inline */
	u64 reflinked_bytes;	/* on all devices, that were not written */
	int reflink_error;	/* why not more: the first -errno, or 0 */
	bool dedupe_full;	/* the table was full: there may have been more */
	u64 chunk_bytes[MKFS_NR_GROUP_KINDS];	/* data, metadata, system: logical size of the chunks */
	u64 profiles[MKFS_NR_GROUP_KINDS];	/* BTRFS_BLOCK_GROUP_* profile bits */
	u64 incompat;
	u64 compat_ro;
	enum mkfs_quota quota;
	const char *ring;	/* what moved the data: "io_uring", ... */
	bool direct;		/* all devices took direct I/O */
	enum mkfs_csum_mode csum_mode;	/* what was used */
	unsigned csum_threads;
	u64 smallest;		/* bytes that each of so many equal devices needs at least; 0: not known */
	double seconds;
	double flush_seconds;	/* of these, waiting for the devices at the end */
	double verify_seconds;	/* of these, reading back */
	struct mkfs_device_report *devices;
	unsigned nr_devices;
};

/*
 * Makes the filesystem. Returns 0, or -errno after a message: then no target can be mounted (the ones
 * refused before the first write are as they were). -EINTR: *options->stop was set.
 */
int mkfs_run(const struct mkfs_options *options, struct mkfs_report *report);
void mkfs_report_release(struct mkfs_report *report);

/* ---- features (-O) and the kernels that have them (--compat) ---- */

/* What was asked for by name, a bit for each row of the table. All zero: nothing. */
struct mkfs_feature_wishes {
	u32 on;
	u32 off;
};

/*
 * Adds one comma-separated list ("^no-holes,extref") to the wishes; of two words for one feature the later one
 * counts. Returns 0, or -EINVAL after a message that names the feature.
 */
int mkfs_parse_features(const char *list, struct mkfs_feature_wishes *wishes);
/*
 * Sets ->incompat, ->compat_ro and ->quota: what mkfs.btrfs 6.19 turns on, or what options->compat_kernel can be
 * trusted with, and the wishes. Returns 0, or -EINVAL after a message when wishes contradict each other.
 */
int mkfs_choose_features(const struct mkfs_feature_wishes *wishes, struct mkfs_options *options);
/* The version of a kernel that --compat knows. Returns 0 or -EINVAL, nothing printed. */
int mkfs_compat_kernel(const char *word, u32 *version);
/* Prints the table that `-O list-all` shows to standard output. */
void mkfs_list_features(void);

#endif
