// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A preloaded library that stands between a program and the files of its targets (and sources). It sees what
 * goes through libc, so the program must use synchronous I/O for it to see data.
 *
 *   IOFAULT_TARGET  part of the path of the files that are meant; others are left alone
 *   IOFAULT_LOG     file that gets a line for each write and each flush of a target:
 *                   "write PATH OFFSET LENGTH MAGIC" (MAGIC: offsets where it puts a valid magic, or -),
 *                   "sync PATH"
 *   IOFAULT_FAIL    write, short, flip or sync: what goes wrong (short: half of the bytes, once; flip: it works,
 *                   but for the last byte, which is another one on the target)
 *   IOFAULT_AT      at the how-manieth of them, from 1
 *   IOFAULT_ERRNO   default 5 (EIO)
 *   IOFAULT_SOURCE  part of the path of source files; IOFAULT_ACTION happens to them right after an open for
 *                   reading: cut (to 10 bytes), empty, grow (by 1 MiB), unlink
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long seen;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static bool path_has(int fd, const char *variable, char path[PATH_MAX])
{
	const char *part = getenv(variable);
	char link[64];
	ssize_t len;

	if (!part || !*part)
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, PATH_MAX - 1);
	if (len < 0)
		return false;
	path[len] = 0;
	return strstr(path, part) != NULL;
}

static void note(const char *line)
{
	const char *log = getenv("IOFAULT_LOG");
	FILE *f = log ? fopen(log, "ae") : NULL;

	if (f) {
		fputs(line, f);
		fclose(f);
	}
}

/* Whether this one is to fail; one count over all threads. */
static bool turn(const char *kind)
{
	const char *fail = getenv("IOFAULT_FAIL"), *at = getenv("IOFAULT_AT");

	if (!fail || !at || strcmp(fail, kind))
		return false;
	return ++seen == strtoul(at, NULL, 0);
}

static int fault_errno(void)
{
	const char *e = getenv("IOFAULT_ERRNO");

	return e ? atoi(e) : EIO;
}

/* Where the finished superblock's magic would be, if this write covers it. */
static void find_magic(const struct iovec *iov, int nr, off_t offset, char *found, size_t size)
{
	static const unsigned long long copies[] = { 65536, 67108864, 274877906944 };

	strcpy(found, "-");
	for (int i = 0; i < nr; offset += iov[i].iov_len, i++) {
		for (int c = 0; c < 3; c++) {
			unsigned long long at = copies[c] + 64, from = offset;

			if (at < from || at + 8 > from + iov[i].iov_len)
				continue;
			if (!memcmp((const char *)iov[i].iov_base + (at - from), "_BHRfS_M", 8))
				snprintf(found, size, "%llu", copies[c]);
		}
	}
}

enum how { FLIP = 2, HALF = 1, WHOLE = 0, FAILED = -1 };

