// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds the place of an output file. Links are followed here and not by the kernel, because root
 * must not write to a file that another user chooses. The kernel has such a rule for sticky
 * directories, if the sysctls protected_symlinks and protected_fifos are on: may_follow_link(),
 * may_create_in_sticky(). Here it holds without them, and also in the other user's own directories.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/out_dest.h"
#include "base/own.h"
#include "base/strbuf.h"

enum { MAX_LINKS = 40 }; /* as in the kernel */

/* The length of the directory in @path, with the slash. */
static size_t dir_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash + 1 - path) : 0;
}

static bool is_ours(const struct stat *st)
{
	return st->st_uid == geteuid() || st->st_uid == 0;
}

/* Whether only the caller or root can have put the file with status @st in @dir. */
static bool is_trusted(int dir, const struct stat *st)
{
	struct stat of;

	/* a second name can be that of a link or pipe of root's elsewhere */
	if (is_ours(st) && st->st_nlink == 1)
		return true;
	return !fstat(dir, &of) && is_ours(&of) && !(of.st_mode & (S_IWGRP | S_IWOTH));
}

/* The number if @name in @dir is a descriptor of this process, otherwise -1. */
static int own_descriptor(const struct out_dest *dest)
{
	struct stat a, b;
	char *end;
	long fd;

	if (fstat(dest->dir, &a) || stat("/proc/self/fd", &b) || a.st_dev != b.st_dev ||
	    a.st_ino != b.st_ino)
		return -1;
	fd = strtol(dest->name, &end, 10);
	return end != dest->name && !*end && fd >= 0 && fd <= INT_MAX ? (int)fd : -1;
}

/* The path that the link at @dest contains, relative to the current directory. */
static char *link_text(const struct out_dest *dest, const char *path)
{
	struct strbuf sb = STRBUF_INIT;
	char text[PATH_MAX];
	ssize_t n = readlinkat(dest->dir, dest->name, text, sizeof(text));

	if (n < 0 || n == sizeof(text)) {
		errno = n < 0 ? errno : ENAMETOOLONG;
		return NULL;
	}
	if (text[0] != '/')
		strbuf_add(&sb, path, dir_length(path));
	strbuf_add(&sb, text, (size_t)n);
	errno = ENOMEM;
	return strbuf_detach(&sb);
}

/*
 * Look up the last part of @path; *@next: the path in a link, to be freed. 0, or -1 with errno:
 * EPERM if the link must not be followed.
 */
