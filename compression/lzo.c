// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * LZO1X sector by sector: the framing is in compression.h.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <lzo/lzo1x.h>

#include "compression/compression-internal.h"

#define LENGTH_SIZE	((u32)sizeof(u32))

static u32 worst_case(u32 sectorsize)
{
	return sectorsize + sectorsize / 16 + 64 + 3;
}

static int prepare(struct lzo_work *work, u32 sectorsize)
{
	if (!work->memory)
		work->memory = malloc(LZO1X_1_MEM_COMPRESS);
	if (work->sectorsize != sectorsize) {
		free(work->sector);
		work->sector = malloc(worst_case(sectorsize));
		work->sectorsize = work->sector ? sectorsize : 0;
	}
	return work->memory && work->sector ? 0 : -ENOMEM;
}

static void put_length(u8 *at, u32 length)
{
	const u32 disk = htole32(length);

	memcpy(at, &disk, sizeof(disk));
}

ssize_t lzo_run(struct lzo_work *work, u32 sectorsize, const void *data, u32 len, u8 *out, u32 max)
{
	u32 used = LENGTH_SIZE, done = 0;
	int ret = prepare(work, sectorsize);

	if (ret)
		return ret;
	while (done < len) {
		const u32 piece = MIN(len - done, sectorsize), room = sectorsize - used % sectorsize;
		lzo_uint got = 0;

		if (lzo1x_1_compress((const u8 *)data + done, piece, work->sector, &got, work->memory) != LZO_E_OK)
			return 0;
		if (used + LENGTH_SIZE + got + LENGTH_SIZE > max)
			return 0;
		if (room < LENGTH_SIZE) {
			memset(out + used, 0, room);
			used += room;
		}
		put_length(out + used, (u32)got);
		memcpy(out + used + LENGTH_SIZE, work->sector, got);
		used += LENGTH_SIZE + (u32)got;
		done += piece;
	}
	put_length(out, used);
	return used;
}

void lzo_release(struct lzo_work *work)
{
	free(work->memory);
	free(work->sector);
}
