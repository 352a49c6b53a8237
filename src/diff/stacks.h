/* SPDX-License-Identifier: LGPL-2.1-only */
/* Stacks before and after: private to diff. */
#ifndef HIST_DIFF_STACKS_H
#define HIST_DIFF_STACKS_H

#include "diff/diff.h"
#include "picture/picture.h"

bool join_has_stack(const struct join *j);

/* Called for each row: its keys as frames, the outermost first. 0 to go on */
typedef int (*diff_stack_fn)(void *arg, const struct span *frames, size_t n,
			     const struct measure *m);

/*
 * The last value of a histogram, as the numbers of its stacks. 0, -HIST_ENOMEM, the result of @fn
 */
int diff_each_stack(const struct comparison *c, diff_stack_fn fn, void *arg);

/* Red for more, blue for less; @hidden: number of frames that were too narrow. 0, -HIST_ENOMEM */
int diff_flame_draw(const struct comparison *c, size_t max_frames, bool alone, size_t *hidden,
		    struct strbuf *out);

#endif
