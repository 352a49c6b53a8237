/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Converts times of a guest to those of its host by the TIME_SHIFT option of the guest's recording.
 */
#ifndef HIST_IMPORT_TIME_SHIFT_H
#define HIST_IMPORT_TIME_SHIFT_H

#include "base/base.h"

/* From @time on, host = (guest * scaling >> fraction) + offset. */
struct time_sample {
	s64 time; /* guest time */
	s64 offset;
	u64 scaling;
	u32 fraction;
};

struct time_shift_cpu {
	u32 n;
	struct time_sample *samples; /* sorted by time */
};

struct time_shift {
	u64 peer; /* trace id of the host's recording */
	bool interpolate;
	u32 n_cpus;
	struct time_shift_cpu *cpus;
};

/**
 * time_shift_parse() - read the option
 *
 * Owns: @arena owns the samples
 * Return: 0, -HIST_EFORMAT, -HIST_ENOMEM
 */
int time_shift_parse(struct time_shift *ts, struct bytes b, struct arena *arena);

/* Convert a time of guest CPU @cpu to host time; without samples the time is unchanged. */
u64 time_shift_apply(const struct time_shift *ts, u32 cpu, u64 time);

#endif
