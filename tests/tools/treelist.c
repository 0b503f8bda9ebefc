// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * treelist [-f FIELDS] [-L] [-u PATH]... DIR: one line for each name of a tree, in the order of the names' bytes. Two
 * trees are alike in the chosen fields when the outputs are the same bytes; it is the judge of what the
 * writer stored, so it shares no code with the program.
 *
 *   m mode   o owner   t mtime in nanoseconds   b birth time   s size (not of directories)
 *   l which names are one inode, and how many   x extended attributes
 *   d content, symlink target, device number   h map of holes
 *
 * -u: the directory PATH (a/b) is a subvolume in the other tree: names in it and outside are never one inode.
 * -L also demands that the link count of an inode is the number of its names in the tree.
 * Walks by descriptors, so no path is too long for it. Exit 1 when anything could not be read.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#define BLOCK 4096

struct inode {
	dev_t dev;
	ino_t ino;
	unsigned subvolume;
	unsigned names;
	unsigned number;	/* in the order of first names: 0 when it has not been printed */
};

struct walk {
	const char *fields;
	bool check_nlink;
	bool counting;		/* first pass: only count names */
	bool failed;
	char **subvolumes;	/* of -u */
	size_t nr_subvolumes;
	unsigned subvolume;	/* that the walk is in; 0: in none */
	void *inodes;
	unsigned next_number;
	char *path;
	size_t path_len;
	size_t path_size;
};

static void *need(void *p)
{
	if (!p) {
		fputs("treelist: no memory\n", stderr);
		exit(1);
	}
	return p;
}

static void put_escaped(FILE *to, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = s[i];

		if (c > 0x20 && c < 0x7f && c != '%')
			putc(c, to);
		else
			fprintf(to, "%%%02x", c);
	}
}

static void complain(struct walk *w, const char *what)
{
	int error = errno;

	fprintf(stderr, "treelist: %s ", what);
	put_escaped(stderr, w->path, w->path_len);
	fprintf(stderr, ": %s\n", strerror(error));
	w->failed = true;
}

static bool wants(const struct walk *w, char field)
{
	return strchr(w->fields, field) != NULL;
}

static int compare_inodes(const void *a, const void *b)
{
	const struct inode *x = a, *y = b;

	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return x->subvolume < y->subvolume ? -1 : x->subvolume > y->subvolume;
}

static struct inode *inode_of(struct walk *w, const struct stat *st)
{
	struct inode key = { .dev = st->st_dev, .ino = st->st_ino, .subvolume = w->subvolume };
	struct inode **found = need(tsearch(&key, &w->inodes, compare_inodes));

	if (*found == &key) {
		*found = need(malloc(sizeof(key)));
		**found = key;
	}
	return *found;
}

