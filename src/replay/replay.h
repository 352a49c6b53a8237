/* SPDX-License-Identifier: LGPL-2.1-only */
/* replay: everything from recordings to the files of the tracing directory. */
#pragma once
#include "replay/observer.h"
#include "run/run.h"

/* What hits lacked. */
struct hit_account {
	u64 no_synth;   /* synthetic events for which the bytes after a string were not recorded */
	u64 cut_stacks; /* hits whose stack has more frames than a key or variable */
	u32 cut_depth;  /* the number of these */
	u64 no_stack;   /* hits that needed a stack that was not recorded */
	u64 no_user_stack; /* the same for stacks of user space */
	u64 guessed_names; /* events and rows that needed the name of a task, which is a guess */
};

static inline void hit_account_add(struct hit_account *sum, const struct hit_account *hits)
{
	sum->no_synth += hits->no_synth;
	sum->cut_stacks += hits->cut_stacks;
	sum->cut_depth = max_t(u32, sum->cut_depth, hits->cut_depth);
	sum->no_stack += hits->no_stack;
	sum->no_user_stack += hits->no_user_stack;
	sum->guessed_names += hits->guessed_names;
}

/* What a replay found out about the recording. */
struct replay_account {
	u64 missed;          /* lost records, as far as their number is known */
	bool missed_unknown; /* more were lost; their number is unknown */
	u64 damaged_pages;
	u64 unknown_tasks; /* hits of rows of tasks whose process or cgroup is not known */
	u64 short_records; /* shorter than their format says */
	u64 others;        /* derived events of tasks that were not recorded */
	bool held;         /* derived events ask which tasks are in a cgroup that was held back */
	u64 apart;         /* sched_switch that do not follow the one before on their CPU */
	struct hit_account hits;
};

/* The part of the recording that is replayed. */
struct replay_span {
	u64 from, to; /* time of the clock, both inclusive */
	u64 *cpus;    /* a bit for each CPU; NULL: all */
	u32 nr_cpus;
	bool own; /* not that of the user, who knows what is in the recording */
};

static inline bool replay_span_is_whole(const struct replay_span *span)
{
	return !span->from && span->to == UINT64_MAX && !span->cpus;
}

static inline bool replay_span_has_cpu(const struct replay_span *span, u32 cpu)
{
	return !span->cpus || (cpu < span->nr_cpus && bits_has(span->cpus, cpu));
}

/* A replay, and the tracing directory that it changes. What the library adds: tracefs/tracefs.h */
struct hist {
	struct recordings recordings;
	struct hist_session *session; /* NULL: none */
	struct kept_derived *kept;    /* what it derived; NULL: nothing is kept */
	struct tracing *tracing;
	const struct replay_observer *observer; /* NULL: no observer */
	const char *buffer;                     /* the buffer shown at the top of the directory */
	struct replay_span span;
	struct replay_window window;
	bool whole;              /* replay_run() finds no window */
	bool part;               /* the last replay_run() found one */
	const char *selection;   /* of events, as in struct result_info */
	struct task_set *chosen; /* of those in options.tasks that which the caller chose; NULL */
	struct replay_account account;
	struct strbuf caveats; /* of what the last replay counted; see base/caveat.h */
	unsigned int jobs;
	enum hist_plan plan;            /* how to count; HIST_PLAN_AUTO: in the fastest way */
	bool explain;                   /* report the plan */
	bool replayed;                  /* maps and counts are final */
	bool changed;                   /* written to since the replay, which must be repeated */
	bool doubtful;                  /* see hist_doubtful() */
	u32 cgroup_depth;               /* see hist_cgroup_depth() */
	u32 cgroup_hierarchy;           /* see hist_cgroup_hierarchy(), + 1; 0: it is found */
	bool inexact;                   /* an input was guessed from text */
	const char **recorded;          /* for hist_recorded_event() */
	u8 ways;                        /* 1 << enum plan_way: how the last replay counted */
	struct replay_timer *timer;     /* NULL: no observer of time */
	const struct replay_feed *feed; /* NULL: the records are those of the recordings */
};

/* Whether parts that an input announces are missing or damaged, as far as they were read. */
bool replay_input_cut(const struct hist *h);

/*
 * Append the caveats for a file made from what was replayed: those of the recordings, and those
 * found.
 */
void replay_caveats(const struct hist *h, struct strbuf *out);

/* Losses that sub-buffers do not show. */
struct lost {
	struct trace_dat_lost stats;
	u64 noted; /* CAVEAT_LOST of the file */
	bool noted_unknown;
};

static inline u64 lost_sum(const struct lost *lost)
{
	return add_saturated(add_saturated(lost->stats.dropped, lost->stats.commit_overrun),
			     lost->noted);
}

/* Read them from the file's options for @cpu; @buffer is an index of rec->buffers. */
struct lost lost_of(const struct recording *rec, size_t buffer, u32 cpu);

/* Warn of @n damaged sub-buffers, if any; they count as missing input. */
void replay_warn_damaged(struct replay_account *sum, const struct recording *rec, u32 cpu, u64 n,
			 struct diags *diags);

/* Replay if needed; reports losses and missing events. */
int replay_if_needed(struct hist *h, struct diags *diags);

/* Replay unconditionally; the second one only h->window. */
int replay_run(struct hist *h, struct diags *diags);
int replay_window_run(struct hist *h, struct diags *diags);

/*
 * The same in steps, in time order, for a reader of the events that h->observer gets. An open
 * replay uses the diagnoses of replay_open(); if that fails, nothing is open.
 */
struct replay;
int replay_open(struct hist *h, struct replay **r, struct diags *diags);

/* Replay until the observer pauses. Return: 1: there is more; 0; < 0 an error */
int replay_step(struct replay *r);

/* @err: of the last step; with none, losses and damage are reported. Return: @err, or an error */
int replay_close(struct replay *r, int err);

#include "replay/window.h"
