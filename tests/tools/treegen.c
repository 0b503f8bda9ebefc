// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * treegen KIND DIR [N]: parts of test trees of which a shell would need too long, the same bytes each time.
 *
 *   many N     N files of 0 .. 2 KiB, 250 in a directory
 *   wide N     N empty files in DIR itself
 *   names      names of every kind of byte and length
 *   links N    one file with N names of 250 bytes
 *   deep N     N directories of 200-byte names, one in the other, a file in the last
 *   stairs N   the same with names of one byte
 *   collide N  N names of 250 bytes whose directory hash is the same
 *   sizes      files around the sizes where the format changes
 *   noise N    one file DIR of N bytes that cannot be compressed
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static void die(const char *what)
{
	fprintf(stderr, "treegen: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void enter(const char *dir)
{
	if ((mkdir(dir, 0755) < 0 && errno != EEXIST) || chdir(dir) < 0)
		die(dir);
}

static uint64_t noise_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void make_file(const char *name, uint64_t size, uint64_t seed)
{
	uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 88172645463325252u;
	static uint64_t buf[8192];
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0644);

	if (fd < 0)
		die(name);
	while (size) {
		size_t n = size < sizeof(buf) ? size : sizeof(buf);

		for (size_t i = 0; i < (n + 7) / 8; i++)
			buf[i] = noise_next(&state);
		if (write(fd, buf, n) != (ssize_t)n)
			die(name);
		size -= n;
	}
	close(fd);
}

static void make_many(unsigned long nr)
{
	char name[64];

	for (unsigned long i = 0; i < nr; i++) {
		if (i % 250 == 0) {
			snprintf(name, sizeof(name), "dir%05lu", i / 250);
			mkdir(name, 0755);
		}
		snprintf(name, sizeof(name), "dir%05lu/file%07lu", i / 250, i);
		make_file(name, i * 7919 % 2049, i);
	}
}

static void make_wide(unsigned long nr)
{
	char name[64];

	for (unsigned long i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "entry-%lu", i);
		make_file(name, 0, 0);
	}
}

static void make_names(void)
{
	static const char *const odd[] = {
		" ", "-rf", "*", "back\\slash", "new\nline", "tab\there", "\x1b[31mred", "\x7f", "...", "..a",
		"\"quoted\"", "'", "$(id)", "a\rb", "caf\xc3\xa9", "cafe\xcc\x81", "Case", "case", "\xff\xfe",
	};
	char name[256];

	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++)
		make_file(odd[i], i, i + 1);
	memset(name, 0xff, 255);
	name[255] = 0;
	make_file(name, 5, 5);
	for (int c = 1; c < 256; c++) {
		if (c == '/' || c == '.')
			continue;
		snprintf(name, sizeof(name), "byte%cend", c);
		make_file(name, 0, 0);
	}
	for (int len = 1; len <= 255; len++) {
		memset(name, 'n', len);
		name[len] = 0;
		make_file(name, 0, 0);
	}
}

/* Ten digits over the bytes at @to. */
static void put_number(char *to, unsigned long number)
{
	for (int i = 9; i >= 0; i--, number /= 10)
		to[i] = '0' + number % 10;
}

static void make_links(unsigned long nr)
{
	char name[256];

	make_file("first", 10000, 1);
	memset(name, 'l', 250);
	name[250] = 0;
	for (unsigned long i = 1; i < nr; i++) {
		put_number(name + 240, i);
		if (link("first", name) < 0)
			die(name);
	}
}

static void make_deep(unsigned long nr, size_t name_len)
{
	char name[256] = { 0 };

	memset(name, 'd', name_len);
	for (unsigned long i = 0; i < nr; i++)
		enter(name);
	make_file("bottom", 100000, 7);
}

static uint32_t crc_table[256];

static void crc_init(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int k = 0; k < 8; k++)
			c = c & 1 ? c >> 1 ^ 0x82f63b78 : c >> 1;
		crc_table[i] = c;
	}
}

/* The state 4 bytes earlier, had those bytes been zero. */
static uint32_t crc_unwind(uint32_t state)
{
	for (int i = 0; i < 4; i++) {
		uint32_t index = 0;

		while (crc_table[index] >> 24 != state >> 24)
			index++;
		state = (state ^ crc_table[index]) << 8 | index;
	}
	return state;
}

/* Any 246 bytes can be continued by 4 that lead to a wanted state; those with '/' or NUL are passed over. */
static void make_collide(unsigned long nr)
{
	uint32_t wanted;
	char name[251];

	crc_init();
	wanted = crc_unwind(0x12345678);
	for (unsigned long i = 0, made = 0; made < nr; i++) {
		uint32_t state = 0xfffffffe;	/* where the hash of a name starts */

		memset(name, 'c', 246);
		put_number(name + 236, i);
		for (int k = 0; k < 246; k++)
			state = state >> 8 ^ crc_table[(state ^ (unsigned char)name[k]) & 0xff];
		state ^= wanted;
		for (int k = 0; k < 4; k++)
			name[246 + k] = state >> (8 * k) & 0xff;
		name[250] = 0;
		if (strlen(name) != 250 || strchr(name, '/'))
			continue;
		make_file(name, 3, i);
		made++;
	}
}

static void make_sizes(void)
{
	static const uint64_t edge[] = {
		1, 2, 100, 2048, 3904, 3970, 4000, 4096, 8192, 16384, 65536, 131072, 262144, 1048576, 2097152,
	};
	char name[64];

	make_file("size0", 0, 0);
	for (size_t i = 0; i < sizeof(edge) / sizeof(*edge); i++) {
		for (int d = -1; d <= 1; d++) {
			uint64_t size = edge[i] + d;

			snprintf(name, sizeof(name), "size%llu.%zu", (unsigned long long)size, i);
			make_file(name, size, size);
		}
	}
}

int main(int argc, char **argv)
{
	unsigned long nr = argc > 3 ? strtoul(argv[3], NULL, 0) : 0;
	const char *kind = argc > 2 ? argv[1] : "";

	if (!strcmp(kind, "noise")) {
		make_file(argv[2], nr, nr + 1);
		return 0;
	}
	if (argc < 3) {
		fputs("usage: treegen KIND DIR [N]\n", stderr);
		return 2;
	}
	enter(argv[2]);
	if (!strcmp(kind, "many"))
		make_many(nr);
	else if (!strcmp(kind, "wide"))
		make_wide(nr);
	else if (!strcmp(kind, "names"))
		make_names();
	else if (!strcmp(kind, "links"))
		make_links(nr);
	else if (!strcmp(kind, "deep"))
		make_deep(nr, 200);
	else if (!strcmp(kind, "stairs"))
		make_deep(nr, 1);
	else if (!strcmp(kind, "collide"))
		make_collide(nr);
	else if (!strcmp(kind, "sizes"))
		make_sizes();
	else
		return 2;
	return 0;
}
