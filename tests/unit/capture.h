/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a test prints on standard error, as text: messages are part of what is tested.
 */
#ifndef BO_TESTS_CAPTURE_H
#define BO_TESTS_CAPTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct capture {
	int saved;		/* standard error as it was */
	int file;
	char text[8192];	/* filled by capture_end() */
};

static inline void capture_begin(struct capture *capture)
{
	capture->file = memfd_create("messages", MFD_CLOEXEC);
	assert_true(capture->file >= 0);
	capture->saved = dup(STDERR_FILENO);
	assert_true(capture->saved >= 0);
	assert_int_equal(dup2(capture->file, STDERR_FILENO), STDERR_FILENO);
}

static inline void capture_end(struct capture *capture)
{
	ssize_t len;

	assert_int_equal(dup2(capture->saved, STDERR_FILENO), STDERR_FILENO);
	close(capture->saved);
	len = pread(capture->file, capture->text, sizeof(capture->text) - 1, 0);
	assert_true(len >= 0);
	capture->text[len] = '\0';
	close(capture->file);
}

/* How often @word is in what was printed. */
static inline unsigned capture_count(const struct capture *capture, const char *word)
{
	const char *at = capture->text;
	unsigned nr = 0;

	while ((at = strstr(at, word))) {
		nr++;
		at += strlen(word);
	}
	return nr;
}

static inline void assert_captured(const struct capture *capture, const char *word)
{
	if (!capture_count(capture, word))
		fail_msg("'%s' is not in: %s", word, capture->text);
}

#endif
