/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Files and directories of the caller, opened so that no other user of the machine can substitute
 * them: never through a symbolic link, and only if they belong to the caller and no other user can
 * write to them.
 *
 * Functions that open return a descriptor, or -1 with errno: EACCES if the file belongs to another
 * user or others can write to it, ELOOP or ENOTDIR if it has the wrong type.
 */
#pragma once
#include <sys/types.h>

#include "base/types.h"

/* Open directory @name of directory @at. */
int own_dir_open(int at, const char *name);

/* Open regular file @name of directory @at; it must have only one link. @flags as for open(2). */
int own_file_open(int at, const char *name, int flags);

/*
 * Create file @path below the open directory @root, with its directories. What another user puts
 * there in the meantime is refused, also if @root belongs to this user; so are names that lead out
 * of
 * @root (EINVAL).
 */
int own_file_create(int root, const char *path);

/*
 * Lock a file that is open for writing, without waiting. The lock belongs to the open file, so
 * closing another descriptor of the same file does not drop it.
 */
bool own_lock(int fd);

/* Rename in directory @dir; an existing @to is not replaced, if the file system supports that. */
int own_rename(int dir, const char *from, const char *to);

/* Whether both descriptors refer to the same file or directory. */
bool own_same(int fd, int other);
