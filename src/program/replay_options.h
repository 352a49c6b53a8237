/* SPDX-License-Identifier: LGPL-2.1-only */
/* Options of a replay that concern several stages. */
#pragma once
#include "base/base.h"

struct moments;
struct task_set;

/* Those of the recordings are copied to each directory that is made. */
struct replay_options {
	u64 max_memory;       /* for histograms without a limit of entries; 0: all */
	bool strict_kernel;   /* refuse extensions of hist, such as triggers of ftrace:function */
	bool open_intervals;  /* see derive/derive.h */
	bool cut_intervals;   /* derived ones end and begin with the span of time */
	unsigned int threads; /* that may work on a large histogram: sort, print; 0: one */
	const struct task_set *tasks; /* tasks to whose events triggers are limited; NULL: all */
	bool stats;                   /* hist triggers keep samples (struct hist_stats) */
	bool stats_asked;             /* by the user, not by a page or --over-time */
	struct {
		u32 max;                 /* per entry; 0: none */
		const char *of;          /* a value, variable or key; NULL: the first quantity */
		struct moments *moments; /* NULL: not requested */
	} exemplars;
};
