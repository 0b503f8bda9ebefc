/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Patterns of names and paths, over bytes, whatever the locale.
 *
 *   *	any bytes, none too	?	one byte	[a-z] [!a-z] [^a-z]	one byte of these, or none of these
 *   \	takes the byte behind it as it is
 *
 * In a path nothing but a slash matches a slash; a component ** matches any number of components, none too, but
 * at least one when it comes last.
 * Time grows with the product of both lengths at most.
 */
#ifndef BO_SOURCE_GLOB_H
#define BO_SOURCE_GLOB_H

#include "common/types.h"

/* NULL, or what is wrong with @pattern: a text for people. */
const char *glob_check(const char *pattern);

/* Is all of @text (a slash is a byte like any other) what the checked @pattern says? */
bool glob_match_name(const char *pattern, const char *text, size_t len);
/* The same for a path without slashes at its ends. */
bool glob_match_path(const char *pattern, const char *path, size_t len);

#endif
