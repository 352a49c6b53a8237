/* SPDX-License-Identifier: LGPL-2.1-only */
/* A row of numbers as small bars. */
#ifndef HIST_TOP_SPARK_H
#define HIST_TOP_SPARK_H

#include "base/base.h"

/*
 * Append @n characters: a space for 0, otherwise one of eight heights relative to the largest
 * number. @plain: of ASCII
 */
void spark_add(struct strbuf *out, const u64 *v, size_t n, bool plain);

#endif
