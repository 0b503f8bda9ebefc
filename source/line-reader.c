// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/escape.h"
#include "common/message.h"
#include "source/line-reader.h"

int line_reader_open(struct line_reader *reader, const char *path)
{
	*reader = (struct line_reader){ .path = path };
	reader->line = malloc(LINE_MAX_BYTES + 1);
	if (!reader->line) {
		error("%s: not enough memory to read it", path);
		return -ENOMEM;
	}
	reader->file = fopen(path, "re");
	if (!reader->file) {
		int ret = -errno;

		error("%s: cannot open it: %s", path, strerror(-ret));
		free(reader->line);
		return ret;
	}
	return 0;
}

void line_reader_close(struct line_reader *reader)
{
	fclose(reader->file);
	free(reader->line);
}

int line_reader_refuse(const struct line_reader *reader, const char *what, int ret)
{
	char *printable = escape_bytes(what, strlen(what), NULL);

	error("%s:%llu: %s", reader->path, (unsigned long long)reader->number, printable ? printable : "");
	free(printable);
	return ret;
}

int line_reader_next(struct line_reader *reader)
{
	int c;

	reader->number++;
	reader->len = 0;
	errno = 0;
	while ((c = getc_unlocked(reader->file)) != EOF && c != '\n') {
		if (c == '\0')
			return line_reader_refuse(reader, "has a NUL byte; this is no text file", -EINVAL);
		if (reader->len == LINE_MAX_BYTES)
			return line_reader_refuse(reader, "is longer than 1 MiB", -EINVAL);
		reader->line[reader->len++] = (char)c;
	}
	if (ferror(reader->file)) {
		int ret = errno ? -errno : -EIO;

		error("%s: cannot read it: %s", reader->path, strerror(-ret));
		return ret;
	}
	reader->line[reader->len] = '\0';
	return c != EOF || reader->len;
}
