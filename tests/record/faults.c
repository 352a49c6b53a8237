// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A preloaded library that makes a system call of hist fail, or kills hist before the call.
 *
 *	FAULT_KIND	EIO, EMFILE, ENOSPC or EINTR: the error, for calls that may return it;
 *			READDIR: EIO, for readdir() only; ENOMEM: malloc() and its relatives; SHORT: a transfer is incomplete; KILL;
 *			INT: SIGINT before the call, and again ten calls later
 *	FAULT_AT	number of the call, from 1
 *	FAULT_STICKY	if set, all later calls fail, too: a full disk, not a temporary error
 *	FAULT_GO	calls are counted once this file exists
 *	FAULT_COUNT	the number of calls is written to this file at the end
 *
 * Calls that do not use a symbol of the C library, such as its own calls in readdir(), are not
 * intercepted. It must be compiled like hist, with _FILE_OFFSET_BITS=64, because it calls pread64()
 * and so on.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind {
	MAKES_FD = 1,
	NEEDS_SPACE = 2,
	ANY = 4,
	WAITS = 8,
	TRANSFERS = 16,
	ALLOCATES = 32,
	LISTS = 64,
};

static struct {
	int wanted; /* kinds of calls that are counted; 0: no fault was requested */
	int error;  /* 0: send a signal instead */
	int signal;
	long at;
	int sticky, shortens;
	const char *go, *count;
} fault;
static atomic_long calls;

static void fault_init(void) __attribute__((constructor));
static void fault_init(void)
{
	const char *kind = getenv("FAULT_KIND"), *at = getenv("FAULT_AT");

	/* programs that hist runs load this library, too */
	if (!kind || !strstr(program_invocation_short_name, "hist"))
		return;
	fault.at = at ? strtol(at, NULL, 10) : 0;
	fault.sticky = getenv("FAULT_STICKY") != NULL;
	fault.go = getenv("FAULT_GO");
	fault.count = getenv("FAULT_COUNT");
	fault.wanted = ANY | MAKES_FD | NEEDS_SPACE | WAITS | TRANSFERS;
	if (!strcmp(kind, "EIO")) {
		fault.error = EIO;
	} else if (!strcmp(kind, "READDIR")) {
		fault.error = EIO;
		fault.wanted = LISTS;
	} else if (!strcmp(kind, "EMFILE")) {
		fault.error = EMFILE;
		fault.wanted = MAKES_FD;
	} else if (!strcmp(kind, "ENOSPC")) {
		fault.error = ENOSPC;
		fault.wanted = NEEDS_SPACE;
	} else if (!strcmp(kind, "EINTR")) {
		fault.error = EINTR;
		fault.wanted = WAITS;
	} else if (!strcmp(kind, "ENOMEM")) {
		fault.error = ENOMEM;
		fault.wanted = ALLOCATES;
	} else if (!strcmp(kind, "SHORT")) {
		fault.error = EIO; /* not used */
		fault.wanted = TRANSFERS;
		fault.shortens = 1;
	} else if (!strcmp(kind, "INT")) {
		fault.signal = SIGINT;
	} else {
		fault.signal = SIGKILL;
	}
}

static void fault_end(void) __attribute__((destructor));
static void fault_end(void)
{
	char text[32];
	int fd, n;

	if (!fault.wanted || !fault.count)
		return;
	n = snprintf(text, sizeof(text), "%ld\n", atomic_load(&calls));
	fd = (int)syscall(SYS_openat, AT_FDCWD, fault.count, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd >= 0 && syscall(SYS_write, fd, text, n) == n)
		syscall(SYS_close, fd);
}

/* Whether this call has to fail. */
static int fails(int kind)
{
	int before = errno;
	long n;

	if (!(fault.wanted & kind))
		return 0;
	n = fault.go ? syscall(SYS_faccessat, AT_FDCWD, fault.go, F_OK) : 0;
	errno = before;
	if (n)
		return 0;
	n = atomic_fetch_add(&calls, 1) + 1;
	if (!fault.at || n < fault.at ||
	    (n > fault.at && !fault.sticky && !(fault.signal == SIGINT && n == fault.at + 10)))
		return 0;
	if (fault.signal) {
		syscall(SYS_kill, getpid(), fault.signal);
		errno = before;
		return 0;
	}
	errno = fault.error;
	return 1;
}

/* The function @name of the C library, or its variant for 64-bit file offsets if it has one. */
static void *symbol(const char *name)
{
	char large[32];
	void *found;

	snprintf(large, sizeof(large), "%s64", name);
	found = dlsym(RTLD_NEXT, large);
	return found ? found : dlsym(RTLD_NEXT, name);
}

/* clang-format off: it aligns with blanks what goes over several lines. */

