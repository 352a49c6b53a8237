// SPDX-License-Identifier: LGPL-2.1-only
/*
 * calls SECONDS RATE CPU: RATE system calls a second on that CPU, in pieces of a millisecond.
 * Prints how many there were, and the CPU time in ms.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	const double start = now(CLOCK_MONOTONIC);
	double s = 0, seconds, rate, done = 0;
	cpu_set_t cpu;

	if (argc != 4)
		return 2;
	seconds = atof(argv[1]);
	rate = atof(argv[2]);
	CPU_ZERO(&cpu);
	CPU_SET(atoi(argv[3]), &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu))
		return 1;
	while (s < seconds) {
		s = now(CLOCK_MONOTONIC) - start;
		for (; done < s * rate; done++)
			syscall(SYS_getppid);
		nanosleep(&pause, NULL);
	}
	printf("%.0f %.0f\n", done, now(CLOCK_PROCESS_CPUTIME_ID) * 1e3);
	return 0;
}
