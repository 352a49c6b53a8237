// SPDX-License-Identifier: LGPL-2.1-only
/*
 * late N SEED MIN_MS MAX_MS [NAME]: makes N late wakeups at random moments, 5 to 20 ms late, with
 * MIN_MS to MAX_MS between them. Each line of the output is the time at which the task NAME
 * (victim) was woken, and at which the task that kept its CPU busy stopped, in ns of
 * CLOCK_MONOTONIC.
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void victim(int fd, const char *name)
{
	uint64_t n;

	prctl(PR_SET_NAME, name);
	while (read(fd, &n, sizeof(n)) == sizeof(n) && n < 1000)
		;
	_exit(0);
}

/* Wait until it sleeps again: on a busy machine it may not have run yet. */
static void await_sleep(pid_t pid)
{
	const struct timespec while_it_runs = { .tv_nsec = 1000000 };
	char path[40], state = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	while (state != 'S') {
		FILE *f = fopen(path, "r");

		if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1) {
			perror(path);
			exit(1);
		}
		fclose(f);
		if (state != 'S')
			nanosleep(&while_it_runs, NULL);
	}
}

int main(int argc, char **argv)
{
	const struct sched_param high = { .sched_priority = 50 };
	const struct timespec settle = { .tv_nsec = 100000000 };
	const uint64_t one = 1, end = 1000;
	int fd = eventfd(0, 0);
	cpu_set_t cpu;
	pid_t pid;

	if (argc < 5 || fd < 0)
		return 2;
	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu))
		return 77;
	pid = fork();
	if (!pid)
		victim(fd, argc > 5 ? argv[5] : "victim");
	if (pid < 0 || sched_setscheduler(0, SCHED_FIFO, &high))
		return 77;
	srand((unsigned int)atoi(argv[2]));
	nanosleep(&settle, NULL);
	for (int i = 0; i < atoi(argv[1]); i++) {
		long ms = atoi(argv[3]) + rand() % (atoi(argv[4]) - atoi(argv[3]) + 1);
		struct timespec wait = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
		uint64_t late = 5000000 + (uint64_t)rand() % 15000000, from;

		nanosleep(&wait, NULL);
		await_sleep(pid);
		from = now();
		if (write(fd, &one, sizeof(one)) < 0)
			return 1;
		while (now() - from < late)
			;
		printf("%llu %llu\n", (unsigned long long)from, (unsigned long long)now());
	}
	nanosleep(&settle, NULL);
	if (write(fd, &end, sizeof(end)) < 0)
		return 1;
	waitpid(pid, NULL, 0);
	return 0;
}
