// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Formats a whole line first and writes it in one call: see message.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/message.h"

static void message(const char *prefix, const char *fmt, va_list args)
{
	char *text = NULL;
	char *line = NULL;
	int len;

	if (vasprintf(&text, fmt, args) < 0)
		return;
	len = asprintf(&line, "%s: %s\n", prefix, text);
	if (len > 0) {
		ssize_t ignored = write(STDERR_FILENO, line, (size_t)len);

		(void)ignored;
		free(line);
	}
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

	va_start(args, fmt);
	message("WARNING", fmt, args);
	va_end(args);
}
