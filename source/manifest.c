// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keys of a manifest, and what may stand beside what. See manifest.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/units.h"
#include "source/dir-list.h"
#include "source/entry-meta.h"
#include "source/id-map.h"
#include "source/manifest.h"

#define MAJOR_MAX	4095		/* as Linux has them: 12 bits and 20 */
#define MINOR_MAX	1048575

struct manifest_value {
	const char *key;
	char *at;		/* NUL-terminated; NULL: the key stands alone */
	size_t len;
	struct manifest_problem *problem;
};

/* Takes the value of one key. 0 or -errno with the problem filled in. */
typedef int (*take_value)(struct manifest_entry *entry, const struct manifest_value *value);

static int bad_value(const struct manifest_value *value, const char *allowed)
{
	return manifest_problem(value->problem, -EINVAL, "%s= takes %s", value->key, allowed);
}

static int no_memory(const struct manifest_value *value)
{
	return manifest_problem(value->problem, -ENOMEM, "does not fit in memory");
}

/* ---- numbers ---- */

static int take_number(const struct manifest_value *value, u32 max, const char *allowed, u32 *number)
{
	u64 parsed;

	if (parse_u64(value->at, &parsed) || parsed > max)
		return bad_value(value, allowed);
	*number = (u32)parsed;
	return 0;
}

static int take_uid(struct manifest_entry *entry, const struct manifest_value *value)
{
	return take_number(value, ID_INVALID - 1, "a number from 0 to 4294967294", &entry->uid);
}

static int take_gid(struct manifest_entry *entry, const struct manifest_value *value)
{
	return take_number(value, ID_INVALID - 1, "a number from 0 to 4294967294", &entry->gid);
}

static int take_major(struct manifest_entry *entry, const struct manifest_value *value)
{
	return take_number(value, MAJOR_MAX, "a number from 0 to 4095", &entry->rdev_major);
}

static int take_minor(struct manifest_entry *entry, const struct manifest_value *value)
{
	return take_number(value, MINOR_MAX, "a number from 0 to 1048575", &entry->rdev_minor);
}

static int take_mode(struct manifest_entry *entry, const struct manifest_value *value)
{
	u32 mode = 0;

	for (const char *p = value->at; *p; p++) {
		if (*p < '0' || *p > '7' || mode > 07777)
			return bad_value(value, "an octal number up to 7777");
		mode = mode * 8 + (u32)(*p - '0');
	}
	if (!value->len || mode > 07777)
		return bad_value(value, "an octal number up to 7777");
	entry->mode = mode;
	return 0;
}

/* ---- times ---- */

/* Up to nine digits behind the point, as nanoseconds; -1: something else. */
static long parse_fraction(const char *text)
{
	long nsec = 0;
	int digits = 0;

	for (; *text >= '0' && *text <= '9' && digits < 9; text++, digits++)
		nsec = nsec * 10 + (*text - '0');
	if (*text || !digits)
		return -1;
	for (; digits < 9; digits++)
		nsec *= 10;
	return nsec;
}

static int parse_time(char *text, struct timespec *time)
{
	const bool negative = *text == '-';
	char *point = strchr(text, '.');
	u64 seconds;

	*time = (struct timespec){ 0 };
	if (point) {
		*point = '\0';
		time->tv_nsec = parse_fraction(point + 1);
	}
	if (time->tv_nsec < 0 || parse_u64(text + negative, &seconds) || seconds > INT64_MAX - 1)
		return -EINVAL;
	time->tv_sec = negative ? -(s64)seconds : (s64)seconds;
	/* nanoseconds always count forward */
	if (negative && time->tv_nsec) {
		time->tv_sec--;
		time->tv_nsec = 1000000000 - time->tv_nsec;
	}
	return 0;
}

static int take_time(const struct manifest_value *value, struct timespec *time)
{
	return parse_time(value->at, time) ? bad_value(value, "seconds since 1970, with up to nine decimals") : 0;
}

static int take_atime(struct manifest_entry *entry, const struct manifest_value *value)
{
	return take_time(value, &entry->atime);
}

static int take_mtime(struct manifest_entry *entry, const struct manifest_value *value)
{
	return take_time(value, &entry->mtime);
}

static int take_ctime(struct manifest_entry *entry, const struct manifest_value *value)
{
	return take_time(value, &entry->ctime);
}

static int take_btime(struct manifest_entry *entry, const struct manifest_value *value)
{
	return take_time(value, &entry->btime);
}

/* ---- words and texts ---- */

static int take_type(struct manifest_entry *entry, const struct manifest_value *value)
{
	static const struct {
		const char *word;
		u32 type;
	} types[] = {
		{ "dir", S_IFDIR }, { "file", S_IFREG }, { "symlink", S_IFLNK }, { "char", S_IFCHR },
		{ "block", S_IFBLK }, { "fifo", S_IFIFO }, { "sock", S_IFSOCK },
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (strcmp(value->at, types[i].word) == 0)
			entry->type = types[i].type;
	}
	return entry->type ? 0 : bad_value(value, "dir, file, symlink, char, block, fifo or sock");
}

