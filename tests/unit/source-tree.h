/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A scratch tree for the tests of source/: made in a new folder, which is also what the test's
 * relative paths start from, and removed at the end.
 */
#ifndef BO_TESTS_SOURCE_TREE_H
#define BO_TESTS_SOURCE_TREE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "source/source.h"

struct scratch {
	char path[64];
	int old_cwd;
};

static inline int scratch_setup(void **state)
{
	struct scratch *scratch = calloc(1, sizeof(*scratch));

	assert_non_null(scratch);
	strcpy(scratch->path, "/tmp/test-source-XXXXXX");
	assert_non_null(mkdtemp(scratch->path));
	scratch->old_cwd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(scratch->old_cwd >= 0);
	assert_int_equal(chdir(scratch->path), 0);
	assert_int_equal(mkdir("top", 0755), 0);
	*state = scratch;
	return 0;
}

static inline int scratch_teardown(void **state)
{
	struct scratch *scratch = *state;
	char command[128];

	assert_int_equal(fchdir(scratch->old_cwd), 0);
	close(scratch->old_cwd);
	/* rm has no limit of depth either. */
	snprintf(command, sizeof(command), "rm -rf %s", scratch->path);
	assert_int_equal(system(command), 0);
	free(scratch);
	return 0;
}

static inline void make_file(const char *path, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	close(fd);
}

static inline struct source *open_source(const char *path)
{
	const struct source_options options = { .path = path };
	struct source *source;

	assert_int_equal(source_dir_open(&source, &options), 0);
	return source;
}

/* The next entry, which has to have this path below the top. */
static inline const struct source_entry *expect_entry(struct source *source, const char *path)
{
	const struct source_entry *entry;
	char *found;

	assert_int_equal(source_next(source, &entry), 1);
	found = source_entry_path(entry);
	assert_string_equal(found, path);
	free(found);
	return entry;
}

static inline void expect_end(struct source *source)
{
	const struct source_entry *entry;

	assert_int_equal(source_next(source, &entry), 0);
}

/* Goes on until the name of an entry is this one. */
static inline const struct source_entry *find_entry(struct source *source, const char *name)
{
	const struct source_entry *entry;

	for (;;) {
		assert_int_equal(source_next(source, &entry), 1);
		if (entry->name_len == strlen(name) && memcmp(entry->name, name, entry->name_len) == 0)
			return entry;
		source_file_put(entry->file);
	}
}

/* Counts the descriptors of this process. */
static inline unsigned count_descriptors(void)
{
	unsigned nr = 0;

	for (int fd = 0; fd < 4096; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

#define scratch_test(function) cmocka_unit_test_setup_teardown(function, scratch_setup, scratch_teardown)

#endif
