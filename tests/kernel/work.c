// SPDX-License-Identifier: LGPL-2.1-only
/*
 * work WHAT [N] [ARG]: small loads for the guest, each of which makes known events.
 *
 *	wake N TAG	two tasks, TAG-a and TAG-b, wake each other N times
 *	sys N		system calls of several kinds
 *	many N REP	lseek() to N places, each up to REP times
 *	forks N		N short children
 *	mem N		N maps that are touched
 *	naps N		N sleeps
 *	renames N TAG	a task that renames itself N times
 *	udp N		N datagrams over the loopback device
 *	threads N	N threads that compute, yield and sleep
 *	probe N		what probes see: texts, some at bad pointers, as arguments of system calls and of probed()
 *	user N DEFINITION PAYLOAD...  writes the hexadecimal payloads of a user event N times
 *	marker N FILE	N pairs of texts for a trace_marker
 *	pace N MS	N calls of sched_get_priority_max() on each CPU, spread evenly over so many milliseconds
 *	cost FILE COMMAND ARG...  the command; FILE gets the milliseconds of CPU that it took
 *	keep DIR FILE...  copies of files that have a text, in DIR; events/A/B/C becomes A.B.C
 *	pages FILE OUT	what a trace_pipe_raw has
 *	start FILE TEXT	writes a text to a trace_marker, just after a tick of the kernel's timer
 *	stop		sync(), just after a tick
 *
 * The last four are no loads. One process for many files takes a guest less than cat; what starts and stops
 * histograms is not interrupted by the timer's events.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void call_me(const char *format, const char *tag, long n)
{
	char comm[16];

	snprintf(comm, sizeof(comm), format, tag, n);
	prctl(PR_SET_NAME, comm, 0, 0, 0);
}

static void sleep_us(long us)
{
	nanosleep(&(struct timespec){ us / 1000000, us % 1000000 * 1000 }, NULL);
}

static int wake(long n, const char *tag)
{
	int ping[2], pong[2];
	char byte = 0;
	pid_t child;

	if (pipe(ping) || pipe(pong))
		return 1;
	child = fork();
	call_me(child ? "%s-a" : "%s-b", tag, 0);
	for (long i = 0; i < n; i++) {
		int *in = child ? pong : ping, *out = child ? ping : pong;

		if (child && i % 5 == 0)
			sleep_us(150 + i % 4 * 50);
		if (child && write(out[1], &byte, 1) != 1)
			return 1;
		if (read(in[0], &byte, 1) != 1)
			return 1;
		if (!child && write(out[1], &byte, 1) != 1)
			return 1;
	}
	return child ? waitpid(child, NULL, 0) != child : 0;
}

static int sys(long n)
{
	static char buffer[8192];
	int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_WRONLY);

	call_me("%s-sys", "work", 0);
	for (long i = 0; i < n; i++) {
		if (read(zero, buffer, 1u << i % 13) < 0 ||
		    write(null, buffer, (size_t)i % 2000) < 0)
			return 1;
		syscall(SYS_getppid);
		if (i % 4 == 0 && open("/does/not/exist", O_RDONLY) >= 0)
			return 1;
	}
	return 0;
}

static int many(long n, long rep)
{
	int zero = open("/dev/zero", O_RDONLY);

	call_me("%s-many", "work", 0);
	for (long i = 0; i < n; i++)
		for (long j = 0; j <= i % rep; j++)
			lseek(zero, i * 3, SEEK_SET);
	return 0;
}

static int forks(long n)
{
	call_me("%s-fork", "work", 0);
	for (long i = 0; i < n; i++) {
		pid_t child = fork();

		if (!child) {
			call_me("%s-%ld", "kid", i % 5);
			syscall(SYS_getppid);
			_exit((int)i % 3);
		}
		waitpid(child, NULL, 0);
	}
	return 0;
}

static int mem(long n)
{
	call_me("%s-mem", "work", 0);
	for (long i = 1; i <= n; i++) {
		size_t size = 4096 * (size_t)(1 + i % 16);
		char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			       0);

		if (p == MAP_FAILED)
			return 1;
		for (size_t at = 0; at < size; at += 4096)
			p[at] = 1;
		munmap(p, size);
	}
	return 0;
}

static int naps(long n)
{
	call_me("%s-nap", "work", 0);
	for (long i = 0; i < n; i++)
		sleep_us(200 + i % 8 * 300);
	return 0;
}

static int udp(long n)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(7777) };
	int in = socket(AF_INET, SOCK_DGRAM, 0), out = socket(AF_INET, SOCK_DGRAM, 0);
	static char buffer[4096];

	call_me("%s-udp", "work", 0);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(in, (struct sockaddr *)&to, sizeof(to)))
		return 1;
	for (long i = 0; i < n; i++) {
		size_t size = 20 + 37 * (size_t)(i % 30);

		if (sendto(out, buffer, size, 0, (struct sockaddr *)&to, sizeof(to)) !=
			    (ssize_t)size ||
		    recv(in, buffer, sizeof(buffer), 0) != (ssize_t)size)
			return 1;
	}
	return 0;
}

static void *thread(void *arg)
{
	long n = (long)arg;

	call_me("%s-%ld", "thr", n);
	for (int i = 0; i < 40; i++) {
		for (volatile int k = 0; k < 20000; k++)
			;
		if (i % 4)
			sched_yield();
		else
			sleep_us(100 * (n + 1));
	}
	return NULL;
}

static int threads(long n)
{
	pthread_t all[64];

	n = n > 64 ? 64 : n;
	for (long i = 0; i < n; i++)
		if (pthread_create(&all[i], NULL, thread, (void *)i))
			return 1;
	for (long i = 0; i < n; i++)
		pthread_join(all[i], NULL);
	return 0;
}

/* The place of uprobes. */
static __attribute__((noinline)) long probed(const char *text, long number, const char *const *texts)
{
	__asm__ volatile("" : "+r"(text), "+r"(number), "+r"(texts));
	return number * 3 - 1;
}

