/* SPDX-License-Identifier: LGPL-2.1-only */
/* Files that are given by mistake. */
#ifndef HIST_BASE_FILE_KIND_H
#define HIST_BASE_FILE_KIND_H

#include "base/span.h"

/*
 * What a file with these first bytes is, and what to do with it: "is compressed with gzip; unpack
 * it first". NULL: unknown. The first FILE_KIND_HEAD bytes suffice.
 */
enum { FILE_KIND_HEAD = 512 };
const char *file_kind(struct span head);

#endif
