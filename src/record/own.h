/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Files and directories of the caller's, opened so that no other user of the machine can put
 * something else in their place: never through a symbolic link, and only if they belong to the
 * caller and nobody else can write to them.
 *
 * Each returns a descriptor, or -1 with errno: EACCES for what belongs to another user or can
 * be written to by one, ELOOP or ENOTDIR for what is not of that kind.
 */
#ifndef HIST_RECORD_OWN_H
#define HIST_RECORD_OWN_H

#include "base/base.h"

/* Directory @name of directory @at. */
int own_dir_open(int at, const char *name);

/* Regular file @name of directory @at, which has no other name. @flags as for open(2). */
int own_file_open(int at, const char *name, int flags);

/*
 * Lock a file that is open for writing, without waiting. The lock belongs to the open file, so
 * closing another descriptor of the same file does not drop it.
 */
bool own_lock(int fd);

/* Write all of it; false with errno. */
bool own_write(int fd, const char *data, size_t n);

/* Whether both descriptors are the same file or directory. */
bool own_same(int fd, int other);

#endif
