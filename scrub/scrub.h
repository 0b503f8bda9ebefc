/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verifier: one call reads every copy of every superblock, tree block and checksummed
 * data sector of a filesystem that is not mounted, and says what is wrong.
 *
 * Nothing is ever written: devices are opened O_RDONLY. A finding (something is wrong with
 * the image) goes into the report and never stops a phase; only errors of the run itself are returned.
 */
#ifndef BO_SCRUB_SCRUB_H
#define BO_SCRUB_SCRUB_H

#include <signal.h>

#include "io/device-set.h"
#include "kernel-shared/ctree.h"

/* ---- counters: the kernel's names and units, and some of our own ---- */

/*
 * Bytes count every copy; read, csum and verify errors, no_csum, correctable and uncorrectable
 * errors count sectors of one copy each (a bad block of a tree is nodesize / sectorsize of them).
 */
struct scrub_counters {
	u64 data_extents_scrubbed;
	u64 tree_extents_scrubbed;
	u64 data_bytes_scrubbed;
	u64 tree_bytes_scrubbed;
	u64 read_errors;
	u64 csum_errors;
	u64 verify_errors;
	u64 no_csum;
	u64 csum_discards;		/* sectors with a checksum and no extent, once and not per copy */
	u64 super_errors;
	u64 malloc_errors;
	u64 uncorrectable_errors;
	u64 unverified_errors;		/* reads that failed, and worked when they were tried again */
	u64 corrected_errors;		/* always 0: nothing is written */
	u64 last_physical;
	/* not the kernel's */
	u64 correctable_errors;		/* bad, but another copy is good */
	u64 missing_copies;		/* sectors on devices that are not there */
	u64 stale_devices;
	u64 parity_errors_p;		/* sectors of parity that do not match data which is good */
	u64 parity_errors_q;
	u64 parity_unverifiable;	/* that do not match, and the data may be what is wrong */
	u64 csum_missing;		/* sectors that must have a checksum and have none, once */
	u64 nodatasum_mismatch;
	u64 tree_blocks_bad;		/* blocks, each once */
	u64 items_bad;
	u64 unknown_items;
};

struct scrub_counter_name {
	const char *name;
	size_t offset;			/* of the u64 in struct scrub_counters */
};

/* In the order above; NULL behind the last. */
const struct scrub_counter_name *scrub_counter_at(size_t index);
static inline u64 scrub_counter_value(const struct scrub_counters *counters, size_t offset)
{
	return *(const u64 *)((const char *)counters + offset);
}

/* ---- findings ---- */

enum scrub_kind {
	SCRUB_SUPER,
	SCRUB_CHUNK,
	SCRUB_TREE_BLOCK,
	SCRUB_ITEM,
	SCRUB_ACCOUNTING,
	SCRUB_DATA,			/* the checksum does not match */
	SCRUB_READ,			/* file data that cannot be read */
	SCRUB_MISSING_CSUM,
	SCRUB_PARITY,			/* of raid5 or raid6: does not match */
};

/* As in the JSON report: "super", "tree_block", ... */
const char *scrub_kind_name(enum scrub_kind kind);
/* Wrong and missing checksums are, and parity of data; what cannot be read counts as metadata, like everything else. */
bool scrub_kind_is_data(enum scrub_kind kind);

#define SCRUB_NONE	((u64)-1)	/* an address or devid that is not known */

/* A name of a file that bad data belongs to. */
struct scrub_path {
	u64 rootid;			/* the subvolume's id */
	u64 ino;
	u64 offset;			/* in the file, bytes: of the first bad one */
	char *bytes;			/* from the top level; not escaped */
	size_t len;
	bool complete;			/* false: only the end of the path is known, or nothing ("") */
};

struct scrub_paths {
	struct scrub_path *list;	/* at most max_paths */
	size_t nr;
	u64 total;			/* names in all; at least so many when several thousand files share the data */
	bool lost;			/* blocks of file trees cannot be read: there may be more */
};

struct scrub_finding {
	enum scrub_kind kind;
	bool correctable;		/* another copy is good */
	bool of_metadata;		/* parity: of trees */
	u64 logical;			/* SCRUB_NONE: none; of parity: where its row begins */
	u64 length;			/* logical bytes, or bytes of parity; 0: unknown */
	u64 devid;
	u64 physical;
	int copy;			/* from 0; -1: does not concern one copy */
	u64 tree;			/* 0: unknown, or none */
	int level;			/* -1: none */
	bool has_key;
	bool has_limit;
	struct btrfs_key key;		/* of the item, or the first of the block */
	struct btrfs_key limit;		/* keys below it are lost with the block */
	u8 csum_size;			/* 0: want and got are not set */
	u8 want[32];			/* of the first sector of a range */
	u8 got[32];
	const struct scrub_paths *paths;	/* of the report; NULL: not known, or no matter of files */
	char text[200];			/* one printable line */
};

