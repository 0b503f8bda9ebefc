// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages about one target: a sentence whose subject is its path.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/escape.h"
#include "io/device-internal.h"

static char *message_text(const char *path, const char *fmt, va_list args)
{
	char *name = escape_bytes(path, strlen(path), NULL);
	char *text = NULL;
	char *line = NULL;

	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	if (asprintf(&line, "%s %s", name ? name : "?", text ? text : "cannot be used") < 0)
		line = NULL;
	free(text);
	free(name);
	return line;
}

int io_device_refuse(const char *path, int err, const char *fmt, ...)
{
	va_list args;
	char *line;

	va_start(args, fmt);
	line = message_text(path, fmt, args);
	va_end(args);
	error("%s", line ? line : "out of memory");
	free(line);
	return err;
}

void io_device_warn(const char *path, const char *fmt, ...)
{
	va_list args;
	char *line;

	va_start(args, fmt);
	line = message_text(path, fmt, args);
	va_end(args);
	warning("%s", line ? line : "out of memory");
	free(line);
}
