// SPDX-License-Identifier: LGPL-2.1-only
/* Reads and writes that handle short counts and interrupts; files that vanish when they are closed.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"

/* Checked before, because opening a device may have effects, and after, if it was exchanged. */
int fd_open_file(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return -1;
	if (S_ISREG(st.st_mode)) {
		int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

		if (fd < 0 || (!fstat(fd, &st) && S_ISREG(st.st_mode)))
			return fd;
		close(fd);
	}
	errno = S_ISDIR(st.st_mode) ? EISDIR : ENOTSUP;
	return -1;
}

int fd_open_parent(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? strndup(path, (size_t)(slash + 1 - path)) : strdup(".");
	int fd = dir ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (dir && fd < 0 && errno == EACCES)
		fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	return fd;
}

void fd_close(int fd)
{
	int why = errno;

	if (fd >= 0)
		close(fd);
	errno = why;
}

DIR *fd_list(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);

	if (!list)
		fd_close(fd);
	return list;
}

/* With @at < 0: from the current position. */
static ssize_t read_from(int fd, void *data, size_t n, off_t at)
{
	size_t have = 0;

	while (have < n) {
		void *to = (char *)data + have;
		ssize_t got = at < 0 ? read(fd, to, n - have)
				     : pread(fd, to, n - have, at + (off_t)have);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		have += (size_t)got;
	}
	return (ssize_t)have;
}

ssize_t fd_read(int fd, void *data, size_t n)
{
	return read_from(fd, data, n, -1);
}

ssize_t fd_pread(int fd, void *data, size_t n, u64 at)
{
	return read_from(fd, data, n, (off_t)at);
}

ssize_t fd_append(int fd, struct strbuf *sb, size_t n)
{
	enum { STEP = 1 << 16 };
	size_t have = 0;

	while (have < n) {
		size_t step = min_t(size_t, STEP, n - have);
		ssize_t got;

		if (!strbuf_grow(sb, step)) {
			errno = ENOMEM;
			return -1;
		}
		got = fd_read(fd, sb->s + sb->len, step);
		if (got < 0)
			return -1;
		strbuf_cut(sb, sb->len += (size_t)got);
		have += (size_t)got;
		if ((size_t)got < step)
			break;
	}
	return (ssize_t)have;
}

bool fd_append_all(int fd, struct strbuf *sb, size_t max)
{
	ssize_t n = fd_append(fd, sb, max + 1);

	if (n > (ssize_t)max)
		errno = EFBIG;
	return n >= 0 && n <= (ssize_t)max;
}

bool fd_append_close(int fd, struct strbuf *sb, size_t max)
{
	bool ok = fd >= 0 && fd_append_all(fd, sb, max);

	fd_close(fd);
	return ok;
}

/* With @at < 0: at the current position. */
static bool write_to(int fd, const void *data, size_t n, off_t at)
{
	for (size_t done = 0; done < n;) {
		const void *from = (const char *)data + done;
		ssize_t put = at < 0 ? write(fd, from, n - done)
				     : pwrite(fd, from, n - done, at + (off_t)done);

		if (put < 0 && errno == EINTR)
			continue;
		if (!put)
			errno = EIO;
		if (put <= 0)
			return false;
		done += (size_t)put;
	}
	return true;
}

bool fd_write(int fd, const void *data, size_t n)
{
	return write_to(fd, data, n, -1);
}

bool fd_pwrite(int fd, const void *data, size_t n, u64 at)
{
	return write_to(fd, data, n, (off_t)at);
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const char *tmp_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/tmp";
}

bool fd_make_tmp(struct strbuf *path, const char *name)
{
	strbuf_addf(path, "%s/%sXXXXXX", tmp_dir(), name);
	if (!path->failed)
		return mkdtemp(path->s);
	errno = ENOMEM;
	return false;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

bool fd_remove_tree(const char *path)
{
	enum { DEPTH = 32 }; /* directories that are open at a time */

	return !nftw(path, remove_one, DEPTH, FTW_DEPTH | FTW_PHYS);
}

int fd_unnamed(const char *name)
{
	int fd = open(tmp_dir(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd >= 0 ? fd : memfd_create(name, MFD_CLOEXEC);
}
