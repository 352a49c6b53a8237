// SPDX-License-Identifier: LGPL-2.1-only
/*
 * loop -b KB -e EVENT -o FILE COMMAND ARG...: the reference for `hist record` where trace-cmd
 * cannot run. It is the loop of libtracefs that trace-cmd uses: one process per CPU,
 * tracefs_cpu_write() until stopped, then tracefs_cpu_flush_write(). Fills FILE.cpuN, without
 * writing a trace.dat. Prints events read and lost, for tests/record/compare.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tracefs.h>

static struct tracefs_cpu *tcpu;
static volatile sig_atomic_t done;

static void stop(int sig)
{
	(void)sig;
	done = 1;
	tracefs_cpu_stop(tcpu);
}

static int read_cpu(struct tracefs_instance *instance, int cpu, const char *path)
{
	char name[4096];
	int fd;

	snprintf(name, sizeof(name), "%s.cpu%d", path, cpu);
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	tcpu = tracefs_cpu_open(instance, cpu, false);
	if (fd < 0 || !tcpu)
		return 1;
	signal(SIGUSR1, stop);
	while (!done && tracefs_cpu_write(tcpu, fd, false) >= 0)
		;
	tracefs_cpu_flush_write(tcpu, fd);
	tracefs_cpu_close(tcpu);
	return 0;
}

static void add_stats(struct tracefs_instance *instance, int cpu, long long sum[2])
{
	static const char *const names[] = { "\nread events: ", "\noverrun: ", "\ncommit overrun: ",
					     "\ndropped events: " };
	char file[64], *text;

	snprintf(file, sizeof(file), "per_cpu/cpu%d/stats", cpu);
	text = tracefs_instance_file_read(instance, file, NULL);
	for (int i = 0; text && i < 4; i++) {
		const char *at = strstr(text, names[i]);

		sum[i > 0] += at ? atoll(at + strlen(names[i])) : 0;
	}
	free(text);
}

/* Start the readers and the command, and wait for both. */
static int record(struct tracefs_instance *instance, const char *path, char **command)
{
	int n = (int)sysconf(_SC_NPROCESSORS_CONF), status = 0;
	pid_t *pids = calloc((size_t)n, sizeof(*pids)), child;
	long long sum[2] = { 0, 0 };

	for (int i = 0; pids && i < n; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			_exit(read_cpu(instance, i, path));
	}
	tracefs_trace_on(instance);
	child = fork();
	if (!child) {
		execvp(command[0], command);
		_exit(127);
	}
	waitpid(child, &status, 0);
	tracefs_trace_off(instance);
	for (int i = 0; pids && i < n; i++) {
		kill(pids[i], SIGUSR1);
		waitpid(pids[i], NULL, 0);
		add_stats(instance, i, sum);
	}
	printf("read events: %lld\noverrun: %lld\n", sum[0], sum[1]);
	free(pids);
	return status != 0;
}

int main(int argc, char **argv)
{
	const char *kb = NULL, *event = NULL, *path = NULL;
	struct tracefs_instance *instance;
	char name[32];
	int c, ret;

	while ((c = getopt(argc, argv, "+b:e:o:")) != -1)
		*(c == 'b' ? &kb : c == 'e' ? &event : &path) = optarg;
	if (!kb || !event || !path || optind == argc)
		return 2;
	snprintf(name, sizeof(name), "loop.%d", (int)getpid());
	instance = tracefs_instance_create(name);
	if (!instance)
		return 1;
	tracefs_trace_off(instance);
	tracefs_instance_set_buffer_size(instance, (size_t)atol(kb), -1);
	event = strchr(event, ':') ? strchr(event, ':') + 1 : event;
	ret = tracefs_event_enable(instance, NULL, event) || record(instance, path, argv + optind);
	tracefs_instance_destroy(instance);
	tracefs_instance_free(instance);
	return ret;
}
