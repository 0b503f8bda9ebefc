/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of `inspect`: one function per subcommand, and what they share.
 */
#ifndef BO_CMDS_INSPECT_H
#define BO_CMDS_INSPECT_H

#include "reader/fs.h"

/* Exit status of `inspect csum --exists` when there is no checksum in the range. */
#define INSPECT_EXIT_NONE	3

/* argv[0] is the subcommand's name. They return the exit status. */
int inspect_super(int argc, char **argv);
int inspect_tree(int argc, char **argv);
int inspect_chunks(int argc, char **argv);
int inspect_csum(int argc, char **argv);

/* What every subcommand that opens a filesystem can be told. */
struct inspect_options {
	bool degraded;
	bool json;
};

/* "text" or "json". Returns 0, or -EINVAL after a message. */
int inspect_parse_format(const char *word, struct inspect_options *options);

/* Opens @nr devices for looking only: findings become warnings, busy devices and unknown features pass. */
int inspect_open(struct btrfs_image **image, char *const *paths, int nr,
		 const struct inspect_options *options);

/* The exit status: 1 instead of 0 when standard output could not be written, after a message. */
int inspect_finish(int status);

#endif
