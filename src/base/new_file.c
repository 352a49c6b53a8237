// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Output files. A new file has no name in its directory (O_TMPFILE), so that not even SIGKILL
 * leaves a partial file; if the file system does not support that, it has a temporary name. When it
 * is complete, it is renamed to its final name: readers find the old file or the complete new one,
 * and what has this name, if only since a moment ago, is replaced and never written to.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/new_file.h"

enum { TRIES = 100 };

static char *temporary_name(const char *name, int try)
{
	char *tmp;

	return asprintf(&tmp, "%s.tmp-%ld-%d", name, (long)getpid(), try) < 0 ? NULL : tmp;
}

static int open_named(struct new_file *f)
{
	int fd = -1;

	for (int try = 0; try < TRIES && fd < 0; try++) {
		free(f->tmp);
		f->tmp = temporary_name(f->dest.name, try);
		if (!f->tmp)
			return -1;
		fd = openat(f->dest.dir, f->tmp, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0) {
		free(f->tmp);
		f->tmp = NULL;
	}
	return fd;
}

int new_file_open(struct new_file *f, const struct out_dest *dest)
{
	int why;

	*f = (struct new_file)NEW_FILE_INIT;
	f->dest = (struct out_dest){ .name = strdup(dest->name),
				     .path = strdup(dest->path),
				     .dir = fcntl(dest->dir, F_DUPFD_CLOEXEC, 0),
				     .mode = dest->mode };
	if (f->dest.name && f->dest.path && f->dest.dir >= 0) {
		/* an unnamed file gets its name through /proc later */
		if (!access("/proc/self/fd", X_OK))
			f->fd = openat(dest->dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
		if (f->fd < 0)
			f->fd = open_named(f);
	}
	/* a file system without modes need not be able to set this one */
	if (f->fd >= 0 && (!dest->mode || !fchmod(f->fd, dest->mode) || errno == EPERM))
		return 0;
	why = errno;
	new_file_close(f);
	errno = why;
	return -1;
}

/* Give the unnamed file a temporary name, because a link cannot replace another file. */
static int give_name(struct new_file *f)
{
	char proc[64];

	if (f->tmp)
		return 0;
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", f->fd);
	for (int try = 0; try < TRIES; try++) {
		char *name = temporary_name(f->dest.name, try);

		if (!name)
			return -1;
		if (!linkat(AT_FDCWD, proc, f->dest.dir, name, AT_SYMLINK_FOLLOW)) {
			f->tmp = name;
			return 0;
		}
		free(name);
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

int new_file_commit(struct new_file *f)
{
	if (give_name(f) || renameat(f->dest.dir, f->tmp, f->dest.dir, f->dest.name))
		return -1;
	free(f->tmp);
	f->tmp = NULL;
	return 0;
}

void new_file_close(struct new_file *f)
{
	if (f->tmp)
		unlinkat(f->dest.dir, f->tmp, 0);
	fd_close(f->fd);
	out_dest_close(&f->dest);
	free(f->tmp);
	*f = (struct new_file)NEW_FILE_INIT;
}
