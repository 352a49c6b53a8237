// SPDX-License-Identifier: LGPL-2.1-only
/* A preloaded library that makes a disk slow: each write at an offset, as to a trace.dat, takes
 * SLOW_US more, and each request for space in a file whose name ends in SLOW_FILE, SLOW_SPACE_US.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static ssize_t slow_write(int fd, const void *data, size_t n, off_t at)
{
	const char *us = getenv("SLOW_US");

	usleep(us ? (useconds_t)atol(us) : 0);
	return syscall(SYS_pwrite64, fd, data, n, at);
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t at)
{
	return slow_write(fd, data, n, at);
}

ssize_t pwrite64(int fd, const void *data, size_t n, off_t at)
{
	return slow_write(fd, data, n, at);
}

static int slow_space(int fd, int mode, off_t at, off_t n)
{
	const char *us = getenv("SLOW_SPACE_US"), *file = getenv("SLOW_FILE");
	char link[40], path[4096];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = us && file ? readlink(link, path, sizeof(path) - 1) : -1;
	if (len >= (ssize_t)strlen(file ? file : "")) {
		path[len] = '\0';
		if (!strcmp(path + len - strlen(file), file))
			usleep((useconds_t)atol(us));
	}
	return (int)syscall(SYS_fallocate, fd, mode, at, n);
}

int fallocate(int fd, int mode, off_t at, off_t n)
{
	return slow_space(fd, mode, at, n);
}

int fallocate64(int fd, int mode, off_t at, off_t n)
{
	return slow_space(fd, mode, at, n);
}
