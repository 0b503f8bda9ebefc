// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cuts a line into words and undoes the escapes: \\ \n \t \r, \ooo with three octal digits, \xHH with two
 * hexadecimal ones. See manifest.h.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "source/manifest.h"

int manifest_problem(struct manifest_problem *problem, int error, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(problem->text, sizeof(problem->text), fmt, args);
	va_end(args);
	problem->error = error;
	return error;
}

static int digit(char c, int base)
{
	int value = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
		    c >= 'A' && c <= 'F' ? c - 'A' + 10 : base;

	return value < base ? value : -1;
}

/* @nr digits at @text; -1: there is something else. */
static int number(const char *text, int nr, int base)
{
	int value = 0;

	for (int i = 0; i < nr; i++) {
		int d = digit(text[i], base);

		if (d < 0)
			return -1;
		value = value * base + d;
	}
	return value;
}

/* @p: behind the backslash. The byte that is meant, *p moved behind it; -1: nothing is. */
static int unescape(char **p)
{
	static const char letters[] = "\\ntr", meant[] = "\\\n\t\r";
	const char *letter = **p ? strchr(letters, **p) : NULL;
	int byte;

	if (letter) {
		(*p)++;
		return meant[letter - letters];
	}
	if (**p == 'x') {
		byte = number(*p + 1, 2, 16);
		*p += 3;
		return byte;
	}
	byte = number(*p, 3, 8);
	*p += 3;
	return byte > 0xff ? -1 : byte;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

int manifest_next_word(char **line, struct manifest_word *word, struct manifest_problem *problem)
{
	char *in = *line, *out;
	bool has_key = false;

	while (is_blank(*in))
		in++;
	if (!*in)
		return 0;
	word->at = out = in;
	while (*in && !is_blank(*in)) {
		int byte = (u8)*in++;

		if (byte == '\\')
			byte = unescape(&in);
		else if (byte == '=' && !has_key) {
			word->key_len = (size_t)(out - word->at);
			has_key = true;
		}
		if (byte < 0)
			return manifest_problem(problem, -EINVAL, "has a backslash with neither \\, n, t, r, three "
						"octal digits up to 377, nor x and two hexadecimal digits behind it");
		*out++ = (char)byte;
	}
	*line = *in ? in + 1 : in;
	*out = '\0';
	word->len = (size_t)(out - word->at);
	if (!has_key)
		word->key_len = word->len;
	return 1;
}
