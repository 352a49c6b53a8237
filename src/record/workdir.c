// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The work directory of a recording. Enters: blocks and per-CPU files, while recording.
 * Leaves: everything that is needed to assemble a trace.dat, by whoever comes to do it.
 *
 * It gets its name when its manifest is locked; so one without a lock has no owner.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/blocks.h"
#include "record/workdir.h"

#define INFIX   ".part."
#define OUTPUT  "trace.dat"
#define MACHINE "machine.dat"

static bool lock_file(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

static char *join(const char *dir, const char *name)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "%s/%s", dir, name);
	return strbuf_detach(&sb);
}

static int open_in(const struct workdir *w, const char *name, int flags)
{
	char *path = join(w->path, name);
	int fd = path ? open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;

	free(path);
	return fd;
}

int workdir_create(struct workdir *w, const char *output, struct diags *diags)
{
	struct strbuf path = STRBUF_INIT;

	*w = (struct workdir)WORKDIR_INIT;
	strbuf_addf(&path, "%s" INFIX "%d.new", output, (int)getpid());
	w->path = strbuf_detach(&path);
	if (!w->path)
		return -HIST_ENOMEM;
	if (mkdir(w->path, 0700)) {
		diags_error(diags, 0, "cannot write beside %s: %s", output, strerror(errno));
		free(w->path);
		w->path = NULL;
		return -HIST_EIO;
	}
	w->manifest = open_in(w, "manifest", O_RDWR | O_CREAT | O_EXCL | O_APPEND);
	if (w->manifest >= 0 && lock_file(w->manifest)) {
		char *final = strndup(w->path, strlen(w->path) - strlen(".new"));

		if (final && rename(w->path, final) == 0) {
			free(w->path);
			w->path = final;
			return 0;
		}
		free(final);
	}
	diags_error(diags, 0, "cannot write to %s: %s", w->path, strerror(errno));
	workdir_remove(w);
	return -HIST_EIO;
}

int workdir_open(struct workdir *w, const char *path)
{
	*w = (struct workdir)WORKDIR_INIT;
	w->path = strdup(path);
	if (!w->path)
		return -HIST_ENOMEM;
	w->manifest = open_in(w, "manifest", O_RDWR | O_APPEND);
	if (w->manifest < 0) {
		workdir_close(w);
		return -HIST_ENOENT;
	}
	if (!lock_file(w->manifest)) {
		workdir_close(w);
		return 1;
	}
	return 0;
}

void workdir_close(struct workdir *w)
{
	if (w->manifest >= 0)
		close(w->manifest);
	free(w->path);
	*w = (struct workdir)WORKDIR_INIT;
}

static bool is_ours(const char *name)
{
	if (strncmp(name, "cpu", 3) == 0)
		return strspn(name + 3, "0123456789") == strlen(name + 3);
	return strcmp(name, "manifest") == 0 || strcmp(name, "reserve") == 0 ||
	       strcmp(name, MACHINE) == 0 || strcmp(name, OUTPUT) == 0;
}

void workdir_remove(struct workdir *w)
{
	DIR *d = w->path ? opendir(w->path) : NULL;
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (is_ours(entry->d_name))
			unlinkat(dirfd(d), entry->d_name, 0);
	if (d)
		closedir(d);
	if (w->path)
		rmdir(w->path);
	workdir_close(w);
}

/* --- the manifest --- */