static int probe(long n)
{
	static const char *const texts[] = { "one", "two words", "", "tab\there", (const char *)16,
					     "\xc3\xa9" };
	int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_WRONLY);
	static char buffer[256];

	call_me("%s-probe", "work", 0);
	for (long i = 0; i < n; i++) {
		const char *text = texts[i % 6];

		lseek(zero, (off_t)text, SEEK_SET);
		lseek(zero, i * 1000 - 3, (int)i % 3);
		lseek(zero, -1, 77);
		close(open(text, O_RDONLY));
		mkdir(text, 0700);
		if (read(zero, buffer, (size_t)i + 1) < 0)
			return 1;
		/* one of them fails */
		while (write(null, text, 4) == 0)
			;
		probed(text, i * 1000 - 3, texts + i % 5);
	}
	kill(getpid(), SIGCONT);
	return 0;
}

/* struct user_reg since Linux 6.4. */
struct registration {
	uint32_t size;
	uint8_t enable_bit, enable_size;
	uint16_t flags;
	uint64_t enable_addr, name_args;
	uint32_t write_index;
} __attribute__((packed));

static int user(long n, const char *definition, char **payloads)
{
	static uint32_t enabled;
	struct registration r = {
		.size = sizeof(r),
		.enable_size = sizeof(enabled),
		.enable_addr = (uintptr_t)&enabled,
		.name_args = (uintptr_t)definition,
	};
	int fd = open("/sys/kernel/tracing/user_events_data", O_RDWR);
	unsigned char buffer[512];

	call_me("%s-user", "work", 0);
	if (fd < 0 || ioctl(fd, _IOWR('*', 0, struct registration *), &r))
		return 1;
	memcpy(buffer, &r.write_index, sizeof(r.write_index));
	for (; n > 0; n--) {
		for (char **p = payloads; *p; p++) {
			size_t size = sizeof(r.write_index);

			for (const char *hex = *p; *hex; hex += 2)
				sscanf(hex, "%2hhx", &buffer[size++]);
			if (write(fd, buffer, size) < 0)
				return 1;
		}
	}
	return 0;
}

static int marker(long n, const char *file)
{
	int fd = open(file, O_WRONLY);

	call_me("%s-mark", "work", 0);
	for (long i = 0; i < n; i++) {
		if (write(fd, "begin", 5) <= 0)
			return 1;
		sleep_us(150 + i % 6 * 50);
		if (write(fd, "end", 3) <= 0)
			return 1;
	}
	return 0;
}

/* In bursts of a millisecond: a timer for each call would cost more than the call. */
static int pace_here(long n, long ms)
{
	struct timespec next;
	long done = 0;

	clock_gettime(CLOCK_MONOTONIC, &next);
	for (long i = 1; i <= ms; i++) {
		for (; done < n * i / ms; done++)
			sched_get_priority_max(SCHED_OTHER);
		next.tv_nsec += 1000000;
		next.tv_sec += next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
	return 0;
}

static int pace(long n, long ms)
{
	cpu_set_t all, one;
	int status = 0;

	if (sched_getaffinity(0, sizeof(all), &all))
		return 1;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all) || fork())
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		call_me("%s-%ld", "pace", cpu);
		_exit(sched_setaffinity(0, sizeof(one), &one) || pace_here(n, ms));
	}
	while (wait(&status) > 0)
		if (status)
			return 1;
	return 0;
}

