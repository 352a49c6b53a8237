// SPDX-License-Identifier: LGPL-2.1-only
/*
 * who groups ONE TWO THREE: a process of four threads with different names in each of these cgroups
 * sleeps, and each thread calls getpgid() with a parameter that tells where it is; the third process
 * moves to the first cgroup. Prints a line for each thread: its id, process, cgroup and name.
 *
 * who lives N ONE TWO THREE: N processes, one after the other, of one or two threads. Each moves to
 * one of the cgroups, and tells its number and the cgroup.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TOLD = 0x40000000, THREADS = 4, CALLS = 10 };

static char **dirs;
static unsigned int group; /* of the process */
static pthread_barrier_t together;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void move(unsigned int to)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", dirs[to]);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, "0", 1) != 1)
		fail(path);
	close(fd);
	group = to;
}

static void tell(unsigned int n)
{
	syscall(SYS_getpgid, TOLD | n << 2 | group);
}

/* --- groups --- */

static void *run_thread(void *arg)
{
	const unsigned int n = (unsigned int)(size_t)arg, first = group;
	static const char *const names[THREADS] = { "alpha", "beta", "gamma", "delta" };
	char name[16];

	snprintf(name, sizeof(name), "%s-%u", names[n], first);
	prctl(PR_SET_NAME, name);
	printf("%d %d %u %s\n", (int)gettid(), (int)getpid(), first, name);
	fflush(stdout);
	for (unsigned int half = 0; half < 2; half++) {
		for (unsigned int i = 0; i < CALLS * (n + 1) + first; i++) {
			usleep(2000);
			tell(n);
		}
		pthread_barrier_wait(&together);
		if (!n && !half && first == 2)
			move(0);
		pthread_barrier_wait(&together);
	}
	return NULL;
}

static void run_group(unsigned int to)
{
	pthread_t threads[THREADS];

	move(to);
	pthread_barrier_init(&together, NULL, THREADS);
	for (size_t i = 1; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run_thread, (void *)i);
	run_thread(NULL);
	for (size_t i = 1; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	exit(0);
}

/* --- lives --- */

static void *run_life(void *arg)
{
	tell((unsigned int)(size_t)arg);
	return NULL;
}

static void run_process(unsigned int n)
{
	char name[16];
	pthread_t thread;

	snprintf(name, sizeof(name), "life-%u", n);
	prctl(PR_SET_NAME, name);
	move(n % 3);
	tell(n);
	if (n % 2 && !pthread_create(&thread, NULL, run_life, (void *)(size_t)n))
		pthread_join(thread, NULL);
	exit(0);
}

int main(int argc, char **argv)
{
	const int first = argc > 2 && !strcmp(argv[1], "lives") ? 3 : 2;
	const unsigned int n = first == 3 ? (unsigned int)atoi(argv[2]) : 3;

	if (argc < first + 3)
		return 2;
	dirs = argv + first;
	for (unsigned int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid < 0)
			fail("fork");
		if (!pid && first == 3)
			run_process(i);
		if (!pid)
			run_group(i);
		if (first == 3)
			waitpid(pid, NULL, 0);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
