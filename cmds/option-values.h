/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values of command line options. Each function returns 0, or -EINVAL after a message that names the
 * option, the value, and what it takes.
 */
#ifndef BO_CMDS_OPTION_VALUES_H
#define BO_CMDS_OPTION_VALUES_H

#include "common/types.h"
#include "io/device-set.h"

enum progress_mode {
	PROGRESS_AUTO,		/* on a terminal */
	PROGRESS_ALWAYS,
	PROGRESS_NEVER,
};

/* A word with a meaning. The last of a list has no word. */
struct option_choice {
	const char *word;
	int value;
};

int option_bad_value(const char *option, const char *value, const char *allowed);
int option_size(const char *option, const char *value, u64 *bytes);
int option_size32(const char *option, const char *value, u32 *bytes);
int option_number(const char *option, const char *value, u64 max, u64 *number);
int option_uuid(const char *option, const char *value, u8 *uuid);
/* The message lists the words. */
int option_word(const char *option, const char *value, const struct option_choice *choices, int *number);

/* --format text|json */
int option_format(const char *value, bool *json);
/* --progress auto|always|never */
int option_progress(const char *value, enum progress_mode *mode);
/* --io auto|direct|buffered */
int option_io(const char *value, enum io_direct_mode *mode);

#endif