static void put_links(struct walk *w, const struct stat *st)
{
	struct inode *inode = inode_of(w, st);

	if (!inode->number)
		inode->number = ++w->next_number;
	printf(" inode=%u/%u", inode->number, inode->names);
	if (w->check_nlink && st->st_nlink != inode->names) {
		errno = 0;
		complain(w, "link count is not the number of names:");
	}
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void put_xattrs(struct walk *w, const char *name)
{
	static char list[1 << 16], value[1 << 16];
	char *names[8192];
	size_t nr = 0;
	ssize_t len = llistxattr(name, list, sizeof(list));

	if (len < 0) {
		if (errno != ENOTSUP)
			complain(w, "listxattr");
		return;
	}
	for (char *p = list; p < list + len && nr < 8192; p += strlen(p) + 1)
		names[nr++] = p;
	qsort(names, nr, sizeof(*names), compare_names);
	for (size_t i = 0; i < nr; i++) {
		len = lgetxattr(name, names[i], value, sizeof(value));
		if (len < 0) {
			complain(w, names[i]);
			continue;
		}
		printf(" x:");
		put_escaped(stdout, names[i], strlen(names[i]));
		putchar('=');
		put_escaped(stdout, value, len);
	}
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
	return hash ^ (hash >> 29);
}

/* Blocks of zeros do not count, so a hole and written zeros are the same content. */
static void hash_blocks(uint64_t sum[2], const char *buf, size_t len, uint64_t offset)
{
	static const char zeros[BLOCK];

	for (size_t at = 0; at < len; at += BLOCK) {
		size_t n = len - at < BLOCK ? len - at : BLOCK;
		char block[BLOCK] = { 0 };
		uint64_t word;

		if (!memcmp(buf + at, zeros, n))
			continue;
		memcpy(block, buf + at, n);
		sum[0] = mix(sum[0], offset + at);
		sum[1] = mix(sum[1], ~(offset + at));
		for (size_t i = 0; i < BLOCK; i += 8) {
			memcpy(&word, block + i, 8);
			sum[0] = mix(sum[0], word);
			sum[1] = mix(sum[1], (word << 31 | word >> 33) + i);
		}
	}
}

static int hash_range(uint64_t sum[2], int fd, off_t start, off_t end)
{
	static char buf[256 * BLOCK];

	start -= start % BLOCK;
	while (start < end) {
		size_t want = (size_t)(end - start) < sizeof(buf) ? (size_t)(end - start) : sizeof(buf);
		size_t have = 0;

		while (have < want) {
			ssize_t n = pread(fd, buf + have, want - have, start + (off_t)have);

			if (n < 0)
				return -1;
			if (n == 0)
				break;
			have += n;
		}
		hash_blocks(sum, buf, have, start);
		if (have < want)
			break;
		start += have;
	}
	return 0;
}

static void put_content(struct walk *w, int dir, const char *name, const struct stat *st)
{
	uint64_t sum[2] = { 1, 2 };
	off_t data = 0, hole;
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOATIME);

	if (fd < 0) {
		complain(w, "open");
		return;
	}
	if (wants(w, 'h'))
		printf(" data-at=");
	while (data < st->st_size) {
		data = lseek(fd, data, SEEK_DATA);
		if (data < 0)
			break;
		hole = lseek(fd, data, SEEK_HOLE);
		if (hole < 0)
			hole = st->st_size;
		if (wants(w, 'h'))
			printf("%lld-%lld,", (long long)data, (long long)hole);
		if (wants(w, 'd') && hash_range(sum, fd, data, hole) < 0) {
			complain(w, "read");
			break;
		}
		data = hole;
	}
	if (wants(w, 'd'))
		printf(" sum=%016llx%016llx", (unsigned long long)sum[0], (unsigned long long)sum[1]);
	close(fd);
}

static void put_birth(struct walk *w, int dir, const char *name)
{
	struct statx stx;

	if (statx(dir, name, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &stx) < 0)
		complain(w, "statx");
	else
		printf(" birth=%lld.%09u", (long long)stx.stx_btime.tv_sec, stx.stx_btime.tv_nsec);
}

static void put_target(struct walk *w, int dir, const char *name)
{
	static char target[1 << 16];
	ssize_t len = readlinkat(dir, name, target, sizeof(target));

	if (len < 0) {
		complain(w, "readlink");
		return;
	}
	printf(" target=");
	put_escaped(stdout, target, len);
}

