/* SPDX-License-Identifier: LGPL-2.1-only */
/* Directories, and small files whose size is not known, such as those of tracefs. */
#ifndef HIST_IMPORT_DIR_H
#define HIST_IMPORT_DIR_H

#include <sys/types.h>

#include "base/base.h"

struct dirent;

/* The names in a directory in the order of versionsort(), without hidden files; n < 0: error. */
struct dir_names {
	struct dirent **v;
	int n;
};

struct dir_names dir_names_of(const char *path);
void dir_names_release(struct dir_names *names);

/* Whether DIR/NAME exists. */
bool dir_has(const char *dir, const char *name);

/* Read a regular file into @out; false with errno if it cannot be read or is too large (EFBIG). */
bool dir_read_text(const char *path, struct strbuf *out);

/* The number of bytes read from the start of a regular file; < 0: none, with errno. */
ssize_t dir_read_head(const char *path, void *head, size_t n);

/* The bytes of the regular files in a directory and below it. */
u64 dir_bytes(const char *path);

#endif
