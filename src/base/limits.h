/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What limited a recording: the text of TRACE_DAT_HIST_LIMITS, lines "KIND TEXT" that
 * record/record.h lists.
 */
#pragma once
#include "base/span.h"
#include "base/strbuf.h"

/* The text of the next line of that kind; absent: no more. */
struct span limits_next(struct span *lines, const char *kind);

/* Append "task 79", "tasks 79, 80 and their children"; nothing if those of all were recorded. */
void limits_print_tasks(struct span lines, struct strbuf *out);
