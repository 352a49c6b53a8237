/* SPDX-License-Identifier: LGPL-2.1-only */
/* Descriptors: complete writes, and unnamed files. */
#ifndef HIST_BASE_FD_H
#define HIST_BASE_FD_H

#include "base/types.h"

/* Write all @n bytes; false with errno on failure. */
bool fd_write(int fd, const void *data, size_t n);

/* Open an unnamed file in $TMPDIR or /tmp, otherwise in memory as @name; -1 and errno on failure.
 */
int fd_unnamed(const char *name);

#endif