static int take_switch(const struct manifest_value *value, bool *on)
{
	*on = !value->at || strcmp(value->at, "yes") == 0;
	return *on || strcmp(value->at, "no") == 0 ? 0 : bad_value(value, "yes or no");
}

static int take_nodatacow(struct manifest_entry *entry, const struct manifest_value *value)
{
	return take_switch(value, &entry->nodatacow);
}

static int take_nodatasum(struct manifest_entry *entry, const struct manifest_value *value)
{
	return take_switch(value, &entry->nodatasum);
}

static int take_text(const struct manifest_value *value, char **text)
{
	if (!value->len)
		return bad_value(value, "something, and has nothing");
	*text = strdup(value->at);
	return *text ? 0 : no_memory(value);
}

static int take_target(struct manifest_entry *entry, const struct manifest_value *value)
{
	if (value->len > SOURCE_SYMLINK_MAX)
		return bad_value(value, "at most 4095 bytes");
	return take_text(value, &entry->target);
}

static int take_content(struct manifest_entry *entry, const struct manifest_value *value)
{
	return take_text(value, &entry->content);
}

static int take_subvol(struct manifest_entry *entry, const struct manifest_value *value)
{
	return source_subvolume_type(value->at, value->len, &entry->subvol) ? 0 :
	       bad_value(value, "rw, ro, default or default-ro");
}

static int take_compress(struct manifest_entry *entry, const struct manifest_value *value)
{
	const char *problem = compression_parse(value->at, value->len, &entry->compress);

	return problem ? manifest_problem(value->problem, -EINVAL, "compress=%.40s %s", value->at, problem) : 0;
}

/* ---- extended attributes ---- */

/* The others can be stored, but no kernel would ever show them. */
static bool has_known_prefix(const char *name)
{
	static const char *const prefixes[] = { "user.", "trusted.", "security.", "system.", "btrfs." };

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		size_t len = strlen(prefixes[i]);

		if (strncmp(name, prefixes[i], len) == 0 && name[len])
			return true;
	}
	return false;
}

/* The place of @name in the sorted list; @found: it is there already. */
static size_t find_xattr(const struct manifest_entry *entry, const char *name, bool *found)
{
	size_t i = 0;
	int order = 1;

	while (i < entry->nr_xattrs && (order = strcmp(entry->xattrs[i].xattr.name, name)) < 0)
		i++;
	*found = i < entry->nr_xattrs && order == 0;
	return i;
}

static int insert_xattr(struct manifest_entry *entry, const char *name, const struct manifest_value *value)
{
	struct manifest_xattr *xattrs = realloc(entry->xattrs, (entry->nr_xattrs + 1) * sizeof(*xattrs));
	struct manifest_xattr added = { .removed = !value->at };
	char *copy, *data;
	bool found;
	size_t at;

	if (!xattrs)
		return no_memory(value);
	entry->xattrs = xattrs;
	at = find_xattr(entry, name, &found);
	if (found)
		return manifest_problem(value->problem, -EINVAL, "has xattr.%.80s twice", name);
	copy = strdup(name);
	data = malloc(value->len + 1);
	if (!copy || !data) {
		free(copy);
		free(data);
		return no_memory(value);
	}
	if (value->at)
		memcpy(data, value->at, value->len);
	added.xattr = (struct source_xattr){ .name = copy, .value = data, .size = value->len };
	memmove(xattrs + at + 1, xattrs + at, (entry->nr_xattrs - at) * sizeof(*xattrs));
	xattrs[at] = added;
	entry->nr_xattrs++;
	return 0;
}

static int take_xattr(struct manifest_entry *entry, const struct manifest_value *value)
{
	const char *name = value->key + strlen("xattr.");

	if (strlen(name) > SOURCE_NAME_MAX)
		return manifest_problem(value->problem, -EINVAL, "has an xattr name of more than 255 bytes");
	if (!has_known_prefix(name))
		return manifest_problem(value->problem, -EINVAL,
					"xattr.%.80s: names begin with user., trusted., security., system. or btrfs.",
					name);
	if (value->len > SZ_64K)
		return manifest_problem(value->problem, -EINVAL, "xattr.%.80s has more than 64 KiB", name);
	return insert_xattr(entry, name, value);
}

/* ---- the line ---- */

struct key_rule {
	const char *name;
	enum manifest_key bit;
	take_value take;
	bool alone;		/* may stand without a value */
	bool bytes;		/* the value may have NUL bytes */
};

