/* SPDX-License-Identifier: LGPL-2.1-only */
/* Directories and the small files in them, such as those of tracefs, of which no size is known. */
#ifndef HIST_IMPORT_DIR_H
#define HIST_IMPORT_DIR_H

#include "base/base.h"

struct dirent;

/* The names in a directory in the order of versionsort(), without hidden ones; n < 0: none. */
struct dir_names {
	struct dirent **v;
	int n;
};

struct dir_names dir_names_of(const char *path);
void dir_names_release(struct dir_names *names);

/* Whether DIR/NAME is there. */
bool dir_has(const char *dir, const char *name);

/* A file into @out; false if it cannot be read, or is too large for a text. */
bool dir_read_text(const char *path, struct strbuf *out);

#endif
