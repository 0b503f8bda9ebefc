/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names are bytes from a tree or an image and go to a terminal or a log:
 * control bytes, DEL, backslash and bytes that are no valid UTF-8 are escaped.
 */
#ifndef BO_COMMON_ESCAPE_H
#define BO_COMMON_ESCAPE_H

#include "common/types.h"

/*
 * A NUL-terminated printable form of @len bytes at @bytes ("\n", "\\", "\x1b").
 * The caller frees it. NULL when memory is short. *changed (may be NULL) says
 * whether anything had to be escaped.
 */
char *escape_bytes(const void *bytes, size_t len, bool *changed);

/* Length of the valid UTF-8 sequence at @s (1..4), or 0 when there is none. C1 controls
 * (U+0080..U+009F) count as none: terminals obey them. */
unsigned utf8_sequence(const u8 *s, size_t left);

#endif
