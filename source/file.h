/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the iterator makes the files that source.h hands out.
 */
#ifndef BO_SOURCE_FILE_H
#define BO_SOURCE_FILE_H

#include "common/types.h"
#include "source/tree-walk.h"

/* For a regular file. Opens nothing. One reference for the caller; NULL: memory. */
struct source_file *source_file_create(const struct walk_item *item);

#endif
