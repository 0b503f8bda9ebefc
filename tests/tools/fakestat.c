// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A library to preload that tells of every file that it was written a day (FAKESTAT_SHIFT seconds) earlier, as some
 * versions of libfaketime do; and, as they do, knows nothing of statx().
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>

static int shift(int ret, struct stat *st)
{
	const char *text = getenv("FAKESTAT_SHIFT");
	long seconds = text ? atol(text) : 86400;

	if (ret == 0) {
		st->st_atim.tv_sec -= seconds;
		st->st_mtim.tv_sec -= seconds;
		st->st_ctim.tv_sec -= seconds;
	}
	return ret;
}

int fstatat64(int at_fd, const char *path, struct stat64 *st, int flags)
{
	int (*next)(int, const char *, struct stat64 *, int) = dlsym(RTLD_NEXT, "fstatat64");

	return shift(next(at_fd, path, st, flags), (struct stat *)st);
}

int fstat64(int fd, struct stat64 *st)
{
	int (*next)(int, struct stat64 *) = dlsym(RTLD_NEXT, "fstat64");

	return shift(next(fd, st), (struct stat *)st);
}

int stat64(const char *path, struct stat64 *st)
{
	int (*next)(const char *, struct stat64 *) = dlsym(RTLD_NEXT, "stat64");

	return shift(next(path, st), (struct stat *)st);
}

int lstat64(const char *path, struct stat64 *st)
{
	int (*next)(const char *, struct stat64 *) = dlsym(RTLD_NEXT, "lstat64");

	return shift(next(path, st), (struct stat *)st);
}
