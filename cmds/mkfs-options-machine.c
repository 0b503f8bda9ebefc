// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options of mkfs that never change the result: threads, modes, memory, I/O.
 */
#include <errno.h>
#include <string.h>

#include "cmds/mkfs-option-groups.h"
#include "cmds/option-values.h"

static int take_threads(const char *value, int *threads)
{
	u64 number;

	if (!strcmp(value, "auto")) {
		*threads = MKFS_THREADS_AUTO;
		return 0;
	}
	if (option_number("csum-threads", value, 256, &number))
		return -EINVAL;
	*threads = (int)number;
	return 0;
}

int mkfs_machine_option(struct mkfs_command *command, int opt, const char *value)
{
	static const struct option_choice modes[] = {
		{ "auto", MKFS_CSUM_AUTO },
		{ "inline", MKFS_CSUM_INLINE },
		{ "offload", MKFS_CSUM_OFFLOAD },
		{ "overlap", MKFS_CSUM_OVERLAP },
		{ NULL, 0 },
	};
	static const struct option_choice engines[] = {
		{ "auto", IO_RING_AUTO },
		{ "io_uring", IO_RING_URING },
		{ "sync", IO_RING_SYNC },
		{ NULL, 0 },
	};
	struct mkfs_options *options = &command->options;
	u64 number = 0;
	int word = 0, ret;

	switch (opt) {
	case OPT_CSUM_THREADS:
		return take_threads(value, &options->csum_threads);
	case OPT_CSUM_MODE:
		ret = option_word("csum-mode", value, modes, &word);
		options->csum_mode = (enum mkfs_csum_mode)word;
		return ret;
	case OPT_CSUM_INLINE_MAX:
		return option_size32("csum-inline-max", value, &options->csum_inline_max);
	case OPT_IO:
		return option_io(value, &options->direct);
	case OPT_IO_ENGINE:
		ret = option_word("io-engine", value, engines, &word);
		options->ring = (enum io_ring_kind)word;
		return ret;
	case OPT_QUEUE_DEPTH:
		ret = option_number("queue-depth", value, 4096, &number);
		options->queue_depth = (unsigned)number;
		return ret;
	case OPT_BUFFER_MEMORY:
		return option_size("buffer-memory", value, &options->buffer_memory);
	case OPT_METADATA_MEMORY:
		return option_size("metadata-memory", value, &options->metadata_memory);
	case OPT_DEVICE_RATE:
		return option_size("device-rate", value, &options->device_rate);
	default:
		return MKFS_OPTION_OTHER;
	}
}
