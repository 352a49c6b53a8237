/* SPDX-License-Identifier: LGPL-2.1-only */
/* Access to the tracing directory of this machine, through libtracefs. */
#ifndef HIST_RECORD_TRACEDIR_H
#define HIST_RECORD_TRACEDIR_H

#include "base/base.h"

struct tracefs_instance;

/**
 * tracedir_open() - find tracefs, mount it if needed
 * @mounted: set to the mount point, which the caller unmounts at the end and frees; set to NULL if
 *           it was mounted already. NULL: do not mount, and do not report an error.
 *
 * Return: 0, -HIST_ENOENT, -HIST_EIO with a remedy
 */
int tracedir_open(char **mounted, struct diags *diags);

/* Read any file; NULL with errno. The caller frees the text. */
char *file_read(const char *path, size_t *n);

/* Read a file of @instance (NULL: the top level); NULL with errno. The caller frees the text. */
char *tracedir_read(struct tracefs_instance *instance, const char *file, size_t *n);

/* Write or append @text; 0 or -1 with errno. */
int tracedir_write(struct tracefs_instance *instance, const char *file, const char *text);
int tracedir_append(struct tracefs_instance *instance, const char *file, const char *text);

/**
 * tracedir_error() - report why tracefs refused an operation, with a remedy
 * @doing: the operation, such as "cannot create an instance"
 * @err:   errno
 *
 * Return: -HIST_EIO
 */
int tracedir_error(struct diags *diags, int err, const char *doing, const char *file);

/* 1 or 0; -1 with errno if it cannot be determined. */
int tracedir_has_instance(const char *name);

/* Remove an instance; waits briefly if it is still in use. 0 or -1 with errno. */
int tracedir_rmdir_instance(const char *name);

#endif
