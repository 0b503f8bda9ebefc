// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Formats a whole line first and writes it in one call: see message.h.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/message.h"

/* Standard error is one for the process: does a line of progress stand there? */
static atomic_bool progress_shown;
static atomic_bool warnings_held;

static void write_text(const char *start, const char *text, const char *end)
{
	char *line = NULL;
	const int len = asprintf(&line, "%s%s%s", start, text, end);
	ssize_t ignored;

	if (len < 0)
		return;
	ignored = write(STDERR_FILENO, line, (size_t)len);
	(void)ignored;
	free(line);
}

static void message(const char *prefix, const char *fmt, va_list args)
{
	char start[32];
	char *text = NULL;

	if (vasprintf(&text, fmt, args) < 0)
		return;
	snprintf(start, sizeof(start), "%s%s: ", atomic_exchange(&progress_shown, false) ? "\n" : "", prefix);
	write_text(start, text, "\n");
	free(text);
}

void error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	message("ERROR", fmt, args);
	va_end(args);
}

void warning(const char *fmt, ...)
{
	va_list args;

	if (atomic_load(&warnings_held))
		return;
	va_start(args, fmt);
	message("WARNING", fmt, args);
	va_end(args);
}

void message_hold_warnings(bool hold)
{
	atomic_store(&warnings_held, hold);
}

void message_progress(const char *fmt, ...)
{
	char *text = NULL;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len < 0)
		return;
	atomic_store(&progress_shown, true);
	write_text("\r", text, " ");
	free(text);
}

void message_progress_end(void)
{
	if (atomic_exchange(&progress_shown, false))
		write_text("", "", "\n");
}
