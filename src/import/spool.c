// SPDX-License-Identifier: LGPL-2.1-only
/* Unnamed files for data that does not fit into memory, and mapped files. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "import/spool.h"
#include "trace_dat/trace_dat.h"

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
