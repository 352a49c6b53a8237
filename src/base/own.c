// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Opens files that belong to the caller. The checks are made on the descriptor of the open file,
 * because the name may refer to another file a moment later.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/array.h"
#include "base/own.h"
#include "base/span.h"

static int open_own(int at, const char *name, int flags)
{
	int fd = openat(at, name, flags | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st)) {
		if (st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH)) &&
		    ((flags & O_DIRECTORY) || (S_ISREG(st.st_mode) && st.st_nlink == 1)))
			return fd;
		errno = EACCES;
	}
	fd_close(fd);
	return -1;
}

int own_dir_open(int at, const char *name)
{
	return open_own(at, name, O_RDONLY | O_DIRECTORY);
}

int own_file_open(int at, const char *name, int flags)
{
	/* a FIFO or device of another user must not block or have other effects */
	return open_own(at, name, flags | O_NONBLOCK | O_NOCTTY);
}

/* Open the directory of @path below @root, made if needed; *@base: set to the last part. */
static int open_below(int root, const char *path, const char **base)
{
	int fd = fcntl(root, F_DUPFD_CLOEXEC, 0);
	const char *end;

	for (; fd >= 0 && (end = strchr(path, '/')); path = end + 1) {
		scoped(free_scoped) char *part = strndup(path, (size_t)(end - path));
		int next = -1;

		/* not writable by a group, whatever the umask is: such a directory is not opened */
		if (part && (mkdirat(fd, part, 0755) == 0 || errno == EEXIST))
			next = own_dir_open(fd, part);
		fd_close(fd);
		fd = next;
	}
	*base = path;
	return fd;
}

int own_file_create(int root, const char *path)
{
	struct span rest = span_of(path);
	const char *base;
	int parent, fd;

	while (rest.s) {
		if (!span_is_file_name(span_sep(&rest, "/"))) {
			errno = EINVAL;
			return -1;
		}
	}
	parent = open_below(root, path, &base);
	if (parent < 0)
		return -1;
	fd = openat(parent, base, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	fd_close(parent);
	return fd;
}

bool own_lock(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

int own_rename(int dir, const char *from, const char *to)
{
	if (renameat2(dir, from, dir, to, RENAME_NOREPLACE) == 0)
		return 0;
	return errno == EINVAL || errno == ENOSYS ? renameat(dir, from, dir, to) : -1;
}

bool own_same(int fd, int other)
{
	struct stat a, b;

	return !fstat(fd, &a) && !fstat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}
