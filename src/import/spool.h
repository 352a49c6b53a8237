/* SPDX-License-Identifier: LGPL-2.1-only */
/* Files without a name, and mapped files. */
#ifndef HIST_IMPORT_SPOOL_H
#define HIST_IMPORT_SPOOL_H

#include "base/base.h"

/* What stays in memory; more of it goes to a disk. */
enum { SPOOL_MEMORY = 1 << 26 };

/* A file without a name for about @size bytes: in memory, or in $TMPDIR; -1 and errno. */
int spool_open(u64 size);

/* All of it, or 0 with errno. */
bool spool_write(int fd, const void *data, size_t n);

/* A file in memory, to be read. */
struct mapped {
	const u8 *p; /* NULL: nothing is mapped */
	u64 size;
	struct trace_dat_guard *guard;
};

/* Map all of @fd, which may be closed afterwards. 0; -HIST_EIO with errno; -HIST_ENOMEM. */
int mapped_open(struct mapped *m, int fd);
void mapped_close(struct mapped *m);

/*
 * Map the regular file @path, called @name in messages. An empty one is mapped as nothing.
 * Return: 0, -HIST_ENOENT, -HIST_EIO, -HIST_ENOMEM, with a diagnosis
 */
int mapped_open_path(struct mapped *m, const char *path, const char *name, struct diags *diags);

#endif
