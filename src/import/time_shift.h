/* SPDX-License-Identifier: LGPL-2.1-only */
/* The times of a guest in those of its host, by the TIME_SHIFT option of the guest's recording. */
#ifndef HIST_IMPORT_TIME_SHIFT_H
#define HIST_IMPORT_TIME_SHIFT_H

#include "base/base.h"

/* From @time on, host = (guest * scaling >> fraction) + offset. */
struct time_sample {
	s64 time; /* of the guest */
	s64 offset;
	u64 scaling;
	u32 fraction;
};

struct time_shift_cpu {
	u32 n;
	struct time_sample *samples; /* in order of time */
};

struct time_shift {
	u64 peer; /* the trace id of the host's recording */
	bool interpolate;
	u32 n_cpus;
	struct time_shift_cpu *cpus;
};

/**
 * time_shift_parse() - read the option
 *
 * Owns:   in @arena
 * Return: 0, -HIST_EFORMAT, -HIST_ENOMEM
 */
int time_shift_parse(struct time_shift *ts, struct bytes b, struct arena *arena);

/* A time of guest CPU @cpu as the host's; one that has no samples keeps its time. */
u64 time_shift_apply(const struct time_shift *ts, u32 cpu, u64 time);

#endif