/* ---- progress ---- */

struct scrub_progress {
	const char *phase;
	u64 bytes_done;			/* of all copies, data and trees */
	u64 bytes_total;		/* an estimate until the extent tree was read; 0: unknown */
	double seconds;
	bool last;			/* the run is over: end the line */
};

/* ---- a run ---- */

enum scrub_parts {
	SCRUB_ALL,
	SCRUB_METADATA_ONLY,
	SCRUB_DATA_ONLY,		/* superblocks, the chunk tree's map, and data */
};

struct scrub_options {
	char *const *paths;
	unsigned nr_paths;
	/* Devices that the caller has open for writing: verify these; ->paths are their names. Or NULL. */
	const struct io_device_set *held;
	unsigned threads;		/* that hash; 0: everything in the calling thread */
	u64 device_rate;		/* bytes per second and device of data reads; 0: no limit */
	enum scrub_parts parts;
	size_t max_findings;		/* kept in the report; all are counted */
	size_t max_paths;		/* kept for each bad range; 0: nobody asks for paths */
	enum io_direct_mode direct;
	bool force;			/* read devices that are in use, with a warning */
	bool degraded;			/* go on without missing devices */
	/* A signal handler sets it to stop the run. May be NULL. */
	const volatile sig_atomic_t *stop;
	/* Called in the caller's thread, some times a second. May be NULL. */
	void (*progress)(void *arg, const struct scrub_progress *progress);
	void *progress_arg;
	/* Tests: 0, or the number of the data read that fails with EIO. */
	u64 fail_read;
};

enum scrub_state {
	SCRUB_REFUSED,			/* opening failed; the message is out */
	SCRUB_FINISHED,
	SCRUB_INTERRUPTED,		/* everything in the report is true of what was read */
};

struct scrub_super_report {
	u64 offset;
	const char *status;		/* "good", "bad", "unreadable", "absent" */
	u64 generation;
};

struct scrub_device_report {
	u64 devid;
	u8 uuid[BTRFS_UUID_SIZE];
	char *path;			/* NULL: missing */
	u64 size;
	u64 generation;
	bool stale;
	bool missing;
	unsigned nr_supers;
	struct scrub_super_report supers[BTRFS_SUPER_MIRROR_MAX];
	struct scrub_counters stats;
};

struct scrub_tree_report {
	u64 objectid;
	u64 offset;			/* of the root item: the subvolume of log and relocation trees */
	u64 blocks;			/* that no tree before had */
	u64 bad;
};

struct scrub_report {
	enum scrub_state state;
	u8 fsid[BTRFS_FSID_SIZE];
	u8 metadata_uuid[BTRFS_FSID_SIZE];
	char label[BTRFS_LABEL_SIZE + 1];	/* bytes of the image: escape before printing */
	u64 generation;
	const char *csum_name;
	u32 sectorsize;
	u32 nodesize;
	u64 incompat;
	u64 compat_ro;
	u64 flags;
	bool metadump;			/* data was skipped */
	bool parity_skipped;		/* raid5 or raid6 chunks: some of the parity could not be verified */
	const char *ring;		/* how data was read; NULL: it was not */
	double seconds;

	struct scrub_device_report *devices;
	unsigned nr_devices;
	struct scrub_counters totals;
	struct scrub_tree_report *trees;
	size_t nr_trees;
	struct scrub_finding *findings;	/* sorted by device, physical, logical */
	size_t nr_findings;
	struct scrub_paths *paths;	/* findings point to them */
	size_t nr_paths;
	u64 findings_total;
	u64 metadata_findings;
	u64 data_findings;
	u64 uncorrectable_findings;
	char **notes;			/* escaped lines: no errors */
	size_t nr_notes;
	u64 notes_dropped;
	/* private */
	size_t max_findings;
	size_t findings_capacity;
	size_t notes_capacity;
	size_t trees_capacity;
	struct scrub_counters elsewhere;	/* what belongs to no device */
};

/*
 * Verifies. csum_init() was called before. Returns 0 with *report (also when it was interrupted), or
 * -errno after a message: could not be opened, no memory, no I/O engine. *report is to be released in
 * every case.
 */
int scrub_run(const struct scrub_options *options, struct scrub_report *report);
void scrub_report_release(struct scrub_report *report);

/* 0 clean, 3 something is bad in every copy, 4 all that is bad has a good copy. */
int scrub_exit_code(const struct scrub_report *report);
/*
 * "clean", "correctable", "uncorrectable", "unreadable"; without errors but not of everything: "interrupted",
 * "degraded" (devices are missing), "parity-unverified".
 */
const char *scrub_verdict(const struct scrub_report *report);
/* NULL: not a device of this filesystem. */
const struct scrub_device_report *scrub_find_device(const struct scrub_report *report, u64 devid);

#endif
