/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of a file that an option names: no longer than LINE_MAX_BYTES, without NUL bytes. One thread.
 */
#ifndef BO_SOURCE_LINE_READER_H
#define BO_SOURCE_LINE_READER_H

#include <stdio.h>

#include "common/types.h"

#define LINE_MAX_BYTES	((size_t)SZ_1M)

struct line_reader {
	FILE *file;
	const char *path;	/* as the user wrote it */
	u64 number;		/* of the line, from 1 on */
	char *line;		/* NUL-terminated, without the newline */
	size_t len;
};

/* @path outlives the reader. Returns 0 or -errno after a message. Close only after success. */
int line_reader_open(struct line_reader *reader, const char *path);
/* 1: the next line is there until the next call, 0: the end, -errno after a message. */
int line_reader_next(struct line_reader *reader);
void line_reader_close(struct line_reader *reader);
/* "ERROR: FILE:LINE: WHAT"; returns @ret. */
int line_reader_refuse(const struct line_reader *reader, const char *what, int ret);

#endif
