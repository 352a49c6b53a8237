/* SPDX-License-Identifier: LGPL-2.1-only */
/* Directories, small files whose size is not known, such as those of tracefs, and mapped files. */
#pragma once
#include "base/base.h"

struct dirent;

/* The names in a directory in the order of versionsort(), without hidden files; n < 0: error. */
struct dir_names {
	struct dirent **v;
	int n;
};

struct dir_names dir_names_of(const char *path);
void dir_names_release(struct dir_names *names);

bool dir_has(const char *dir, const char *name);

/* Read a regular file into @out; false with errno if it cannot be read or is too large (EFBIG). */
bool dir_read_text(const char *path, struct strbuf *out);

/* The number of bytes read from the start of a regular file; < 0: none, with errno. */
ssize_t dir_read_head(const char *path, void *head, size_t n);

/* The bytes of the regular files in a directory and below it. */
u64 dir_bytes(const char *path);

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
