// SPDX-License-Identifier: LGPL-2.1-only
/*
 * renames SECONDS SEED: processes that are named, forked, executed and ended all the time, with
 * threads. Each one tells what its name is now, as the parameter of getpgid().
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *self;
static __thread unsigned int seed;

static unsigned int random_below(unsigned int n)
{
	return (unsigned int)rand_r(&seed) % n;
}

/* In the record of a call that no other program makes: the sum of the bytes, weighted. */
static void tell(void)
{
	char name[16] = "";
	unsigned int hash = 0;

	prctl(PR_GET_NAME, name);
	for (const char *c = name; *c; c++)
		hash = hash * 31 + (unsigned char)*c;
	syscall(SYS_getpgid, (hash & 0x0fffffff) | 0x40000000);
}

static void rename_self(void)
{
	static const char *const names[] = { "alpha", "beta", "gamma delta", "sh", "fifteen-chars-x",
					     "a", "" };
	prctl(PR_SET_NAME, names[random_below(sizeof(names) / sizeof(names[0]))]);
	tell();
}

static pthread_barrier_t named;

static void *run_thread(void *arg)
{
	pthread_barrier_wait(&named);
	seed = (unsigned int)(size_t)arg;
	tell();
	for (unsigned int i = random_below(6); i; i--) {
		rename_self();
		if (random_below(2))
			sched_yield();
	}
	return NULL;
}

/* Fork a child that renames itself, or executes this program under another name. */
static void run_child(void)
{
	pid_t pid = fork();

	if (pid) {
		waitpid(pid, NULL, 0);
		tell();
		return;
	}
	seed ^= (unsigned int)getpid();
	if (random_below(2))
		tell();
	if (random_below(3)) {
		const char *dir = getenv("TMPDIR");
		char link[256], number[16];

		snprintf(link, sizeof(link), "%s/renames-%d-%u", dir ? dir : "/tmp", (int)getppid(), random_below(50));
		snprintf(number, sizeof(number), "%u", random_below(1000));
		if (!symlink(self, link) || errno == EEXIST)
			execl(link, link, "child", number, NULL);
		_exit(1);
	}
	for (unsigned int i = random_below(4); i; i--)
		rename_self();
	_exit(0);
}

static void run_threads(void)
{
	pthread_t threads[4];
	size_t n = random_below(4) + 1;

	pthread_barrier_init(&named, NULL, (unsigned int)n + 1);
	for (size_t i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, run_thread, (void *)(size_t)random_below(100000));
	/* another thread of the process names it */
	pthread_setname_np(threads[0], "named");
	pthread_barrier_wait(&named);
	for (size_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	tell();
}

int main(int argc, char **argv)
{
	struct timespec start, now;
	int rounds = 100; /* at least, also on a busy machine */

	if (argc != 3)
		return 2;
	self = realpath("/proc/self/exe", NULL);
	seed = (unsigned int)atoi(argv[2]);
	tell();
	if (!strcmp(argv[1], "child")) {
		for (unsigned int i = random_below(3); i; i--)
			rename_self();
		if (!random_below(4))
			run_threads();
		return 0;
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		run_child();
		if (!random_below(3))
			rename_self();
		if (!random_below(3))
			run_threads();
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (--rounds > 0 ||
		 now.tv_sec - start.tv_sec + (now.tv_nsec - start.tv_nsec) / 1e9 < atof(argv[1]));
	return 0;
}
