// SPDX-License-Identifier: LGPL-2.1-only
/* A preloaded library that makes a disk slow: each write at an offset, as to a trace.dat, takes
 * SLOW_US more. */
#include <stdlib.h>
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
