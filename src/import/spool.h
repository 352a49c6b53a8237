/* SPDX-License-Identifier: LGPL-2.1-only */
/* Unnamed files, and mapped files. */
#ifndef HIST_IMPORT_SPOOL_H
#define HIST_IMPORT_SPOOL_H

#include "base/base.h"

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
