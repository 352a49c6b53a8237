// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reserves disk space with a file that is removed before the trace.dat is written, so that a full
 * disk ends a recording while it can still be finished.
 */
#include <sys/statvfs.h>

#include "record/disk_space.h"

enum { COMPRESSED_PER = 2 }; /* compression reduces events to a third or less */

bool disk_is_full(int err)
{
	return err == ENOSPC || err == EDQUOT;
}

static int allocate(int fd, int mode, u64 at, u64 n)
{
	int ret;

	do {
		ret = fallocate(fd, mode, (off_t)at, (off_t)n);
	} while (ret && errno == EINTR);
	return ret;
}

/* Reserve space for the output of @n more bytes of events. */
static int grow(struct reserve *reserve, u64 n)
{
	n = n / reserve->per + (n % reserve->per != 0);
	if (reserve->fd < 0 || !n)
		return 0;
	if (allocate(reserve->fd, 0, reserve->size, n) == 0)
		reserve->size += n;
	else if (disk_is_full(errno))
		return -1;
	return 0;
}

/* Shrink to @size. */
static void shrink(struct reserve *reserve, u64 size)
{
	int why = errno;

	if (reserve->fd >= 0 && size < reserve->size && ftruncate(reserve->fd, (off_t)size) == 0)
		reserve->size = size;
	errno = why;
}

int reserve_open(struct reserve *reserve, const struct workdir *w, u64 rest, bool compress,
		 struct diags *diags)
{
	struct stat st;

	pthread_mutex_init(&reserve->mutex, NULL);
	reserve->per = 1;
	reserve->fd = workdir_reserve(w);
	if (reserve->fd < 0 || fstat(reserve->fd, &st))
		return diags_error(diags, -HIST_EIO, "cannot write to %s: %s", w->path,
				   strerror(errno));
	reserve->size = (u64)st.st_size;
	reserve->rest = rest;
	if (!reserve->size && grow(reserve, rest))
		return diags_error(diags, -HIST_EIO, "no space left on the disk of %s", w->path);
	reserve->per = compress ? COMPRESSED_PER : 1;
	return 0;
}

void reserve_close(struct reserve *reserve)
{
	fd_close(reserve->fd);
	pthread_mutex_destroy(&reserve->mutex);
}

/* Without trying, which would take the space of a file that is written meanwhile for a moment. */
static bool has_margin(const struct reserve *reserve, int out, u64 n)
{
	struct statvfs st;

	return !reserve->margin || fstatvfs(out, &st) ||
	       (u64)st.f_bavail * st.f_frsize >= reserve->margin + n + n / reserve->per;
}

/*
 * Only one reader allocates at a time: a failing allocation temporarily takes space from the
 * others.
 */
int reserve_allocate(struct reserve *reserve, int out, u64 at, u64 n)
{
	int ret;
	u64 size;

	pthread_mutex_lock(&reserve->mutex);
	size = reserve->size;
	errno = ENOSPC;
	ret = has_margin(reserve, out, n) ? grow(reserve, n) : -1;
	ret = ret ?: allocate(out, FALLOC_FL_KEEP_SIZE, at, n);
	if (ret)
		shrink(reserve, size);
	pthread_mutex_unlock(&reserve->mutex);
	return ret;
}

void reserve_spend(struct reserve *reserve, u64 n)
{
	pthread_mutex_lock(&reserve->mutex);
	n = n / reserve->per + (n % reserve->per != 0);
	shrink(reserve, reserve->size - min_t(u64, n, reserve->size));
	pthread_mutex_unlock(&reserve->mutex);
}

void reserve_restore_rest(struct reserve *reserve, u64 rest)
{
	pthread_mutex_lock(&reserve->mutex);
	if (reserve->fd >= 0 && !allocate(reserve->fd, 0, reserve->size, rest)) {
		reserve->size += rest;
		reserve->rest = rest;
	}
	pthread_mutex_unlock(&reserve->mutex);
}

void reserve_release_rest(struct reserve *reserve)
{
	pthread_mutex_lock(&reserve->mutex);
	if (reserve->size > reserve->rest)
		shrink(reserve, reserve->size - reserve->rest);
	reserve->rest = 0;
	pthread_mutex_unlock(&reserve->mutex);
}
