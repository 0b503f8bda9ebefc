/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON forms of what `inspect` prints. Numbers are JSON integers of 64 bits; one that does
 * not fit a signed integer becomes a decimal string.
 */
#ifndef BO_CMDS_INSPECT_JSON_H
#define BO_CMDS_INSPECT_JSON_H

#include <jansson.h>

#include "kernel-shared/volumes.h"
#include "reader/super.h"

/* New references; NULL when memory is short (jansson's setters take that and drop the key). */
json_t *json_u64(u64 value);
json_t *json_hex(const u8 *bytes, size_t len);
/* Bytes as text, escaped where they are no plain UTF-8. */
json_t *json_bytes(const void *bytes, size_t len);
json_t *super_copy_to_json(const struct io_device *device, const struct btrfs_super_copies *copies,
			   int index);
json_t *chunk_to_json(const struct btrfs_chunk_map *map);

/* To standard output, with a final newline. */
void inspect_print_json(const json_t *value);

#endif