/* Define TYPE NAME(PARAMETERS): calls the real function with ARGUMENTS, or returns FAILURE. */
#define WRAP(type, name, parameters, arguments, kind, failure)     \
	type name parameters;                                      \
	type name parameters                                       \
	{                                                          \
		static type(*real) parameters;                     \
	\
		if (!real)                                         \
			*(void **)&real = symbol(#name); \
		return fails(kind) ? (failure) : real arguments;   \
	}

/* As WRAP(), for a call that transfers @n bytes, or half of them. */
#define WRAP_TRANSFER(name, parameters, arguments, kind)               \
	ssize_t name parameters;                                       \
	ssize_t name parameters                                        \
	{                                                              \
		static ssize_t(*real) parameters;                      \
	\
		if (!real)                                             \
			*(void **)&real = symbol(#name);     \
		if (fails((kind) | WAITS | TRANSFERS)) {               \
			if (!fault.shortens)                           \
				return -1;                             \
			n = (n + 1) / 2;                               \
		}                                                      \
		return real arguments;                                 \
	}

/* As WRAP(), with a mode after the flags if they create a file. */
#define WRAP_OPEN(name, parameters, ...)                                     \
	int name parameters;                                                 \
	int name parameters                                                  \
	{                                                                    \
		static int(*real) parameters;                                \
		unsigned int mode = 0;                                       \
		va_list ap;                                                  \
	\
		if (!real)                                                   \
			*(void **)&real = symbol(#name);           \
		if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) {   \
			va_start(ap, flags);                                 \
			mode = va_arg(ap, unsigned int);                     \
			va_end(ap);                                          \
		}                                                            \
		return fails(MAKES_FD | WAITS | (flags & O_CREAT ? NEEDS_SPACE : 0)) \
			       ? -1                                          \
			       : real(__VA_ARGS__, flags, mode);             \
	}

WRAP_OPEN(open, (const char *path, int flags, ...), path)
WRAP_OPEN(openat, (int at, const char *path, int flags, ...), at, path)
WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode), MAKES_FD, NULL)
WRAP(DIR *, opendir, (const char *path), (path), MAKES_FD, NULL)
WRAP(DIR *, fdopendir, (int fd), (fd), ANY, NULL)
WRAP(struct dirent *, readdir, (DIR * d), (d), ANY | LISTS, NULL)
WRAP(int, pipe2, (int fds[2], int flags), (fds, flags), MAKES_FD, -1)
WRAP(int, eventfd, (unsigned int n, int flags), (n, flags), MAKES_FD, -1)
WRAP_TRANSFER(read, (int fd, void *data, size_t n), (fd, data, n), ANY)
WRAP_TRANSFER(pread, (int fd, void *data, size_t n, off_t at), (fd, data, n, at), ANY)
WRAP_TRANSFER(write, (int fd, const void *data, size_t n), (fd, data, n), NEEDS_SPACE)
WRAP_TRANSFER(pwrite, (int fd, const void *data, size_t n, off_t at), (fd, data, n, at), NEEDS_SPACE)
WRAP_TRANSFER(splice, (int from, off_t *from_at, int to, off_t *to_at, size_t n,
	unsigned int flags), (from, from_at, to, to_at, n, flags), NEEDS_SPACE)
WRAP(int, fallocate, (int fd, int mode, off_t at, off_t n), (fd, mode, at, n), NEEDS_SPACE | WAITS,
	-1)
WRAP(int, ftruncate, (int fd, off_t n), (fd, n), ANY | WAITS, -1)
WRAP(int, fsync, (int fd), (fd), NEEDS_SPACE | WAITS, -1)
WRAP(int, poll, (struct pollfd * fds, nfds_t n, int ms), (fds, n, ms), WAITS, -1)
WRAP(ssize_t, getrandom, (void *data, size_t n, unsigned int flags), (data, n, flags), ANY | WAITS,
	-1)
WRAP(int, renameat2, (int at, const char *from, int to_at, const char *to, unsigned int flags),
	(at, from, to_at, to, flags), NEEDS_SPACE, -1)
WRAP(int, rename, (const char *from, const char *to), (from, to), NEEDS_SPACE, -1)
WRAP(int, renameat, (int at, const char *from, int to_at, const char *to), (at, from, to_at, to),
	NEEDS_SPACE, -1)
WRAP(int, linkat, (int at, const char *from, int to_at, const char *to, int flags), (at, from,
	to_at, to, flags), NEEDS_SPACE, -1)
WRAP(int, unlink, (const char *path), (path), ANY, -1)
WRAP(int, unlinkat, (int at, const char *path, int flags), (at, path, flags), ANY, -1)
WRAP(int, rmdir, (const char *path), (path), ANY, -1)
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), NEEDS_SPACE, -1)
WRAP(int, mkdirat, (int at, const char *path, mode_t mode), (at, path, mode), NEEDS_SPACE, -1)
WRAP(int, stat, (const char *path, struct stat *st), (path, st), ANY, -1)
WRAP(int, lstat, (const char *path, struct stat *st), (path, st), ANY, -1)
WRAP(int, fstat, (int fd, struct stat *st), (fd, st), ANY, -1)
WRAP(int, fstatat, (int at, const char *path, struct stat *st, int flags), (at, path, st, flags),
	ANY, -1)
WRAP(void *, mmap, (void *at, size_t n, int prot, int flags, int fd, off_t from), (at, n, prot, flags,
	fd, from), fd < 0 ? 0 : ANY, MAP_FAILED)
WRAP(int, access, (const char *path, int mode), (path, mode), ANY, -1)

/* open() in programs that are compiled with fortification, such as libtracefs. */
int __open64_2(const char *path, int flags);
int __open64_2(const char *path, int flags)
{
	return open(path, flags);
}

/* A descriptor is closed even if close() fails. */
int close(int fd)
{
	static int (*real)(int fd);
	int ret;

	if (!real)
		*(void **)&real = symbol("close");
	if (!fails(ANY))
		return real(fd);
	ret = errno;
	real(fd);
	errno = ret;
	return -1;
}

int fcntl(int fd, int command, ...)
{
	static int (*real)(int fd, int command, ...);
	va_list ap;
	void *arg;

	if (!real)
		*(void **)&real = symbol("fcntl");
	va_start(ap, command);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (fails(command == F_DUPFD_CLOEXEC ? MAKES_FD : ANY))
		return -1;
	return real(fd, command, arg);
}

/* dlsym() itself allocates */
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);

void *malloc(size_t n)
{
	return fails(ALLOCATES) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return fails(ALLOCATES) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return fails(ALLOCATES) ? NULL : __libc_realloc(p, n);
}
