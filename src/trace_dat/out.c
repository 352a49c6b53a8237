// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Output files. An output file has no name in its directory (O_TMPFILE), so that not even SIGKILL
 * leaves a partial file; if the file system does not support that, it has a temporary name. When it
 * is complete and synced, it is renamed to its final name.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace_dat/out.h"

enum { BUF_SIZE = 1 << 18, TRIES = 100 };

/* The directory of @path, allocated. */
static char *dir_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* The file that @path refers to: through a symbolic link, never over a device or directory. */
static char *target_of(const char *path, struct diags *diags)
{
	struct stat st;
	char *real;

	if (stat(path, &st))
		return strdup(path);
	if (!S_ISREG(st.st_mode)) {
		diags_error(diags, -HIST_EINVAL, "%s: cannot write: not a regular file", path);
		return NULL;
	}
	real = realpath(path, NULL);
	return real ? real : strdup(path);
}

static char *temporary_name(const char *name, int try)
{
	char *tmp;

	return asprintf(&tmp, "%s.tmp-%ld-%d", name, (long)getpid(), try) < 0 ? NULL : tmp;
}

int trace_dat_place_open(struct trace_dat_place *place, const char *path, struct diags *diags)
{
	char *target = target_of(path, diags), *dir = target ? dir_of(target) : NULL;
	const char *slash = target ? strrchr(target, '/') : NULL;

	*place = (struct trace_dat_place){ .dir = -1 };
	if (!target)
		return -HIST_EINVAL;
	place->name = strdup(slash ? slash + 1 : target);
	if (dir && place->name)
		place->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir && place->name && place->dir < 0 && errno == EACCES) /* it need not be readable */
		place->dir = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	place->path = target;
	free(dir);
	if (place->dir >= 0)
		return 0;
	diags_error(diags, -HIST_EIO, "%s: cannot create: %s", path,
		    strerror(dir && place->name ? errno : ENOMEM));
	trace_dat_place_release(place);
	return -HIST_EIO;
}

void trace_dat_place_release(struct trace_dat_place *place)
{
	if (place->dir >= 0)
		close(place->dir);
	free((char *)place->name);
	free((char *)place->path);
	*place = (struct trace_dat_place){ .dir = -1 };
}

static int place_copy(struct trace_dat_place *to, const struct trace_dat_place *from)
{
	to->name = strdup(from->name);
	to->path = strdup(from->path);
	to->dir = fcntl(from->dir, F_DUPFD_CLOEXEC, 0);
	return to->name && to->path && to->dir >= 0 ? 0 : -1;
}

