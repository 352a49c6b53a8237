// SPDX-License-Identifier: LGPL-2.1-only
/*
 * schedstat TASKS CPUS MS: processes that share the first CPUs: run, sleep, yield, and wake each
 * other, for about MS milliseconds. Prints what the kernel counted for them while all of them slept
 * before and after that: "PID RUN WAIT" in ns, and first the times of these moments, "FROM TO", in
 * seconds of CLOCK_MONOTONIC.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TASKS_MAX = 200 };

struct counts {
	unsigned long long run, wait;
};

static struct timespec now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t;
}

static long long ns_since(const struct timespec *from)
{
	const struct timespec t = now();

	return (t.tv_sec - from->tv_sec) * 1000000000LL + t.tv_nsec - from->tv_nsec;
}

static void nap(long us)
{
	nanosleep(&(struct timespec){ .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 },
		  NULL);
}

static void die(const char *what)
{
	perror(what);
	kill(0, SIGTERM);
	exit(1);
}

static void get_byte(int fd)
{
	char c;

	if (read(fd, &c, 1) < 0)
		die("read");
}

static void work(unsigned int seed, long long ns, const int *token)
{
	const struct timespec from = now();

	while (ns_since(&from) < ns) {
		const unsigned int what = (unsigned int)rand_r(&seed), n = what >> 8;
		const struct timespec start = now();

		while (ns_since(&start) < (n % 4000) * 1000)
			;
		switch (what % 8) {
		case 0:
		case 1:
			nap(n % 6000);
			break;
		case 2:
			sched_yield();
			break;
		case 3: /* a task that waits for the token is woken */
			get_byte(token[0]);
			if (write(token[1], "", 1) != 1)
				die("write");
			break;
		}
	}
}

/* Until a process sleeps, as all of its work is done. */
static void await_sleep(pid_t pid)
{
	char path[64], state = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	for (;;) {
		FILE *f = fopen(path, "r");

		if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			die(path);
		fclose(f);
		if (state == 'S')
			return;
		nap(1000);
	}
}

static struct counts counts_of(pid_t pid)
{
	struct counts c;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%llu %llu", &c.run, &c.wait) != 2)
		die(path);
	fclose(f);
	return c;
}

int main(int argc, char **argv)
{
	const int n = argc > 3 ? atoi(argv[1]) : 0, cpus = argc > 3 ? atoi(argv[2]) : 0;
	int go[2], done[2], end[2], token[2];
	struct counts before[TASKS_MAX];
	struct timespec from, to;
	pid_t pids[TASKS_MAX];
	cpu_set_t set;

	if (n < 1 || n > TASKS_MAX || pipe(go) || pipe(done) || pipe(end) || pipe(token) ||
	    write(token[1], "", 1) != 1)
		die("usage: schedstat TASKS CPUS MS");
	CPU_ZERO(&set);
	for (int i = 0; i < cpus; i++)
		CPU_SET(i, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
	for (int i = 0; i < n; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			die("fork");
		if (pids[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (nice(i % 4))
			;
		close(go[1]);
		close(end[1]);
		get_byte(go[0]);
		work((unsigned int)i + 1, atoll(argv[3]) * 1000000, token);
		if (write(done[1], "", 1) != 1)
			die("write");
		get_byte(end[0]);
		_exit(0);
	}
	for (int i = 0; i < n; i++)
		await_sleep(pids[i]);
	nap(200000);
	for (int i = 0; i < n; i++)
		before[i] = counts_of(pids[i]);
	from = now();
	close(go[1]);
	for (int i = 0; i < n; i++)
		get_byte(done[0]);
	for (int i = 0; i < n; i++)
		await_sleep(pids[i]);
	nap(200000);
	to = now();
	printf("%lld.%09ld %lld.%09ld\n", (long long)from.tv_sec, from.tv_nsec,
	       (long long)to.tv_sec, to.tv_nsec);
	for (int i = 0; i < n; i++) {
		const struct counts c = counts_of(pids[i]);

		printf("%d %llu %llu\n", pids[i], c.run - before[i].run, c.wait - before[i].wait);
	}
	close(end[1]);
	while (wait(NULL) > 0)
		;
	return 0;
}
