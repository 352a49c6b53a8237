/* SPDX-License-Identifier: LGPL-2.1-only */
/* Stacks before and after: private to diff. */
#ifndef HIST_DIFF_STACKS_H
#define HIST_DIFF_STACKS_H

#include "diff/diff.h"
#include "picture/picture.h"

bool join_has_stack(const struct join *j);

/* Called for each row with its keys as frames, the outermost first. A result other than 0 stops. */
typedef int (*diff_stack_fn)(void *arg, const struct span *frames, size_t n,
			     const struct measure *m);

/*
 * Call @fn for each stack with the last value of the histogram. 0, -HIST_ENOMEM, the result of @fn
 */
int diff_each_stack(const struct comparison *c, diff_stack_fn fn, void *arg);

/*
 * Draw a flame graph: red for more, blue for less; @hidden: number of omitted frames. 0,
 * -HIST_ENOMEM
 */
int diff_flame_draw(const struct comparison *c, size_t max_frames, bool alone, size_t *hidden,
		    struct strbuf *out);

#endif