static void put_entry(struct walk *w, int dir, const char *name, const struct stat *st)
{
	put_escaped(stdout, w->path, w->path_len);
	printf(" type=%o", st->st_mode & S_IFMT);
	if (wants(w, 'm'))
		printf(" mode=%o", st->st_mode & 07777);
	if (wants(w, 'o'))
		printf(" owner=%u:%u", st->st_uid, st->st_gid);
	if (wants(w, 't'))
		printf(" mtime=%lld.%09ld", (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
	if (wants(w, 'b'))
		put_birth(w, dir, name);
	if (wants(w, 's') && !S_ISDIR(st->st_mode))
		printf(" size=%lld", (long long)st->st_size);
	if (wants(w, 'l') && !S_ISDIR(st->st_mode))
		put_links(w, st);
	if (wants(w, 'd') && S_ISLNK(st->st_mode))
		put_target(w, dir, name);
	if (wants(w, 'd') && (S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode)))
		printf(" device=%u:%u", major(st->st_rdev), minor(st->st_rdev));
	if (S_ISREG(st->st_mode) && (wants(w, 'd') || wants(w, 'h')))
		put_content(w, dir, name, st);
	if (wants(w, 'x') && (fchdir(dir) < 0))
		complain(w, "fchdir");
	else if (wants(w, 'x'))
		put_xattrs(w, name);
	putchar('\n');
}

static size_t push(struct walk *w, const char *name)
{
	size_t before = w->path_len, len = strlen(name);

	if (before + len + 2 > w->path_size) {
		w->path_size = 2 * (before + len + 2);
		w->path = need(realloc(w->path, w->path_size));
	}
	w->path[w->path_len++] = '/';
	memcpy(w->path + w->path_len, name, len);
	w->path_len += len;
	return before;
}

static char **read_names(struct walk *w, int fd, size_t *nr)
{
	DIR *dir = fdopendir(dup(fd));
	struct dirent *entry;
	char **names = NULL;
	size_t room = 0;

	*nr = 0;
	if (!dir) {
		complain(w, "opendir");
		return NULL;
	}
	rewinddir(dir);
	for (errno = 0; (entry = readdir(dir)); errno = 0) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (*nr == room) {
			room = room ? 2 * room : 64;
			names = need(realloc(names, room * sizeof(*names)));
		}
		names[(*nr)++] = need(strdup(entry->d_name));
	}
	if (errno)
		complain(w, "readdir");
	closedir(dir);
	if (*nr)
		qsort(names, *nr, sizeof(*names), compare_names);
	return names;
}

static void walk_directory(struct walk *w, int fd);

/* The directory at the end of w->path. */
static void walk_child(struct walk *w, int fd, const char *name)
{
	unsigned outer = w->subvolume;
	int child = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);

	if (child < 0) {
		complain(w, "open");
		return;
	}
	for (size_t i = 0; i < w->nr_subvolumes; i++) {
		if (strlen(w->subvolumes[i]) + 1 == w->path_len &&
		    !memcmp(w->subvolumes[i], w->path + 1, w->path_len - 1))
			w->subvolume = i + 1;
	}
	walk_directory(w, child);
	close(child);
	w->subvolume = outer;
}

static void walk_directory(struct walk *w, int fd)
{
	size_t nr;
	char **names = read_names(w, fd, &nr);

	for (size_t i = 0; i < nr; i++) {
		size_t before = push(w, names[i]);
		struct stat st;

		if (fstatat(fd, names[i], &st, AT_SYMLINK_NOFOLLOW) < 0) {
			complain(w, "stat");
		} else {
			if (w->counting && !S_ISDIR(st.st_mode))
				inode_of(w, &st)->names++;
			else if (!w->counting)
				put_entry(w, fd, names[i], &st);
			if (S_ISDIR(st.st_mode))
				walk_child(w, fd, names[i]);
		}
		w->path_len = before;
		free(names[i]);
	}
	free(names);
}

int main(int argc, char **argv)
{
	struct walk w = { .fields = "motslxd", .path = need(calloc(1, 1)), .path_size = 1 };
	struct rlimit limit;
	struct stat st;
	int opt, fd;

	w.subvolumes = need(calloc(argc, sizeof(char *)));
	while ((opt = getopt(argc, argv, "f:Lu:")) != -1) {
		if (opt == 'f')
			w.fields = optarg;
		else if (opt == 'u')
			w.subvolumes[w.nr_subvolumes++] = optarg;
		else if (opt == 'L')
			w.check_nlink = true;
		else
			return 2;
	}
	if (optind + 1 != argc)
		return 2;
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	fd = open(argv[optind], O_RDONLY | O_DIRECTORY);
	if (fd < 0 || fstat(fd, &st) < 0) {
		perror(argv[optind]);
		return 1;
	}
	w.counting = true;
	walk_directory(&w, fd);
	w.counting = false;
	put_entry(&w, fd, ".", &st);
	walk_directory(&w, fd);
	return w.failed || fflush(stdout) || ferror(stdout);
}
