/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Items of every known kind in words, for `inspect tree`.
 */
#ifndef BO_CMDS_PRINT_ITEM_H
#define BO_CMDS_PRINT_ITEM_H

#include "kernel-shared/tree-checker.h"

/* One item; every printer looks at no byte beyond ->size, whatever the bytes say. */
struct item_view {
	const struct btrfs_check_context *check;
	struct btrfs_key key;
	const u8 *data;
	u32 size;
};

struct item_printer {
	u8 type;
	u32 min_size;	/* shorter items are not printed */
	void (*print)(const struct item_view *item);
};

/* Tables that end with a NULL print; one per file. */
extern const struct item_printer inode_item_printers[];
extern const struct item_printer extent_item_printers[];
extern const struct item_printer device_item_printers[];
extern const struct item_printer root_item_printers[];
extern const struct item_printer other_item_printers[];

/* The payload of one item, indented by two tabs; a line of its own for unknown types and short items. */
void print_item(const struct item_view *item);

#endif
