// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zstd frames that fit the kernel's window.
 */
#include <errno.h>

#include <zstd.h>
#include <zstd_errors.h>

#include "compression/compression-internal.h"

/* The kernel allocates memory for windows of 128 KiB and refuses frames that ask for more. */
#define WINDOW_LOG	17

ssize_t zstd_run(struct zstd_work *work, int level, const void *data, u32 len, u8 *out, u32 max)
{
	size_t got;

	if (!work->context)
		work->context = ZSTD_createCCtx();
	if (!work->context)
		return -ENOMEM;
	ZSTD_CCtx_setParameter(work->context, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(work->context, ZSTD_c_windowLog, WINDOW_LOG);
	got = ZSTD_compress2(work->context, out, max, data, len);
	if (!ZSTD_isError(got))
		return (ssize_t)got;
	return ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation ? -ENOMEM : 0;
}

void zstd_release(struct zstd_work *work)
{
	ZSTD_freeCCtx(work->context);
}
