/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Printable paths of what is in a source tree, and the messages that carry them. Any thread.
 */
#ifndef BO_SOURCE_PATH_H
#define BO_SOURCE_PATH_H

#include "common/types.h"
#include "source/dir-handle.h"

/*
 * Escaped path of @name in @dir, of @dir itself with an empty name. Below the top ("a/b", the top
 * is "."), or with @full behind the top as the user wrote it. Caller frees; NULL: memory.
 */
char *source_path_format(const struct source_dir *dir, const char *name, size_t name_len, bool full);

/*
 * The bytes of the path of @dir below the top into @buf when they fit @size; their number in either case. No slash
 * at the ends, no NUL; none for the top.
 */
size_t source_path_bytes(const struct source_dir *dir, char *buf, size_t size);

/* "ERROR: PATH: WHAT: reason, and what to do" for -errno @ret; returns @ret. */
int source_path_error(const struct source_dir *dir, const char *name, size_t name_len, const char *what,
		      int ret);
/* "ERROR: PATH: WHAT" where errno has no word for it. */
void source_path_refuse(const struct source_dir *dir, const char *name, size_t name_len, const char *what);
/* "WARNING: PATH: WHAT" */
void source_path_warning(const struct source_dir *dir, const char *name, size_t name_len, const char *what);

#endif
