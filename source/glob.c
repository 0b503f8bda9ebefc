// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Matches without recursion: when something behind a star does not fit, the last star takes one more; an
 * earlier one never has to. The same holds for components and **. See glob.h.
 */
#include <string.h>

#include "source/glob.h"

struct span {
	const char *at;
	const char *end;
};

/* ---- one byte ---- */

/* The byte of a set that @p stands at, escaped or not; *p moves behind it. */
static u8 set_byte(const char **p)
{
	if (**p == '\\')
		(*p)++;
	return (u8)*(*p)++;
}

/* @p: behind the opening bracket. The closing one, or NULL. */
static const char *set_end(const char *p, const char *end)
{
	if (p < end && (*p == '!' || *p == '^'))
		p++;
	/* a bracket that comes first is one of the set */
	if (p < end && *p == ']')
		p++;
	for (; p < end && *p != ']'; p++) {
		if (*p == '\\' && ++p == end)
			return NULL;
	}
	return p < end ? p : NULL;
}

static bool set_has(const char *p, const char *end, u8 byte)
{
	const bool inverted = *p == '!' || *p == '^';
	bool found = false;

	p += inverted;
	while (p < end) {
		u8 first = set_byte(&p), last = first;

		if (p + 1 < end && *p == '-') {
			p++;
			last = set_byte(&p);
		}
		found |= first <= byte && byte <= last;
	}
	return found != inverted;
}

/* What matches one byte at @p: moves behind it. */
static bool match_one(const char **p, const char *end, u8 byte)
{
	const char *close;

	switch (**p) {
	case '?':
		(*p)++;
		return true;
	case '[':
		close = set_end(*p + 1, end);
		if (!set_has(*p + 1, close, byte))
			return false;
		*p = close + 1;
		return true;
	case '\\':
		(*p)++;
		break;
	}
	return (u8)*(*p)++ == byte;
}

/* ---- a name ---- */

static bool match_span(struct span pattern, struct span text)
{
	const char *p = pattern.at, *star = NULL, *resume = NULL;

	while (text.at < text.end) {
		if (p < pattern.end && *p == '*') {
			star = ++p;
			resume = text.at;
			continue;
		}
		if (p < pattern.end && match_one(&p, pattern.end, (u8)*text.at)) {
			text.at++;
			continue;
		}
		if (!star)
			return false;
		p = star;
		text.at = ++resume;
	}
	while (p < pattern.end && *p == '*')
		p++;
	return p == pattern.end;
}

bool glob_match_name(const char *pattern, const char *text, size_t len)
{
	return match_span((struct span){ pattern, pattern + strlen(pattern) }, (struct span){ text, text + len });
}

/* ---- a path ---- */

/* The component at the beginning of @rest, which moves on to the next one; false: there is none. */
static bool next_component(struct span *rest, struct span *component)
{
	const char *slash;

	if (rest->at >= rest->end)
		return false;
	slash = memchr(rest->at, '/', (size_t)(rest->end - rest->at));
	*component = (struct span){ rest->at, slash ? slash : rest->end };
	rest->at = slash ? slash + 1 : rest->end;
	return true;
}

static bool is_any_depth(struct span component)
{
	return component.end - component.at == 2 && component.at[0] == '*' && component.at[1] == '*';
}

bool glob_match_path(const char *pattern, const char *path, size_t len)
{
	struct span p = { pattern, pattern + strlen(pattern) }, text = { path, path + len };
	struct span after = { NULL, NULL }, resume = text, want, have;

	while (text.at < text.end) {
		struct span rest = text;

		if (next_component(&p, &want)) {
			if (is_any_depth(want) && p.at >= p.end)
				return true;
			if (is_any_depth(want)) {
				after = p;
				resume = text;
				continue;
			}
			next_component(&rest, &have);
			if (match_span(want, have)) {
				text = rest;
				continue;
			}
		}
		if (!after.at)
			return false;
		next_component(&resume, &have);
		text = resume;
		p = after;
	}
	return p.at >= p.end;
}

const char *glob_check(const char *pattern)
{
	const char *end = pattern + strlen(pattern), *close;

	if (pattern == end)
		return "is empty";
	for (const char *p = pattern; p < end; p++) {
		if (*p == '\\') {
			if (++p == end || *p == '/')
				return "has a backslash with nothing to escape; write \\\\ for one";
		} else if (*p == '[') {
			close = set_end(p + 1, end);
			if (!close)
				return "has a [ without its ]; write \\[ for one";
			if (memchr(p, '/', (size_t)(close - p)))
				return "has a / between [ and ], where it matches nothing";
			p = close;
		}
	}
	return NULL;
}
