/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All names of one directory, in the order of their bytes. The names lie in one block of memory, so
 * that a directory with a million names costs little more than the names. Used over and over by one
 * thread.
 */
#ifndef BO_SOURCE_DIR_LIST_H
#define BO_SOURCE_DIR_LIST_H

#include "common/types.h"

#define SOURCE_NAME_MAX	255

struct dir_list {
	u8 *names;		/* length byte, bytes, NUL; one after the other */
	size_t names_used;
	size_t names_size;
	size_t *starts;		/* where a name is in names[], sorted by the bytes of the name */
	size_t nr;
	size_t starts_size;
	void *batch;		/* what one getdents call returns */
};

int dir_list_init(struct dir_list *list);
void dir_list_release(struct dir_list *list);

/*
 * Reads the directory @fd from its beginning; what was in @list is gone. "." and ".." are left
 * out, and a name that is listed twice (the directory was written to meanwhile) counts once.
 * Returns 0 or -errno without a message: -ENAMETOOLONG for a name of more than 255 bytes. After an
 * error the list has the names that were read before, sorted.
 */
int dir_list_read(struct dir_list *list, int fd);

/* Makes the list empty. */
static inline void dir_list_clear(struct dir_list *list)
{
	list->nr = 0;
	list->names_used = 0;
}

/* Adds a name; the list is in order again after dir_list_sort(), where a name that is twice in it becomes one. */
int dir_list_add(struct dir_list *list, const char *name);
void dir_list_sort(struct dir_list *list);

static inline size_t dir_list_name_len(const struct dir_list *list, size_t index)
{
	return list->names[list->starts[index]];
}

/* NUL-terminated; valid until the next read. */
static inline const char *dir_list_name(const struct dir_list *list, size_t index)
{
	return (const char *)list->names + list->starts[index] + 1;
}

#endif
