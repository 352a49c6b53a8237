/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Mapped files that may shrink: missing data reads as zeros instead of ending the process, after
 * trace_dat_guard_install().
 */
#pragma once
#include "base/base.h"

struct trace_dat_guard;

/* Install a handler for SIGBUS, so that the missing part of a file that shrinks reads as zeros. */
int trace_dat_guard_install(void);

/* Guard @size mapped bytes from @base on; NULL if out of memory. */
struct trace_dat_guard *trace_dat_guard_add(const void *base, size_t size);
void trace_dat_guard_drop(struct trace_dat_guard *g);

/* Whether a page of this mapping was missing. */
bool trace_dat_guard_hit(const struct trace_dat_guard *g);