/* What is to be done; FAILED with errno. */
static int before_write(int fd, const struct iovec *iov, int nr, off_t offset)
{
	char path[PATH_MAX], line[PATH_MAX + 100], magic[32];
	size_t len = 0;
	int result = WHOLE;

	if (!path_has(fd, "IOFAULT_TARGET", path))
		return WHOLE;
	for (int i = 0; i < nr; i++)
		len += iov[i].iov_len;
	find_magic(iov, nr, offset, magic, sizeof(magic));
	snprintf(line, sizeof(line), "write %s %lld %zu %s\n", path, (long long)offset, len, magic);
	pthread_mutex_lock(&lock);
	if (turn("write")) {
		errno = fault_errno();
		result = -1;
	} else {
		note(line);
		result = turn("short") && len > 1 ? HALF : turn("flip") ? FLIP : WHOLE;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

static int before_sync(int fd)
{
	char path[PATH_MAX], line[PATH_MAX + 100];
	int result = 0;

	if (!path_has(fd, "IOFAULT_TARGET", path))
		return 0;
	pthread_mutex_lock(&lock);
	if (turn("sync")) {
		errno = fault_errno();
		result = -1;
	} else {
		snprintf(line, sizeof(line), "sync %s\n", path);
		note(line);
	}
	pthread_mutex_unlock(&lock);
	return result;
}

/* After a write that went well, as a disk does that nobody should have bought: past the page cache's back. */
static ssize_t flip_last(int fd, ssize_t done, off64_t offset)
{
	char path[64], byte;
	int own;

	if (done <= 0)
		return done;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	own = open(path, O_RDWR | O_CLOEXEC);
	if (own < 0 || pread(own, &byte, 1, offset + done - 1) != 1)
		abort();
	byte ^= 1;
	if (REAL(pwrite64)(own, &byte, 1, offset + done - 1) != 1 || REAL(fdatasync)(own))
		abort();
	close(own);
	return done;
}

ssize_t pwrite64(int fd, const void *buf, size_t len, off64_t offset)
{
	struct iovec iov = { .iov_base = (void *)buf, .iov_len = len };
	int how = before_write(fd, &iov, 1, offset);

	if (how == FLIP)
		return flip_last(fd, REAL(pwrite64)(fd, buf, len, offset), offset);
	return how < 0 ? -1 : REAL(pwrite64)(fd, buf, how ? len / 2 : len, offset);
}

ssize_t pwrite(int fd, const void *buf, size_t len, off_t offset)
{
	return pwrite64(fd, buf, len, offset);
}

ssize_t write(int fd, const void *buf, size_t len)
{
	struct iovec iov = { .iov_base = (void *)buf, .iov_len = len };
	int how = before_write(fd, &iov, 1, lseek(fd, 0, SEEK_CUR));

	return how < 0 ? -1 : REAL(write)(fd, buf, how == HALF ? len / 2 : len);
}

/* Half of a vector: its first buffer, cut in two when it is the only one. */
static ssize_t write_half(int fd, const struct iovec *iov, int nr, off64_t offset)
{
	size_t len = nr > 1 ? iov->iov_len : iov->iov_len / 2;

	return REAL(pwrite64)(fd, iov->iov_base, len, offset);
}

ssize_t pwritev64(int fd, const struct iovec *iov, int nr, off64_t offset)
{
	int how = before_write(fd, iov, nr, offset);

	if (how == HALF)
		return write_half(fd, iov, nr, offset);
	if (how == FLIP)
		return flip_last(fd, REAL(pwritev64)(fd, iov, nr, offset), offset);
	return how < 0 ? -1 : REAL(pwritev64)(fd, iov, nr, offset);
}

ssize_t pwritev(int fd, const struct iovec *iov, int nr, off_t offset)
{
	return pwritev64(fd, iov, nr, offset);
}

ssize_t pwritev64v2(int fd, const struct iovec *iov, int nr, off64_t offset, int flags)
{
	int how = before_write(fd, iov, nr, offset);

	if (how == HALF)
		return write_half(fd, iov, nr, offset);
	if (how == FLIP)
		return flip_last(fd, REAL(pwritev64v2)(fd, iov, nr, offset, flags), offset);
	return how < 0 ? -1 : REAL(pwritev64v2)(fd, iov, nr, offset, flags);
}

int fsync(int fd)
{
	return before_sync(fd) < 0 ? -1 : REAL(fsync)(fd);
}

int fdatasync(int fd)
{
	return before_sync(fd) < 0 ? -1 : REAL(fdatasync)(fd);
}

static void act_on_source(int fd, int flags)
{
	const char *action = getenv("IOFAULT_ACTION");
	char path[PATH_MAX];
	struct stat st;
	int error = errno;

	if (fd < 0 || !action || (flags & O_ACCMODE) != O_RDONLY || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	if (path_has(fd, "IOFAULT_SOURCE", path)) {
		if (!strcmp(action, "cut"))
			error = truncate(path, 10) ? errno : error;
		else if (!strcmp(action, "empty"))
			error = truncate(path, 0) ? errno : error;
		else if (!strcmp(action, "grow"))
			error = truncate(path, st.st_size + 1048576) ? errno : error;
		else if (!strcmp(action, "unlink"))
			unlink(path);
	}
	errno = error;
}

#define OPEN_MODE(flags, last) ({ \
	mode_t mode_ = 0; \
	if ((flags) & (O_CREAT | __O_TMPFILE)) { \
		va_list list_; \
		va_start(list_, last); \
		mode_ = va_arg(list_, mode_t); \
		va_end(list_); \
	} \
	mode_; })

int openat64(int dir, const char *path, int flags, ...)
{
	mode_t mode = OPEN_MODE(flags, flags);
	int fd = REAL(openat64)(dir, path, flags, mode);

	act_on_source(fd, flags);
	return fd;
}

int openat(int dir, const char *path, int flags, ...)
{
	return openat64(dir, path, flags, OPEN_MODE(flags, flags));
}

int open64(const char *path, int flags, ...)
{
	return openat64(AT_FDCWD, path, flags, OPEN_MODE(flags, flags));
}

int open(const char *path, int flags, ...)
{
	return openat64(AT_FDCWD, path, flags, OPEN_MODE(flags, flags));
}
