// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the names in a directory and small files; maps large ones. */
#include <sys/mman.h>

#include "import/dir.h"
#include "trace_dat/trace_dat.h"

enum { MAX_TEXT = 1 << 28, MAX_DEPTH = 16 };

static int is_visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

struct dir_names dir_names_of(const char *path)
{
	struct dir_names names = { NULL, 0 };

	names.n = scandir(path, &names.v, is_visible, versionsort);
	return names;
}

void dir_names_release(struct dir_names *names)
{
	for (int i = 0; i < names->n; i++)
		free(names->v[i]);
	free(names->v);
}

bool dir_has(const char *dir, const char *name)
{
	scoped(strbuf_release) struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, "%s/%s", dir, name);
	return !path.failed && !access(path.s, F_OK);
}

bool dir_read_text(const char *path, struct strbuf *out)
{
	strbuf_reset(out);
	return fd_append_close(fd_open_file(path), out, MAX_TEXT);
}

ssize_t dir_read_head(const char *path, void *head, size_t n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	ssize_t got = -1;

	if (fd >= 0 && !fstat(fd, &st)) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
		if (S_ISREG(st.st_mode))
			got = pread(fd, head, n, 0);
	}
	fd_close(fd);
	return got;
}

static u64 bytes_below(const char *path, int depth)
{
	scoped(dir_names_release) struct dir_names names = dir_names_of(path);
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct stat st;
	u64 sum = 0;

	for (int i = 0; i < names.n; i++) {
		strbuf_reset(&sb);
		strbuf_addf(&sb, "%s/%s", path, names.v[i]->d_name);
		/* a link may lead to a directory above */
		if (sb.failed || lstat(sb.s, &st))
			continue;
		if (S_ISREG(st.st_mode))
			sum += (u64)st.st_size;
		else if (S_ISDIR(st.st_mode) && depth < MAX_DEPTH)
			sum += bytes_below(sb.s, depth + 1);
	}
	return sum;
}

u64 dir_bytes(const char *path)
{
	return bytes_below(path, 0);
}

/* --- mapped files --- */

int mapped_open(struct mapped *m, int fd)
{
	struct stat st;
	void *p;

	*m = (struct mapped){ .p = NULL };
	if (fstat(fd, &st))
		return -HIST_EIO;
	if (!st.st_size)
		return 0;
	if ((u64)st.st_size > SIZE_MAX) {
		errno = EFBIG;
		return -HIST_EIO;
	}
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return -HIST_EIO;
	m->p = p;
	m->size = (u64)st.st_size;
	m->guard = trace_dat_guard_add(p, (size_t)st.st_size);
	if (m->guard)
		return 0;
	mapped_close(m);
	return HIST_NOMEM;
}

void mapped_close(struct mapped *m)
{
	trace_dat_guard_drop(m->guard);
	if (m->p)
		munmap((void *)(uintptr_t)m->p, (size_t)m->size);
	*m = (struct mapped){ .p = NULL };
}

int mapped_open_path(struct mapped *m, const char *path, const char *name, struct diags *diags)
{
	int fd = fd_open_file(path), err;

	*m = (struct mapped){ .p = NULL };
	if (fd < 0 && (errno == ENOTSUP || errno == EISDIR))
		return diags_error(diags, -HIST_EIO, "%s: is not a regular file", name);
	if (fd < 0)
		return diags_error(diags, errno == ENOENT ? -HIST_ENOENT : -HIST_EIO,
				   "%s: cannot open: %s", name, strerror(errno));
	err = mapped_open(m, fd);
	if (err)
		diags_error(diags, err, "%s: cannot map: %s", name, strerror(errno));
	close(fd);
	return err;
}
