// SPDX-License-Identifier: GPL-2.0-or-later
/* maxrss FILE COMMAND...: runs the command and writes the most memory it held, in KiB, to FILE. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rusage usage;
	int status;
	pid_t pid;
	FILE *f;

	if (argc < 3)
		return 125;
	pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
		return 125;
	f = fopen(argv[1], "w");
	if (!f || fprintf(f, "%ld\n", usage.ru_maxrss) < 0 || fclose(f))
		return 125;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
