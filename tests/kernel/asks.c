// SPDX-License-Identifier: LGPL-2.1-only
/*
 * asks WHAT [N]: loads for what recipes ask, beside those of work.c.
 *
 *	tcp N		N connections over the loopback device, one refused, one whose first packet
 *is lost futex N		threads that wait for a mutex N times contend N	threads that map and
 *unmap memory of one process N times fsync FILE	fsync() and fdatasync() of a file eat MB
 *touches so much memory slices N FILE	N slices of atrace in a trace_marker
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, FIRST_PORT = 5000, RETRANSMIT_S = 3 };

static void sleep_us(long us)
{
	nanosleep(&(struct timespec){ us / 1000000, us % 1000000 * 1000 }, NULL);
}

static struct sockaddr_in local(int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((unsigned short)port) };

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return a;
}

static int listener(int port, int backlog)
{
	struct sockaddr_in a = local(port);
	int s = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	return bind(s, (struct sockaddr *)&a, sizeof(a)) || listen(s, backlog) ? -1 : s;
}

static int connected(int port, int flags)
{
	struct sockaddr_in a = local(port);
	int s = socket(AF_INET, SOCK_STREAM | flags, 0);

	if (connect(s, (struct sockaddr *)&a, sizeof(a)) && !flags) {
		close(s);
		return -1;
	}
	return s;
}

/* A queue of one that is full: the next first packets are dropped, and sent again after a second.
 */
static void retransmits(void)
{
	int full = listener(FIRST_PORT + 1, 0), s[3];

	for (int i = 0; i < 3; i++)
		s[i] = connected(FIRST_PORT + 1, SOCK_NONBLOCK);
	sleep(RETRANSMIT_S);
	for (int i = 0; i < 3; i++)
		close(s[i]);
	close(full);
}

static int tcp(long n)
{
	int in = listener(FIRST_PORT, 8);
	char buffer[3000] = "";

	for (long i = 0; i < n; i++) {
		int out = connected(FIRST_PORT, 0), there = accept(in, NULL, NULL);
		size_t size = 100 + 97 * (size_t)(i % 29);

		if (out < 0 || there < 0 || write(out, buffer, size) != (ssize_t)size)
			return 1;
		while (size) {
			ssize_t got = read(there, buffer, size);

			if (got <= 0)
				return 1;
			size -= (size_t)got;
		}
		sleep_us(i % 5 * 2000);
		close(i % 2 ? out : there);
		sleep_us(500);
		close(i % 2 ? there : out);
	}
	close(in);
	connected(FIRST_PORT, 0);
	retransmits();
	return 0;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long rounds;

static void *lock_often(void *arg)
{
	for (long i = 0; i < rounds; i++) {
		pthread_mutex_lock(&mutex);
		sleep_us(200);
		pthread_mutex_unlock(&mutex);
	}
	return arg;
}

static void *map_often(void *arg)
{
	for (long i = 0; i < rounds; i++) {
		char *p = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			       0);

		for (int k = 0; k < 65536; k += 4096)
			p[k] = 1;
		munmap(p, 65536);
	}
	return arg;
}

static int threads(void *(*does)(void *), long n)
{
	pthread_t all[THREADS];

	rounds = n;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&all[i], NULL, does, NULL))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(all[i], NULL);
	return 0;
}

static int fsyncs(const char *file)
{
	int fd = open(file, O_RDWR);

	for (int i = 0; i < 5; i++) {
		if (write(fd, "0123456789abcdef", 16) != 16 || (i % 2 ? fdatasync(fd) : fsync(fd)))
			return 1;
	}
	return 0;
}

static int eat(long mb)
{
	size_t size = (size_t)mb << 20;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t k = 0; p != MAP_FAILED && k < size; k += 4096)
		p[k] = 1;
	return p == MAP_FAILED;
}

static int slices(long n, const char *file)
{
	int fd = open(file, O_WRONLY);
	char text[64];

	for (long i = 0; i < n; i++) {
		int len = snprintf(text, sizeof(text), "B|%d|%s", (int)getpid(),
				   i % 3 ? "draw" : "input");

		if (write(fd, text, (size_t)len) <= 0)
			return 1;
		sleep_us(150 + i % 6 * 50);
		if (write(fd, "E", 1) <= 0)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "", *arg = argc > 2 ? argv[2] : "10";
	long n = strtol(arg, NULL, 10);

	if (!strcmp(what, "tcp"))
		return tcp(n);
	if (!strcmp(what, "futex"))
		return threads(lock_often, n);
	if (!strcmp(what, "contend"))
		return threads(map_often, n);
	if (!strcmp(what, "fsync"))
		return fsyncs(arg);
	if (!strcmp(what, "eat"))
		return eat(n);
	if (!strcmp(what, "slices") && argc > 3)
		return slices(n, argv[3]);
	fprintf(stderr, "asks: unknown load '%s'\n", what);
	return 2;
}
