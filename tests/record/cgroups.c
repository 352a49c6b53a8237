// SPDX-License-Identifier: LGPL-2.1-only
/*
 * cgroups V2DIR [V1DIR]: makes a process in a cgroup of version 2 without moving it there, and moves
 * a thread of this process to one of version 1. The thread is moved before the line that it prints;
 * the process is made at SIGUSR1, and ends at SIGUSR2.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *dir;
static volatile int moved;

static void move_thread(void)
{
	char path[512], text[16];
	int fd, n = snprintf(text, sizeof(text), "%d", (int)gettid());

	snprintf(path, sizeof(path), "%s/tasks", dir);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, text, (size_t)n) != n)
		exit(3);
	close(fd);
}

static void *run_thread(void *arg)
{
	(void)arg;
	if (dir)
		move_thread();
	moved = 1;
	pause();
	return NULL;
}

int main(int argc, char **argv)
{
	struct clone_args args = { .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD };
	pthread_t thread;
	sigset_t signals;
	int signal;
	long pid;

	if (argc < 2)
		return 2;
	dir = argc > 2 ? argv[2] : NULL;
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigaddset(&signals, SIGUSR2);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	if (pthread_create(&thread, NULL, run_thread, NULL))
		return 3;
	while (!moved)
		usleep(1000);
	printf("%d\n", (int)getpid());
	fflush(stdout);
	sigwait(&signals, &signal);
	args.cgroup = (uint64_t)open(argv[1], O_RDONLY | O_DIRECTORY);
	pid = syscall(SYS_clone3, &args, sizeof(args));
	if (pid < 0)
		return 3;
	if (!pid) {
		pause();
		_exit(0);
	}
	sigwait(&signals, &signal);
	kill((pid_t)pid, SIGKILL);
	waitpid((pid_t)pid, NULL, 0);
	return 0;
}
