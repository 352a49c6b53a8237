// SPDX-License-Identifier: LGPL-2.1-only
/*
 * week SECONDS CALLS_PER_FORK: the load of days in minutes. A process forks as fast as it can;
 * each child has a name of its own, makes so many system calls, and ends. Prints how many.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void child(unsigned long n, long calls)
{
	char name[16];

	snprintf(name, sizeof(name), "task%lu", n);
	prctl(PR_SET_NAME, name);
	for (long i = 0; i < calls; i++)
		syscall(SYS_getppid);
	_exit(0);
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc == 3 ? atoi(argv[1]) : 0);
	unsigned long n = 0;

	if (argc != 3)
		return 2;
	for (; time(NULL) < end; n++) {
		pid_t pid = fork();

		if (!pid)
			child(n, atol(argv[2]));
		if (pid < 0)
			return 1;
		waitpid(pid, NULL, 0);
	}
	printf("%lu tasks\n", n);
	return 0;
}
