/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of mkfs, parsed. And what the command shows.
 */
#ifndef BO_CMDS_MKFS_OPTIONS_H
#define BO_CMDS_MKFS_OPTIONS_H

#include "cmds/option-values.h"
#include "mkfs/mkfs.h"
#include "source/rules.h"

/* Options of the command itself beside those of the engine, and the memory that parsed values need. */
struct mkfs_command {
	struct mkfs_options options;
	struct mkfs_feature_wishes features;
	bool quiet;
	bool verbose;
	bool json;
	bool has_range;		/* --offset or --length was given */
	bool verify;
	u64 verified_bytes;	/* read back, of all copies */
	enum progress_mode progress;
	u8 fsid[16];
	u8 device_uuid[16];
	struct source_subvolume_spec *subvolumes;
	struct source_rules *rules;
};

enum mkfs_parse_result {
	MKFS_PARSE_RUN,
	MKFS_PARSE_DONE,	/* help, version or a list was printed */
	MKFS_PARSE_ERROR,	/* a message was printed */
};

/* The command is to be released, whatever the result. */
enum mkfs_parse_result mkfs_parse_command(struct mkfs_command *command, int argc, char **argv);
void mkfs_release_command(struct mkfs_command *command);

/*
 * --verify, an options->verify: all that was written is read from the devices again and verified. Sets
 * ->verified_bytes. Returns 0, or -errno after a message: -EUCLEAN when something is wrong.
 */
int mkfs_verify(void *command, const struct io_device_set *targets);

/* The summary on standard output. */
void mkfs_print_text(const struct mkfs_command *command, const struct mkfs_report *report);
/* One JSON object on standard output. Returns 0 or -errno. */
int mkfs_print_json(const struct mkfs_command *command, const struct mkfs_report *report);
/* A line on standard error that is overwritten by the next. */
void mkfs_print_progress(void *command, const struct mkfs_progress *progress);

#endif
