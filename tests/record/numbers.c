// SPDX-License-Identifier: LGPL-2.1-only
/*
 * numbers N PAUSE_US [FD]: N system calls lseek(FD, number, 0), whose argument is the number of the
 * call, from 1 on; FD is -1 if it is not given. One CPU makes all of them, and pauses after each
 * thousand.
 */
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[1]) : 0;
	const int fd = argc > 3 ? atoi(argv[3]) : -1;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		return 1;
	for (long i = 1; i <= n; i++) {
		lseek(fd, i, SEEK_SET);
		if (i % 1000 == 0)
			usleep((useconds_t)atol(argv[2]));
	}
	return 0;
}