static int look_up(struct out_dest *dest, const char *path, bool to_file, char **next)
{
	struct stat st, of;
	mode_t mask;
	int fd;

	*next = NULL;
	free((char *)dest->name);
	fd_close(dest->dir);
	dest->dir = fd_open_parent(path);
	dest->name = strdup(path + dir_length(path));
	if (dest->dir < 0 || !dest->name)
		return -1;
	if (fstatat(dest->dir, dest->name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -1;
	if (S_ISREG(st.st_mode)) {
		/* not wider than that of the file that is replaced */
		mask = umask(0);
		umask(mask);
		dest->mode = st.st_mode & (st.st_uid == geteuid() ? 0777 : 0666 & ~mask);
	} else {
		dest->kind = OUT_OTHER;
	}
	if (!S_ISLNK(st.st_mode))
		return 0;
	/* a descriptor of this process is written to, instead of its file */
	fd = own_descriptor(dest);
	if (fd >= 0 && !(to_file && !fstat(fd, &of) && S_ISREG(of.st_mode))) {
		dest->kind = OUT_FD;
		return 0;
	}
	dest->kind = OUT_FILE;
	errno = EPERM;
	*next = is_trusted(dest->dir, &st) ? link_text(dest, path) : NULL;
	return *next ? 0 : -1;
}

int out_dest_open(struct out_dest *dest, const char *path, bool to_file, struct diags *diags)
{
	char *at = strdup(path), *next = NULL;
	int why, ret = at ? 0 : -1;

	*dest = (struct out_dest)OUT_DEST_INIT;
	if (!*path) {
		free(at);
		return diags_error(diags, -HIST_EIO, "'' is not the name of a file");
	}
	for (int links = 0; !ret && at; links++) {
		ret = look_up(dest, at, to_file, &next);
		free(at);
		at = next;
		if (!ret && at && links == MAX_LINKS) {
			errno = ELOOP;
			ret = -1;
		}
	}
	why = errno;
	free(at);
	if (!ret) {
		dest->path = strdup(path);
		if (dest->path)
			return 0;
		why = ENOMEM;
	}
	out_dest_close(dest);
	if (why == EPERM)
		return diags_error(
			diags, -HIST_EIO,
			"%s: cannot create: it is a symbolic link of another user; remove it, or choose another name",
			path);
	return diags_error(diags, why == ENOMEM ? HIST_NOMEM : -HIST_EIO, "%s: cannot create: %s",
			   path, strerror(why));
}

void out_dest_close(struct out_dest *dest)
{
	fd_close(dest->dir);
	free((char *)dest->name);
	free((char *)dest->path);
	*dest = (struct out_dest)OUT_DEST_INIT;
}

int out_dests_differ(const char *a, const char *b, struct diags *diags)
{
	struct out_dest x, y = OUT_DEST_INIT;
	bool same;

	/* an error is reported when it is opened for writing */
	same = !out_dest_open(&x, a, false, NULL) && !out_dest_open(&y, b, false, NULL) &&
	       x.kind == OUT_FILE && y.kind == OUT_FILE && x.name && y.name &&
	       !strcmp(x.name, y.name) && own_same(x.dir, y.dir);
	out_dest_close(&x);
	out_dest_close(&y);
	return same ? diags_error(diags, -HIST_EINVAL,
				  "%s and %s: are the same output file; write to two files", a, b)
		    : 0;
}

int out_dest_write(const struct out_dest *dest)
{
	const int flags = O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC;
	struct stat st;
	int fd;

	if (dest->kind == OUT_FD)
		return fcntl(own_descriptor(dest), F_DUPFD_CLOEXEC, 0);
	/* checked before, because open() waits for a reader of a pipe, and after, if it was
	 * exchanged */
	if (fstatat(dest->dir, dest->name, &st, AT_SYMLINK_NOFOLLOW))
		return -1;
	errno = EACCES;
	fd = is_trusted(dest->dir, &st) ? openat(dest->dir, dest->name, flags) : -1;
	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && is_trusted(dest->dir, &st) && !S_ISREG(st.st_mode))
		return fd;
	close(fd);
	errno = EACCES;
	return -1;
}

/* --- directories --- */

static bool is_empty(int fd)
{
	DIR *dir = fd_list(fd);
	const struct dirent *e;
	bool empty = dir != NULL;

	while (dir && empty && (e = readdir(dir)))
		empty = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
	if (dir)
		closedir(dir);
	return empty;
}

int out_dir_open(const char *path, struct diags *diags)
{
	size_t n = strlen(path);
	struct out_dest dest;
	scoped(free_scoped) char *name = NULL;
	int fd = -1, err;

	while (n > 1 && path[n - 1] == '/')
		n--;
	name = strndup(path, n);
	err = name ? out_dest_open(&dest, name, false, diags) : HIST_NOMEM;
	if (err)
		return -1;
	if (dest.name && (!mkdirat(dest.dir, dest.name, 0755) || errno == EEXIST))
		fd = openat(dest.dir, dest.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		diags_error(diags, -HIST_EIO, "%s: %s", path, strerror(errno));
	out_dest_close(&dest);
	if (fd >= 0 && !is_empty(fd)) {
		diags_error(diags, -HIST_EINVAL, "%s: not an empty directory", path);
		close(fd);
		return -1;
	}
	return fd;
}
