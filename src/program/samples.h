/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Statistics (report --stats): which values and variables are sampled by each hit; the sketches are
 * in count/count.h.
 *
 * The kernel has no equivalent, so this code is reached only with machine.stats.
 */
#ifndef HIST_PROGRAM_SAMPLES_H
#define HIST_PROGRAM_SAMPLES_H

#include "program/hist_data.h"

struct hist_stat {
	const struct hist_field *field; /* a value or variable */
	u32 step;                       /* step of the program that computes a sample */
};

struct hist_stats {
	u32 n;
	struct hist_stat *v;
};

#endif
