/* SPDX-License-Identifier: LGPL-2.1-only */
/* Descriptors: complete reads and writes; unnamed files and directories for a while. */
#pragma once
#include <dirent.h>
#include <sys/types.h>

#include "base/strbuf.h"

/*
 * Open a regular file for reading; -1 and errno, ENOTSUP for others: a pipe would block, a device
 * may be endless, and opening it may have effects.
 */
int fd_open_file(const char *path);

/* Open the directory that contains @path, which need not be readable; -1 and errno on failure. */
int fd_open_parent(const char *path);

/* List the open directory @dir from its start; NULL and errno on failure. */
DIR *fd_list(int dir);

/* Close @fd unless it is below zero; errno is kept. */
void fd_close(int fd);

/* Read until @n bytes or the end; the number of bytes, -1 and errno on failure. */
ssize_t fd_read(int fd, void *data, size_t n);

/* The same from position @at. */
ssize_t fd_pread(int fd, void *data, size_t n, u64 at);

/*
 * Append until @n bytes or the end; the number of bytes, -1 and errno on failure (ENOMEM: out of
 * memory).
 */
ssize_t fd_append(int fd, struct strbuf *sb, size_t n);

/*
 * Append all of a file of at most @max bytes, less than SSIZE_MAX; false with errno on failure,
 * EFBIG: it is larger.
 */
bool fd_append_all(int fd, struct strbuf *sb, size_t max);

/* The same, and close the file. @fd < 0: it could not be opened; errno is kept. */
bool fd_append_close(int fd, struct strbuf *sb, size_t max);

/* Write all @n bytes; false with errno on failure. */
bool fd_write(int fd, const void *data, size_t n);

/* The same at position @at. */
bool fd_pwrite(int fd, const void *data, size_t n, u64 at);

/* The last part of a path. */
const char *path_base(const char *path);

/*
 * Make a directory in $TMPDIR or /tmp, and append its path, whose last part is @name and six
 * letters; false with errno on failure.
 */
bool fd_make_tmp(struct strbuf *path, const char *name);

/* Remove a directory and all that is in it; false with errno on failure. */
bool fd_remove_tree(const char *path);

/* Open an unnamed file in $TMPDIR or /tmp, otherwise in memory as @name; -1 and errno on failure.
 */
int fd_unnamed(const char *name);
