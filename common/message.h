/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages to a person. One line each, on standard error, written with one
 * write() so that lines of several threads do not mix.
 *
 * A failure is printed once, at the place that knows the name of the file or
 * device; callers above only pass the -errno on.
 */
#ifndef BO_COMMON_MESSAGE_H
#define BO_COMMON_MESSAGE_H

#include <stdarg.h>
#include <stdbool.h>

#define PRINTF_FORMAT(fmt, first) __attribute__((format(printf, fmt, first)))

/* "ERROR: ..." Any thread. A newline is added. */
void error(const char *fmt, ...) PRINTF_FORMAT(1, 2);
/* "WARNING: ..." Any thread. */
void warning(const char *fmt, ...) PRINTF_FORMAT(1, 2);
/* While held, warnings are dropped: for a first look at what will be gone through once more. */
void message_hold_warnings(bool hold);
/* A line of progress, which the next one overwrites. Messages and message_progress_end() begin a new line. */
void message_progress(const char *fmt, ...) PRINTF_FORMAT(1, 2);
void message_progress_end(void);

#endif