static bool write_all(int fd, const char *data, size_t n)
{
	while (n) {
		ssize_t done = write(fd, data, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		data += done;
		n -= (size_t)done;
	}
	return true;
}

int workdir_add(struct workdir *w, const char *key, struct span data)
{
	struct strbuf sb = STRBUF_INIT;
	int err = 0;

	block_add(&sb, key, data);
	if (sb.failed)
		err = -HIST_ENOMEM;
	else if (!write_all(w->manifest, sb.s, sb.len))
		err = -HIST_EIO;
	w->manifest_size += sb.len;
	strbuf_release(&sb);
	return err;
}

int workdir_add_number(struct workdir *w, const char *key, u64 value)
{
	char text[24];
	int n = snprintf(text, sizeof(text), "%llu", (unsigned long long)value);

	return workdir_add(w, key, (struct span){ text, (size_t)n });
}

int workdir_manifest(const struct workdir *w, struct strbuf *text)
{
	struct stat st;
	ssize_t n;

	if (fstat(w->manifest, &st))
		return -HIST_EIO;
	if (!strbuf_grow(text, (size_t)st.st_size))
		return -HIST_ENOMEM;
	do {
		n = pread(w->manifest, text->s + text->len, (size_t)st.st_size - text->len,
			  (off_t)text->len);
		if (n > 0)
			text->len += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	text->s[text->len] = '\0';
	return n < 0 ? -HIST_EIO : 0;
}

/* --- data --- */

int workdir_cpu(const struct workdir *w, u32 cpu, int flags)
{
	char name[24];

	snprintf(name, sizeof(name), "cpu%u", cpu);
	return open_in(w, name, flags);
}

char *workdir_file(const struct workdir *w)
{
	return join(w->path, OUTPUT);
}

char *workdir_machine(const struct workdir *w)
{
	return join(w->path, MACHINE);
}

int workdir_reserve(const struct workdir *w, u64 size)
{
	int fd = open_in(w, "reserve", O_RDWR | O_CREAT);
	int ret = fd < 0 ? -1 : fallocate(fd, 0, 0, (off_t)size);
	int err = errno;

	if (fd >= 0)
		close(fd);
	errno = err;
	return ret && err == ENOSPC ? -HIST_EIO : 0;
}

void workdir_unreserve(const struct workdir *w)
{
	char *path = join(w->path, "reserve");

	if (path)
		unlink(path);
	free(path);
}

/* --- finding --- */

const char *workdir_pid(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

/* Whether @name is BASE.part.PID. */
static bool is_workdir_of(const char *name, const char *base)
{
	size_t n = strlen(base);
	const char *pid = name + n + strlen(INFIX);

	if (strncmp(name, base, n) != 0 || strncmp(name + n, INFIX, strlen(INFIX)) != 0 || !*pid)
		return false;
	return strspn(pid, "0123456789") == strlen(pid);
}

static time_t modified(const char *path)
{
	char *manifest = join(path, "manifest");
	struct stat st = { .st_mtime = 0 };

	if (manifest && stat(manifest, &st))
		st.st_mtime = 0;
	free(manifest);
	return st.st_mtime;
}

static int newest_first(const void *a, const void *b)
{
	time_t x = modified(*(char *const *)a), y = modified(*(char *const *)b);

	return x > y ? -1 : x < y;
}

/* @dir ends in a slash, or is empty for the current one. */
static int find_in(const char *dir, const char *base, struct workdir_list *list)
{
	DIR *d = opendir(*dir ? dir : ".");
	struct dirent *entry;
	int err = 0;

	while (d && !err && (entry = readdir(d))) {
		struct strbuf path = STRBUF_INIT;
		char *copy;

		if (!is_workdir_of(entry->d_name, base))
			continue;
		strbuf_addf(&path, "%s%s", dir, entry->d_name);
		copy = strbuf_detach(&path);
		err = copy ? array_push(&list->paths, copy) : -HIST_ENOMEM;
		if (err)
			free(copy);
	}
	if (d)
		closedir(d);
	if (!err && list->paths.n)
		qsort(list->paths.v, list->paths.n, sizeof(list->paths.v[0]), newest_first);
	return err;
}

int workdir_find(const char *output, struct workdir_list *list)
{
	const char *slash = strrchr(output, '/'), *base = slash ? slash + 1 : output;
	char *dir = strndup(output, (size_t)(base - output));
	int err;

	*list = (struct workdir_list){ ARRAY_INIT };
	err = dir ? find_in(dir, base, list) : -HIST_ENOMEM;
	free(dir);
	return err;
}

void workdir_list_release(struct workdir_list *list)
{
	for (size_t i = 0; i < list->paths.n; i++)
		free(list->paths.v[i]);
	array_release(&list->paths);
}
