/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands of the program. Each takes its own argument vector (argv[0] is the command's
 * name) and returns the exit status.
 */
#ifndef BO_CMDS_COMMANDS_H
#define BO_CMDS_COMMANDS_H

int cmd_mkfs(int argc, char **argv);
int cmd_scrub(int argc, char **argv);
int cmd_inspect(int argc, char **argv);

#endif