static int open_unnamed(const struct trace_dat_place *place)
{
	/* the file gets its name through /proc later */
	if (access("/proc/self/fd", X_OK))
		return -1;
	return openat(place->dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
}

static int open_named(struct trace_dat_out *out)
{
	int fd = -1;

	for (int try = 0; try < TRIES && fd < 0; try++) {
		free(out->tmp);
		out->tmp = temporary_name(out->place.name, try);
		if (!out->tmp)
			return -1;
		fd = openat(out->place.dir, out->tmp, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0) {
		free(out->tmp);
		out->tmp = NULL;
	}
	return fd;
}

static void release(struct trace_dat_out *out)
{
	if (out->fd >= 0 && !out->borrowed)
		close(out->fd);
	trace_dat_place_release(&out->place);
	free(out->tmp);
	free(out->buf);
	*out = (struct trace_dat_out)TRACE_DAT_OUT_INIT;
}

int trace_dat_out_open(struct trace_dat_out *out, const struct trace_dat_place *place,
		       struct diags *diags)
{
	int err;

	*out = (struct trace_dat_out)TRACE_DAT_OUT_INIT;
	out->buf = malloc(BUF_SIZE);
	if (!place_copy(&out->place, place)) {
		out->fd = open_unnamed(place);
		if (out->fd < 0)
			out->fd = open_named(out);
	}
	if (out->fd >= 0 && out->buf)
		return 0;
	err = diags_error(diags, out->buf ? -HIST_EIO : HIST_NOMEM, "%s: cannot create: %s",
			  place->path, strerror(out->buf ? errno : ENOMEM));
	trace_dat_out_abort(out);
	return err;
}

int trace_dat_out_borrow(struct trace_dat_out *out, int fd, const char *name)
{
	*out = (struct trace_dat_out)TRACE_DAT_OUT_INIT;
	out->fd = fd;
	out->borrowed = true;
	out->place.path = strdup(name);
	out->buf = malloc(BUF_SIZE);
	if (out->place.path && out->buf)
		return 0;
	release(out);
	return HIST_NOMEM;
}

static void write_all(struct trace_dat_out *out, const u8 *data, size_t n, u64 at)
{
	while (n && !out->error) {
		ssize_t r = pwrite(out->fd, data, n, (off_t)at);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0) {
			out->error = r ? errno : EIO;
			break;
		}
		data += r;
		n -= (size_t)r;
		at += (u64)r;
	}
}

int trace_dat_out_flush(struct trace_dat_out *out)
{
	write_all(out, out->buf, out->used, out->pos - out->used);
	out->used = 0;
	return out->error ? -HIST_EIO : 0;
}

void trace_dat_out_write(struct trace_dat_out *out, const void *data, size_t n)
{
	if (n > BUF_SIZE - out->used)
		trace_dat_out_flush(out);
	if (n >= BUF_SIZE) {
		write_all(out, data, n, out->pos);
	} else if (n) {
		memcpy(out->buf + out->used, data, n);
		out->used += n;
	}
	out->pos += n;
}

void trace_dat_out_zero(struct trace_dat_out *out, u64 n)
{
	static const u8 zeros[4096];

	for (; n; n -= min_t(u64, n, sizeof(zeros)))
		trace_dat_out_write(out, zeros, min_t(u64, n, sizeof(zeros)));
}

void trace_dat_out_align(struct trace_dat_out *out, u64 align)
{
	u64 over = out->pos % align;

	if (over)
		trace_dat_out_zero(out, align - over);
}

void trace_dat_out_patch(struct trace_dat_out *out, u64 pos, const void *data, size_t n)
{
	u64 flushed = out->pos - out->used;

	if (pos < flushed && pos + n > flushed)
		trace_dat_out_flush(out);
	flushed = out->pos - out->used;
	if (pos >= flushed && out->used)
		memcpy(out->buf + (pos - flushed), data, n);
	else
		write_all(out, data, n, pos);
}

void trace_dat_out_copy(struct trace_dat_out *out, struct trace_dat_out *from, u64 pos, u64 n)
{
	trace_dat_out_flush(out);
	if (trace_dat_out_flush(from))
		out->error = out->error ? out->error : from->error;
	while (n && !out->error) {
		ssize_t r = pread(from->fd, out->buf, min_t(u64, n, BUF_SIZE), (off_t)pos);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0) {
			out->error = r ? errno : EIO;
			break;
		}
		write_all(out, out->buf, (size_t)r, out->pos);
		out->pos += (u64)r;
		pos += (u64)r;
		n -= (u64)r;
	}
}

/* Give the unnamed file a temporary name, because a link cannot replace another file. */
static int give_name(struct trace_dat_out *out)
{
	char proc[64];

	if (out->tmp)
		return 0;
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", out->fd);
	for (int try = 0; try < TRIES; try++) {
		char *name = temporary_name(out->place.name, try);

		if (!name)
			return -1;
		if (!linkat(AT_FDCWD, proc, out->place.dir, name, AT_SYMLINK_FOLLOW)) {
			out->tmp = name;
			return 0;
		}
		free(name);
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

int trace_dat_out_commit(struct trace_dat_out *out, struct diags *diags)
{
	const struct trace_dat_place *place = &out->place;
	int err;

	if (!trace_dat_out_flush(out) && !out->borrowed && fsync(out->fd))
		out->error = errno;
	if (!out->error && !out->borrowed &&
	    (give_name(out) || renameat(place->dir, out->tmp, place->dir, place->name)))
		out->error = errno;
	if (!out->error) {
		if (!out->borrowed)
			fsync(place->dir); /* sync the new name; if this fails, no data is lost */
		release(out);
		return 0;
	}
	err = diags_error(diags, -HIST_EIO, "%s: cannot write: %s", place->path,
			  strerror(out->error));
	trace_dat_out_abort(out);
	return err;
}

void trace_dat_out_abort(struct trace_dat_out *out)
{
	if (out->tmp)
		unlinkat(out->place.dir, out->tmp, 0);
	release(out);
}