static const struct key_rule key_rules[] = {
	{ "type", MANIFEST_TYPE, take_type, false, false },
	{ "mode", MANIFEST_MODE, take_mode, false, false },
	{ "uid", MANIFEST_UID, take_uid, false, false },
	{ "gid", MANIFEST_GID, take_gid, false, false },
	{ "atime", MANIFEST_ATIME, take_atime, false, false },
	{ "mtime", MANIFEST_MTIME, take_mtime, false, false },
	{ "ctime", MANIFEST_CTIME, take_ctime, false, false },
	{ "btime", MANIFEST_BTIME, take_btime, false, false },
	{ "major", MANIFEST_MAJOR, take_major, false, false },
	{ "minor", MANIFEST_MINOR, take_minor, false, false },
	{ "target", MANIFEST_TARGET, take_target, false, false },
	{ "content", MANIFEST_CONTENT, take_content, false, false },
	{ "nodatacow", MANIFEST_NODATACOW, take_nodatacow, true, false },
	{ "nodatasum", MANIFEST_NODATASUM, take_nodatasum, true, false },
	{ "subvol", MANIFEST_SUBVOL, take_subvol, false, false },
	{ "compress", MANIFEST_COMPRESS, take_compress, false, false },
	{ "xattr.", MANIFEST_XATTR, take_xattr, true, true },
};

static const struct key_rule *find_key(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(key_rules); i++) {
		const struct key_rule *rule = &key_rules[i];

		if (rule->bit == MANIFEST_XATTR ? strncmp(key, rule->name, strlen(rule->name)) == 0 :
						  strcmp(key, rule->name) == 0)
			return rule;
	}
	return NULL;
}

static int take_word(struct manifest_entry *entry, const struct manifest_word *word, struct manifest_problem *problem)
{
	const bool has_value = word->key_len < word->len;
	struct manifest_value value = { .key = word->at, .problem = problem };
	const struct key_rule *rule;

	if (memchr(word->at, '\0', word->key_len))
		return manifest_problem(problem, -EINVAL, "has a NUL byte in a key");
	word->at[word->key_len] = '\0';
	if (has_value) {
		value.at = word->at + word->key_len + 1;
		value.len = word->len - word->key_len - 1;
	}
	rule = find_key(value.key);
	if (!rule)
		return manifest_problem(problem, -EINVAL, "has an unknown key %.80s", value.key);
	if (!has_value && !rule->alone)
		return manifest_problem(problem, -EINVAL, "%s needs = and a value", value.key);
	if (has_value && !rule->bytes && memchr(value.at, '\0', value.len))
		return manifest_problem(problem, -EINVAL, "has a NUL byte in the value of %s=", value.key);
	if (entry->keys & rule->bit & ~MANIFEST_XATTR)
		return manifest_problem(problem, -EINVAL, "has %s twice", value.key);
	entry->keys |= rule->bit;
	return rule->take(entry, &value);
}

/* Does a line without a type speak of entries of this type, or one with it have all that it needs? */
static int check_type(const struct manifest_entry *entry, struct manifest_problem *problem)
{
	const bool is_device = entry->type == S_IFCHR || entry->type == S_IFBLK;
	const u32 numbers = MANIFEST_MAJOR | MANIFEST_MINOR;

	if (entry->keys & numbers && entry->type && !is_device)
		return manifest_problem(problem, -EINVAL, "has major or minor, which only type=char and block take");
	if (is_device && (entry->keys & numbers) != numbers)
		return manifest_problem(problem, -EINVAL, "needs major= and minor= for its type");
	if (entry->keys & MANIFEST_TARGET && entry->type && entry->type != S_IFLNK)
		return manifest_problem(problem, -EINVAL, "has target, which only type=symlink takes");
	if (entry->type == S_IFLNK && !entry->target)
		return manifest_problem(problem, -EINVAL, "needs target= for its type");
	if (entry->keys & MANIFEST_SUBVOL && entry->type && entry->type != S_IFDIR)
		return manifest_problem(problem, -EINVAL, "has subvol, which only type=dir takes");
	if (entry->keys & MANIFEST_CONTENT && entry->type && entry->type != S_IFREG)
		return manifest_problem(problem, -EINVAL, "has content, which only type=file takes");
	return 0;
}

int manifest_parse_line(char *line, struct manifest_entry *entry, char **path, size_t *path_len,
			struct manifest_problem *problem)
{
	struct manifest_word word;
	int ret = manifest_next_word(&line, &word, problem);

	if (ret == 0)
		return manifest_problem(problem, -EINVAL, "has no path");
	if (ret < 0)
		return ret;
	*path = word.at;
	*path_len = word.len;
	while ((ret = manifest_next_word(&line, &word, problem)) > 0) {
		ret = take_word(entry, &word, problem);
		if (ret < 0)
			return ret;
	}
	return ret < 0 ? ret : check_type(entry, problem);
}

void manifest_release_entry(struct manifest_entry *entry)
{
	for (size_t i = 0; i < entry->nr_xattrs; i++) {
		free((char *)entry->xattrs[i].xattr.name);
		free((void *)entry->xattrs[i].xattr.value);
	}
	free(entry->xattrs);
	free(entry->target);
	free(entry->content);
}
