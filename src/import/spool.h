/* SPDX-License-Identifier: LGPL-2.1-only */
/* Unnamed files, and mapped files. */
#ifndef HIST_IMPORT_SPOOL_H
#define HIST_IMPORT_SPOOL_H

#include "base/base.h"

/* Data up to this size is in memory, more is on a disk. */
enum { SPOOL_MEMORY = 1 << 26 };

/* Open an unnamed file for about @size bytes, in memory or in $TMPDIR; -1 and errno on failure. */
int spool_open(u64 size);

/* A file mapped for reading. */
struct mapped {
	const u8 *p; /* NULL: nothing is mapped */
	u64 size;
	struct trace_dat_guard *guard;
};

/* Map all of @fd, which may be closed afterwards. 0; -HIST_EIO with errno; -HIST_ENOMEM. */
int mapped_open(struct mapped *m, int fd);
void mapped_close(struct mapped *m);

/*
 * Map the regular file @path, called @name in messages. For an empty file nothing is mapped.
 * Return: 0, -HIST_ENOENT, -HIST_EIO, -HIST_ENOMEM, with a diagnosis
 */
int mapped_open_path(struct mapped *m, const char *path, const char *name, struct diags *diags);

#endif
