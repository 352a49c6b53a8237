/* SPDX-License-Identifier: LGPL-2.1-only */
/* Recordings of guests, converted to the time of their host's recording. */
#pragma once
#include "import/sink.h"

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

/* A guest among the inputs. */
struct guest {
	const char *host_clock;
	char *name;    /* in names of events: characters other than letters and digits become _ */
	u32 first_cpu; /* number of the guest's CPU 0 in the result */
	u32 cpu_count;
	u32 n_other_names;      /* pids whose task has another name in the host */
	const char *other_name; /* the first of them: "PID: NAME, NAME" */
	bool other_symbols;     /* the host has kernel symbols that differ from the guest's */
};

/**
 * guest_find() - find the host of input @i if that is a guest
 * @guest: filled in except for ->first_cpu; allocated from @arena
 *
 * Return: 0; 1 if it is not a guest or cannot be read; -HIST_ENOMEM
 */
int guest_find(const struct import_input *inputs, size_t n, size_t i, struct guest *guest,
	       struct arena *arena);

/* Number of CPUs of the host's recordings among the inputs; the CPUs of guests follow. */
u32 guest_host_cpus(const struct import_input *inputs, size_t n);

/* Read the corrections of its times; -HIST_EFORMAT with a diagnosis, -HIST_ENOMEM. */
int guest_time_shift(struct trace_dat *td, struct time_shift *shift, const struct import_job *job);

void guest_report(const struct import_job *job, u64 events);
