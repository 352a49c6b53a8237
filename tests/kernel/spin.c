// SPDX-License-Identifier: LGPL-2.1-only
/*
 * spin NAME MS CGROUP [HOW A B]: takes a name, goes to a cgroup, and is busy for this time.
 *
 * HOW is "sleeps" (busy for A us, asleep for B us, again and again), "deadline" (with a budget of A us
 * in each period of B us) or "fifo" (of priority A). Of the last two it prints for how many us it was
 * there and how many of them it ran.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

/* As struct sched_attr of the kernel. */
struct attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static int choose_class(const char *how, double a, double b)
{
	struct attr attr = { .size = sizeof(attr) };

	if (!strcmp(how, "fifo")) {
		attr.policy = SCHED_FIFO;
		attr.priority = (uint32_t)a;
	} else {
		attr.policy = 6; /* SCHED_DEADLINE */
		attr.runtime = (uint64_t)(a * 1000);
		attr.deadline = attr.period = (uint64_t)(b * 1000);
	}
	return (int)syscall(SYS_sched_setattr, 0, &attr, 0);
}

int main(int argc, char **argv)
{
	const char *how = argc == 7 ? argv[4] : "";
	const double a = *how ? atof(argv[5]) : 0, b = *how ? atof(argv[6]) : 0;
	const int sleeps = !strcmp(how, "sleeps"), has_class = *how && !sleeps;
	double begin, end, ran, sleep_at;
	char path[256];
	FILE *f;

	if (argc != 4 && argc != 7)
		return 2;
	/* before: the cgroup may hold it back from then on */
	prctl(PR_SET_NAME, argv[1]);
	snprintf(path, sizeof(path), "%s/cgroup.procs", argv[3]);
	f = fopen(path, "w");
	if (!f || fprintf(f, "%d\n", getpid()) < 0 || fclose(f))
		return 1;
	if (has_class && choose_class(how, a, b))
		return 3;
	begin = now(CLOCK_MONOTONIC);
	ran = now(CLOCK_PROCESS_CPUTIME_ID);
	end = begin + atof(argv[2]) * 1e3;
	sleep_at = ran + a;
	while (now(CLOCK_MONOTONIC) < end)
		if (sleeps && now(CLOCK_PROCESS_CPUTIME_ID) >= sleep_at) {
			usleep((unsigned int)b);
			sleep_at = now(CLOCK_PROCESS_CPUTIME_ID) + a;
		}
	if (has_class)
		printf("%s %.0f %.0f\n", argv[1], now(CLOCK_MONOTONIC) - begin,
		       now(CLOCK_PROCESS_CPUTIME_ID) - ran);
	return 0;
}
