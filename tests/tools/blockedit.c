// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * blockedit FILE OFFSET SIZE [AT BYTE]...: sets bytes of the SIZE-byte block at OFFSET (a tree block, or a
 * superblock with SIZE 4096) and signs the block again with crc32c, so that what looks behind the checksum
 * is reached. AT counts from the block's start; BYTE of the form ^N flips bits instead.
 *
 * flip form: blockedit FILE OFFSET: inverts one byte and signs nothing.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static uint32_t crc32c(const unsigned char *p, size_t len)
{
	uint32_t crc = ~0u;

	while (len--) {
		crc ^= *p++;
		for (int i = 0; i < 8; i++)
			crc = crc & 1 ? crc >> 1 ^ 0x82f63b78 : crc >> 1;
	}
	return ~crc;
}

static int flip(int fd, off_t offset)
{
	unsigned char byte;

	if (pread(fd, &byte, 1, offset) != 1)
		return 1;
	byte = ~byte;
	return pwrite(fd, &byte, 1, offset) != 1;
}

int main(int argc, char **argv)
{
	int fd = argc >= 3 ? open(argv[1], O_RDWR) : -1;
	off_t offset = argc >= 3 ? strtoll(argv[2], NULL, 0) : 0;
	static unsigned char block[65536];
	size_t size, at;
	uint32_t crc;

	if (fd < 0) {
		fprintf(stderr, "blockedit: cannot open %s\n", argc > 1 ? argv[1] : "nothing");
		return 2;
	}
	if (argc == 3)
		return flip(fd, offset);
	size = strtoul(argv[3], NULL, 0);
	if (size < 64 || size > sizeof(block) || pread(fd, block, size, offset) != (ssize_t)size)
		return 2;
	for (int i = 4; i + 1 < argc; i += 2) {
		at = strtoul(argv[i], NULL, 0);
		if (at >= size)
			return 2;
		if (argv[i + 1][0] == '^')
			block[at] ^= strtoul(argv[i + 1] + 1, NULL, 0);
		else
			block[at] = strtoul(argv[i + 1], NULL, 0);
	}
	crc = crc32c(block + 32, size - 32);
	for (int i = 0; i < 4; i++)
		block[i] = crc >> (8 * i) & 0xff;
	return pwrite(fd, block, size, offset) != (ssize_t)size || close(fd);
}
