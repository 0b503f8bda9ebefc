/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What only an open file tells: the flags of chattr(1), the project that it is counted for.
 */
#ifndef BO_SOURCE_FILE_FLAGS_H
#define BO_SOURCE_FILE_FLAGS_H

#include "common/types.h"

struct file_flags {
	u32 flags;		/* FS_*_FL of linux/fs.h */
	u32 project;		/* 0: none */
};

/* A regular file or directory, opened without a trace where that is allowed. A descriptor or -errno. */
int file_flags_open(int at_fd, const char *name);
/* All zeros where the file system keeps no such thing. */
struct file_flags file_flags_read(int fd);

#endif
