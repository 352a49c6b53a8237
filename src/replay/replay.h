/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * replay: the whole chain, from recordings to the files of the tracing directory.
 */
#ifndef HIST_REPLAY_REPLAY_H
#define HIST_REPLAY_REPLAY_H

#include "program/filter.h"
#include "recording/recording.h"
#include "replay/watch.h"
#include "run/run.h"
#include "tracing/tracing.h"
#include "tracing/trigger.h"

/* What a replay found out about the recording. */
struct replay_account {
	u64 missed;          /* records that were lost, where the number is known */
	bool missed_unknown; /* some were lost, who knows how many */
	u64 damaged_pages;
	u64 no_synth;      /* synthetic events whose loose bytes were not recorded */
	u64 no_stack;      /* hits that wanted a stack that was not recorded */
	u64 short_records; /* shorter than their format says */
};

/* Which part of the recording counts. */
struct replay_span {
	u64 from, to; /* time of the clock, both inclusive */
	u64 *cpus;    /* a bit for each CPU; NULL: all */
	u32 nr_cpus;
};

static inline bool replay_span_has_cpu(const struct replay_span *span, u32 cpu)
{
	return !span->cpus || (cpu < span->nr_cpus && span->cpus[cpu / 64] >> (cpu % 64) & 1);
}

struct hist {
	struct recordings recordings;
	struct tracing *tracing;
	const struct replay_watch *watch; /* NULL: nobody looks on */
	struct held_event *held;          /* by the program, see dynevent/dynevent.h */
	const char *buffer;               /* what the top of the directory stands for */
	struct replay_span span;
	struct replay_account account;
	unsigned int jobs;
	enum hist_plan plan;        /* how to count; HIST_PLAN_AUTO: as fast as can be */
	bool explain;               /* report the plan */
	bool replayed;              /* maps and counts are those of the recording's end */
	bool changed;               /* since the replay, so that it no longer holds */
	bool doubtful;              /* see hist_doubtful() */
	bool import_cut;            /* an input that was imported is not whole */
	bool inexact;               /* or was guessed from a text */
	const char **recorded;      /* for hist_recorded_event() */
	u8 ways;                    /* 1 << enum plan_way: how the last replay counted */
	struct replay_timer *timer; /* NULL: no observer of time */
	struct output *output;      /* of hist_run(); tracefs/output.h */
};

/* Replay if need be; says what was lost or missing. */
int replay_if_needed(struct hist *h, struct diags *diags);

/* The replay itself. */
int replay_run(struct hist *h, struct diags *diags);

#endif