static long us_of(struct timeval t)
{
	return t.tv_sec * 1000000 + t.tv_usec;
}

static int cost(const char *file, char **command)
{
	struct rusage usage;
	int status = 0;
	pid_t child = fork();
	FILE *f;

	if (!child) {
		execvp(command[0], command);
		_exit(127);
	}
	waitpid(child, &status, 0);
	getrusage(RUSAGE_CHILDREN, &usage);
	f = fopen(file, "w");
	if (!f)
		return 1;
	fprintf(f, "%.1f\n", (double)(us_of(usage.ru_utime) + us_of(usage.ru_stime)) / 1e3);
	fclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* Until the timer has ticked, which it does not do again for milliseconds. */
static void next_tick(void)
{
	struct timespec first, now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &first);
	do
		clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	while (now.tv_sec == first.tv_sec && now.tv_nsec == first.tv_nsec);
}

static int start(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY);
	size_t n = strlen(text);

	next_tick();
	return write(fd, text, n) != (ssize_t)n;
}

static int stop(void)
{
	next_tick();
	sync();
	return 0;
}

static int renames(long n, const char *tag)
{
	char comm[16];

	for (long i = 0; i < n; i++) {
		snprintf(comm, sizeof(comm), "%s-%ld", tag, i % 3);
		prctl(PR_SET_NAME, comm, 0, 0, 0);
	}
	return 0;
}

/* Reads to the end, or until a pipe is empty; an empty file is not made. */
static void copy(const char *from, const char *to)
{
	static char buffer[1 << 16];
	int in = open(from, O_RDONLY | O_NONBLOCK), out = -1;
	ssize_t n;

	while (in >= 0 && (n = read(in, buffer, sizeof(buffer))) > 0) {
		if (out < 0)
			out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0644);
		if (out < 0 || write(out, buffer, (size_t)n) != n)
			exit(1);
	}
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
}

static int keep(const char *dir, char **files)
{
	char to[4096];

	for (; *files; files++) {
		int skip = strncmp(*files, "events/", 7) ? 0 : 7, n;

		n = snprintf(to, sizeof(to), "%s/", dir);
		snprintf(to + n, sizeof(to) - (size_t)n, "%s", *files + skip);
		for (char *p = to + n; *p; p++)
			if (*p == '/')
				*p = '.';
		copy(*files, to);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "", *arg = argc > 3 ? argv[3] : "work";
	long n = argc > 2 ? strtol(argv[2], NULL, 10) : 10;

	if (!strcmp(what, "wake"))
		return wake(n, arg);
	if (!strcmp(what, "sys"))
		return sys(n);
	if (!strcmp(what, "many"))
		return many(n, argc > 3 ? strtol(arg, NULL, 10) : 4);
	if (!strcmp(what, "forks"))
		return forks(n);
	if (!strcmp(what, "mem"))
		return mem(n);
	if (!strcmp(what, "renames"))
		return renames(n, arg);
	if (!strcmp(what, "naps"))
		return naps(n);
	if (!strcmp(what, "udp"))
		return udp(n);
	if (!strcmp(what, "threads"))
		return threads(n);
	if (!strcmp(what, "probe"))
		return probe(n);
	if (!strcmp(what, "user") && argc > 3)
		return user(n, argv[3], argv + 4);
	if (!strcmp(what, "marker"))
		return marker(n, arg);
	if (!strcmp(what, "pace"))
		return pace(n, argc > 3 ? strtol(arg, NULL, 10) : 1000);
	if (!strcmp(what, "cost") && argc > 3)
		return cost(argv[2], argv + 3);
	if (!strcmp(what, "keep") && argc > 2)
		return keep(argv[2], argv + 3);
	if (!strcmp(what, "start") && argc > 3)
		return start(argv[2], argv[3]);
	if (!strcmp(what, "stop"))
		return stop();
	if (!strcmp(what, "pages") && argc > 3) {
		copy(argv[2], argv[3]);
		return 0;
	}
	fprintf(stderr, "work: unknown load '%s'\n", what);
	return 2;
}
